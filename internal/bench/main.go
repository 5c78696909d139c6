// Command bench measures the hot paths of a built server against limits and
// rivals, most of them measured in the same run on the same machine, and prints
// one table. docs/performance.md explains each row.
//
//	make bench
//	scripts/with-postgres go run ./internal/bench -only contacts -sizes 10000,10000000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are what the command line says.
type options struct {
	bin     string
	sizes   sizes
	rows    int
	time    time.Duration
	soak    time.Duration
	samples int
	only    string
	engines string
}

func main() {
	o := options{sizes: sizes{10_000, 100_000, 1_000_000}}
	flag.StringVar(&o.bin, "bin", "bin/ujumbe", "the server to measure")
	flag.Var(&o.sizes, "sizes", "contacts in the large organization, each size in turn, separated by commas")
	flag.IntVar(&o.rows, "rows", 100_000, "rows of the XLSX and bulk imports, at most")
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

// sizes are numbers of contacts.
type sizes []int

// largest is the size whose figures go into the main table.
func (s sizes) largest() int { return slices.Max(s) }

func (s *sizes) String() string {
	var words []string
	for _, size := range *s {
		words = append(words, strconv.Itoa(size))
	}
	return strings.Join(words, ",")
}

// Set reads sizes from the command line.
func (s *sizes) Set(text string) error {
	*s = nil
	for word := range strings.SplitSeq(text, ",") {
		size, err := strconv.Atoi(word)
		if err != nil || size < 1000 || size > 50_000_000 {
			return fmt.Errorf("%q is no number from 1,000 to 50,000,000", word)
		}
		*s = append(*s, size)
	}
	return nil
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
