package ratelimit_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/ratelimit"
)

var rule = ratelimit.Rule{Name: "knock", Events: 3, Window: time.Minute}

func TestEventsBeyondTheRuleAreRefusedUntilItsWindowEnds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		l := ratelimit.New(db, c, true)
		for i := range 3 {
			if err := l.Check(t.Context(), rule, "door"); err != nil {
				t.Fatalf("check %d: %v", i, err)
			}
			if err := l.Count(t.Context(), rule, "door"); err != nil {
				t.Fatalf("count %d: %v", i, err)
			}
		}
		for what, err := range map[string]error{"check": l.Check(t.Context(), rule, "door"), "count": l.Count(t.Context(), rule, "door")} {
			if !fault.Is(err, fault.KindTooMany) {
				t.Errorf("%s of the fourth: %v", what, err)
			}
		}
		if err := l.Count(t.Context(), rule, "other door"); err != nil {
			t.Errorf("another key: %v", err)
		}
		c.Advance(time.Minute)
		if err := l.Count(t.Context(), rule, "door"); err != nil {
			t.Errorf("in the next window: %v", err)
		}
	})
}

func TestConcurrentEventsAreAllCounted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		l := ratelimit.New(db, clock.NewManual(), true)
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				if l.Count(t.Context(), rule, "door") == nil {
					admitted.Add(1)
				}
			})
		}
		wg.Wait()
		if admitted.Load() != 3 {
			t.Errorf("%d admitted, want 3", admitted.Load())
		}
	})
}

func TestSwitchedOffItAllowsEverything(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		l := ratelimit.New(db, clock.NewManual(), false)
		for range 10 {
			if err := l.Count(t.Context(), rule, "door"); err != nil {
				t.Fatal(err)
			}
		}
	})
}
