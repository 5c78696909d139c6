package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// What the product promises of a start on SQLite.
const (
	startBudget  = 300 * time.Millisecond
	memoryBudget = 60 << 20
)

func measureStart(ctx context.Context, b *bench) error {
	var fresh, existing times
	for range 5 {
		if err := b.startTwice(ctx, &fresh, &existing); err != nil {
			return err
		}
	}
	slices.Sort(fresh)
	slices.Sort(existing)
	promised, budget := "", 0.0
	if b.engine.name == "sqlite" {
		promised, budget = "promised", ms(startBudget)
	}
	b.table.add(row{"cold start, fresh database", b.engine.name, milliseconds, ms(fresh.at(0.5)), promised, budget})
	b.table.add(row{"cold start, existing database", b.engine.name, milliseconds, ms(existing.at(0.5)), promised, budget})
	return b.measureIdle(ctx)
}

// startTwice adds the times from launch to readiness on a fresh database,
// migrations included, and on the same one after a stop.
func (b *bench) startTwice(ctx context.Context, fresh, existing *times) error {
	n, err := b.prepare(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	for _, all := range []*times{fresh, existing} {
		took, err := n.restart(ctx)
		if err != nil {
			return err
		}
		*all = append(*all, took)
		n.Kill()
	}
	return nil
}

func (b *bench) measureIdle(ctx context.Context) error {
	n, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Second):
	}
	b.table.add(row{"idle memory", b.engine.name, mebibytes, mib(n.Memory()), "promised", mib(memoryBudget)})
	if b.engine.name == "sqlite" {
		info, err := os.Stat(b.bin)
		if err != nil {
			return fmt.Errorf("size of the binary: %w", err)
		}
		b.table.add(row{path: "size of the binary", engine: "", unit: mebibytes, figure: mib(info.Size())})
	}
	return nil
}
