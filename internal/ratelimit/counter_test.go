package ratelimit_test

import (
	"bytes"
	"errors"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/ratelimit"
)

var wide = ratelimit.Rule{Name: "street", Events: 5, Window: time.Hour}

func record(t *testing.T, db *database.DB, l *ratelimit.Limiter, counters ...ratelimit.Counter) []ratelimit.Tally {
	t.Helper()
	var before []ratelimit.Tally
	err := db.InTx(t.Context(), func(tx database.Tx) error {
		var err error
		before, err = l.Record(t.Context(), tx, counters...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return before
}

func TestSeveralCountersAreReadAndCountedTogether(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		l := ratelimit.New(db, clock.NewManual(), true)
		first := record(t, db, l, rule.On("door"), wide.On("street"))
		second := record(t, db, l, rule.On("other door"), wide.On("street"))
		if first[0].Count != 0 || first[1].Count != 0 || second[0].Count != 0 || second[1].Count != 1 {
			t.Errorf("stood at %v, then %v", first, second)
		}
		now, err := l.Look(t.Context(), db, wide.On("street"), rule.On("nobody"), rule.On("door"))
		if err != nil || now[0].Count != 2 || now[1].Count != 0 || now[2].Count != 1 {
			t.Errorf("stand at %v, %v", now, err)
		}
		if err := l.Refuse(now...); err != nil {
			t.Errorf("nothing is used up: %v", err)
		}
	})
}

func TestTheLongestWaitIsTold(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		l := ratelimit.New(db, c, true)
		for range 5 {
			record(t, db, l, rule.On("door"), wide.On("street"))
		}
		c.Advance(10 * time.Second)
		now, err := l.Look(t.Context(), db, rule.On("door"), wide.On("street"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			err  error
			wait time.Duration
		}{
			{l.Refuse(now[0]), 50 * time.Second},
			{l.Refuse(now...), time.Hour - 10*time.Second},
		} {
			var refused *fault.Error
			if !errors.As(tt.err, &refused) || refused.RetryAfter != tt.wait {
				t.Errorf("%v, wait %v; want %v", tt.err, refused.RetryAfter, tt.wait)
			}
		}
	})
}

func TestARefusedEventIsUndoneWithItsTransaction(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		l := ratelimit.New(db, clock.NewManual(), true)
		for i := range 5 {
			err := db.InTx(t.Context(), func(tx database.Tx) error {
				return l.Take(t.Context(), tx, rule.On("door"), wide.On("street"))
			})
			if refused := fault.Is(err, fault.KindTooMany); refused != (i >= 3) {
				t.Errorf("event %d: %v", i, err)
			}
		}
		now, err := l.Look(t.Context(), db, rule.On("door"), wide.On("street"))
		if err != nil || now[0].Count != 3 || now[1].Count != 3 {
			t.Errorf("stand at %v, %v; want 3 and 3", now, err)
		}
	})
}

func TestNodesShareTheirCounts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		one, other := ratelimit.New(db, c, true), ratelimit.New(db, c, true)
		for range 3 {
			if err := one.Count(t.Context(), rule, "door"); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Count(t.Context(), rule, "door"); !fault.Is(err, fault.KindTooMany) {
			t.Errorf("on another node: %v", err)
		}
	})
}

// A model of one counter: events in a window that opens with the first.
func TestCountingFollowsTheModel(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		l := ratelimit.New(db, c, true)
		serial := 0
		rapid.Check(t, func(r *rapid.T) {
			serial++
			about := string(rune('a' + serial%26)) // old counters come back, their windows over
			c.Advance(time.Minute)
			var count int64
			var opened clock.Time
			for range rapid.IntRange(1, 10).Draw(r, "events") {
				c.Advance(time.Duration(rapid.IntRange(0, 40).Draw(r, "seconds")) * time.Second)
				if c.Now().Sub(opened) >= time.Minute {
					count = 0
				}
				err := l.Count(t.Context(), rule, about)
				if refused := fault.Is(err, fault.KindTooMany); refused != (count >= 3) {
					r.Fatalf("after %d events: %v", count, err)
				}
				if count == 0 {
					opened = c.Now()
				}
				count = min(count+1, 3)
			}
		})
	})
}

func TestSweepDeletesCountersWhoseWindowIsOver(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		l := ratelimit.New(db, c, true)
		record(t, db, l, rule.On("door"), wide.On("street"))
		for door := range database.SweepBatch + 1 { // more than go at once
			if err := l.Count(t.Context(), rule, strconv.Itoa(door)); err != nil {
				t.Fatal(err)
			}
		}
		c.Advance(2 * time.Minute)
		if err := l.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		keys, err := database.Collect(t.Context(), db, database.Column[[]byte], `SELECT key FROM rate_limit`)
		if err != nil || len(keys) != 1 {
			t.Fatalf("%d counters left, %v; want 1", len(keys), err)
		}
		if bytes.Contains(keys[0], []byte("street")) {
			t.Error("the table names what is counted")
		}
	})
}

func TestAnIPv6CustomerIsOnePlace(t *testing.T) {
	for ip, want := range map[string]string{
		"192.0.2.7":              "192.0.2.7",
		"::ffff:192.0.2.7":       "::ffff:192.0.2.7",
		"2001:db8:1:2:3:4:5:6":   "2001:db8:1:2::/64",
		"2001:db8:1:2::1":        "2001:db8:1:2::/64",
		"fe80::1%eth0":           "fe80::/64",
		"":                       "",
		"somewhere":              "somewhere",
		"2001:db8:1:2:3:4:5:6:7": "2001:db8:1:2:3:4:5:6:7",
	} {
		if got := ratelimit.Network(ip); got != want {
			t.Errorf("%q counts as %q, want %q", ip, got, want)
		}
	}
}
