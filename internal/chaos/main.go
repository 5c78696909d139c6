// Command chaos uses a built server under faults and then looks whether
// everything that was acknowledged is there and every count is true.
//
//	make chaos
//	go run ./internal/chaos -bin bin/ujumbe -time 5m
//
// It starts its own PostgreSQL, mail server and, where it is installed, HAProxy.
// It ends with a failure when anything was violated.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	bin  string
	root string
	time time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin/ujumbe", "the server to try")
	flag.StringVar(&o.root, "root", ".", "the repository, for scripts/with-postgres")
	flag.DurationVar(&o.time, "time", time.Minute, "how long faults go on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if _, err := os.Stat(o.bin); err != nil {
		return fmt.Errorf("the server is not built: %w; run `make build`", err)
	}
	var failures []error
	for _, drill := range []struct {
		name string
		run  func(context.Context, options) error
	}{
		{"two nodes on PostgreSQL", nodesDrill},
		{"full disk under SQLite", diskDrill},
	} {
		fmt.Printf("== %s\n", drill.name)
		if err := drill.run(ctx, o); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", drill.name, err))
		}
	}
	if len(failures) == 0 {
		fmt.Println("\nNothing was lost and nothing is wrong.")
	}
	return errors.Join(failures...)
}

// sleep waits, and reports whether the time passed before the context ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
