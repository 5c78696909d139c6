// Command bench measures the hot paths of a built server against limits and
// rivals, most of them measured in the same run on the same machine, and prints
// one table. docs/performance.md explains each row.
//
//	make bench
//	scripts/with-postgres go run ./internal/bench -bin bin/ujumbe -large -only contacts
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are what the command line says.
type options struct {
	bin      string
	contacts int
	large    bool
	huge     bool
	rows     int
	time     time.Duration
	soak     time.Duration
	samples  int
	only     string
	engines  string
}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin/ujumbe", "the server to measure")
	flag.IntVar(&o.contacts, "contacts", 100_000, "contacts in the large organization; a tenth of them is measured beside it")
	flag.BoolVar(&o.large, "large", false, "measure with a million contacts too")
	flag.BoolVar(&o.huge, "huge", false, "measure with ten million contacts too")
	flag.IntVar(&o.rows, "rows", 0, "rows of the XLSX and bulk imports (default: as many as -contacts, at most 100,000)")
	flag.DurationVar(&o.time, "time", 3*time.Second, "how long each rate is measured")
	flag.DurationVar(&o.soak, "soak", 2*time.Minute, "how long the mixed load goes on")
	flag.IntVar(&o.samples, "samples", 1000, "samples of each case whose time must not tell")
	flag.StringVar(&o.only, "only", "", "parts to measure, separated by commas: start, phone, auth, timing, contacts, soak")
	flag.StringVar(&o.engines, "engines", "sqlite,postgres", "databases to measure on, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// part is one group of measurements.
type part struct {
	name string
	// each says whether the part is measured once or on each engine.
	each    bool
	measure func(ctx context.Context, b *bench) error
}

var parts = []part{
	{"start", true, measureStart},
	{"phone", false, measurePhone},
	{"auth", true, measureAuth},
	{"timing", true, measureTiming},
	{"contacts", true, measureContacts},
	{"soak", true, measureSoak},
}

// bench is one part on one engine.
type bench struct {
	options
	engine engine
	table  *table
	growth *growth
	dir    string // removed at the end
}

func run(ctx context.Context, o options) error {
	if _, err := os.Stat(o.bin); err != nil {
		return fmt.Errorf("the server is not built: %w; run `make build`", err)
	}
	engines, err := enginesOf(o.engines)
	if err != nil {
		return err
	}
	if o.rows == 0 {
		o.rows = min(o.contacts, 100_000)
	}
	dir, err := os.MkdirTemp("", "ujumbe-bench-")
	if err != nil {
		return fmt.Errorf("folder for data: %w", err)
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, table: &table{}, growth: &growth{}, dir: dir}
	var failures []error
	for _, p := range parts {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), p.name) {
			continue
		}
		on := engines
		if !p.each {
			on = engines[:1]
		}
		for _, e := range on {
			fmt.Fprintf(os.Stderr, "measuring %s on %s\n", p.name, e.name)
			b.engine = e
			if err := p.measure(ctx, b); err != nil {
				failures = append(failures, fmt.Errorf("%s on %s: %w", p.name, e.name, err))
			}
		}
	}
	b.table.print(os.Stdout)
	b.growth.print(os.Stdout)
	return errors.Join(failures...)
}
