package job_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/job"
)

type greeting struct {
	Name string `json:"name"`
}

func (greeting) Kind() string { return "greeting" }

func newQueue(db *database.DB, c clock.Clock) *job.Queue {
	return job.NewQueue(db, c, slog.New(slog.DiscardHandler))
}

// run works the queue until the test ends.
func run(t *testing.T, q *job.Queue) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

func enqueue(t *testing.T, db *database.DB, q *job.Queue, name string, result error) {
	t.Helper()
	err := db.InTx(t.Context(), func(tx database.Tx) error {
		if err := q.Enqueue(t.Context(), tx, greeting{name}, time.Hour); err != nil {
			return err
		}
		return result
	})
	if !errors.Is(err, result) {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func depth(t *testing.T, q *job.Queue) (waiting, failed int64) {
	t.Helper()
	waiting, failed, err := q.Depth(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return waiting, failed
}

func TestJobRunsOnceWhenItsCauseIsCommittedAndNeverOtherwise(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		q := newQueue(db, clock.System{})
		var mu sync.Mutex
		ran := map[string]int{}
		job.Handle(q, func(_ context.Context, g greeting) error {
			mu.Lock()
			defer mu.Unlock()
			ran[g.Name]++
			return nil
		})
		enqueue(t, db, q, "before the start", nil)
		enqueue(t, db, q, "rolled back", errors.New("no"))
		run(t, q)
		enqueue(t, db, q, "after the start", nil)
		eventually(t, "both jobs done", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(ran) == 2
		})
		eventually(t, "queue empty", func() bool { n, _ := depth(t, q); return n == 0 })
		if ran["before the start"] != 1 || ran["after the start"] != 1 {
			t.Errorf("ran %v", ran)
		}
	})
}

func TestFailedJobIsTriedAgainLaterUntilItsDeadline(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		q := newQueue(db, c)
		var tries atomic.Int64
		var results sync.Map
		q.Observe(func(_, result string, _ time.Duration) { results.Store(result, true) })
		job.Handle(q, func(context.Context, greeting) error {
			tries.Add(1)
			return errors.New("the mail server is down")
		})
		run(t, q)
		enqueue(t, db, q, "patient", nil)
		eventually(t, "first try", func() bool { return tries.Load() == 1 })
		eventually(t, "recorded", func() bool { _, ok := results.Load("retry"); return ok })
		c.Advance(3 * time.Second)
		eventually(t, "second try", func() bool { return tries.Load() == 2 })
		for tries.Load() < 60 {
			if _, failed := depth(t, q); failed == 1 {
				return
			}
			c.Advance(6 * time.Minute)
			time.Sleep(20 * time.Millisecond)
		}
		t.Error("the job was never given up")
	})
}

func TestPermanentFailureIsNotTriedAgain(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		q := newQueue(db, clock.System{})
		var tries atomic.Int64
		job.Handle(q, func(context.Context, greeting) error {
			tries.Add(1)
			// Mail servers may answer in any encoding.
			return job.Permanent(errors.New("550 bo\xeete inconnue\x00"))
		})
		run(t, q)
		enqueue(t, db, q, "refused", nil)
		eventually(t, "given up", func() bool { _, failed := depth(t, q); return failed == 1 })
		if tries.Load() != 1 {
			t.Errorf("%d tries", tries.Load())
		}
	})
}

func TestWhatWasGivenUpIsKeptForTwoWeeks(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		q := newQueue(db, c)
		job.Handle(q, func(context.Context, greeting) error { return job.Permanent(errors.New("refused")) })
		run(t, q)
		enqueue(t, db, q, "refused", nil)
		eventually(t, "given up", func() bool { _, failed := depth(t, q); return failed == 1 })
		for _, step := range []struct {
			wait time.Duration
			left int64
		}{{14 * 24 * time.Hour, 1}, {time.Second, 0}} {
			c.Advance(step.wait)
			if err := q.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, failed := depth(t, q); failed != step.left {
				t.Errorf("after %v more %d are left, want %d", step.wait, failed, step.left)
			}
		}
	})
}

func TestPanicIsAFailureLikeAnyOther(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		q := newQueue(db, c)
		var tries atomic.Int64
		job.Handle(q, func(context.Context, greeting) error {
			if tries.Add(1) == 1 {
				panic("oops")
			}
			return nil
		})
		run(t, q)
		enqueue(t, db, q, "shaky", nil)
		eventually(t, "first try", func() bool { return tries.Load() == 1 })
		eventually(t, "done at last", func() bool {
			c.Advance(3 * time.Second)
			n, _ := depth(t, q)
			return n == 0
		})
	})
}

func TestJobOfADeadWorkerIsTakenOverWithinAMinute(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		q := newQueue(db, c)
		enqueue(t, db, q, "orphan", nil)
		// What a worker killed in the middle leaves behind.
		if _, err := db.Exec(t.Context(), `UPDATE job SET attempts = 1, lease = id, lease_until = $1`, c.Now().Add(30*time.Second)); err != nil {
			t.Fatal(err)
		}
		var ran atomic.Int64
		job.Handle(q, func(context.Context, greeting) error { ran.Add(1); return nil })
		run(t, q)
		time.Sleep(50 * time.Millisecond)
		if ran.Load() != 0 {
			t.Error("taken over while the lease still held")
		}
		c.Advance(31 * time.Second)
		eventually(t, "taken over", func() bool { return ran.Load() == 1 })
	})
}

func TestSeveralNodesShareTheWorkWithoutDoingItTwice(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		const jobs = 200
		var ran sync.Map
		var total atomic.Int64
		for range 3 {
			q := newQueue(db, clock.System{})
			job.Handle(q, func(_ context.Context, g greeting) error {
				ran.Store(g.Name, true)
				total.Add(1)
				return nil
			})
			run(t, q)
		}
		q := newQueue(db, clock.System{})
		for i := range jobs {
			enqueue(t, db, q, time.Duration(i).String(), nil)
		}
		eventually(t, "all done", func() bool { n, _ := depth(t, q); return n == 0 })
		if total.Load() != jobs {
			t.Errorf("%d runs of %d jobs", total.Load(), jobs)
		}
	})
}

func TestLongWorkEndsWithTheQueueAndIsBegunAnew(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		first := newQueue(db, c)
		begun := make(chan struct{})
		job.HandleLong(first, func(ctx context.Context, _ greeting) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		})
		enqueue(t, db, first, "long", nil)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			first.Run(ctx)
		}()
		<-begun
		stop()
		<-done // without anybody ending the work
		next := newQueue(db, c)
		var ran atomic.Int64
		job.HandleLong(next, func(context.Context, greeting) error { ran.Add(1); return nil })
		run(t, next)
		c.Advance(3 * time.Second) // not a lease, which another node would have to wait for
		eventually(t, "begun anew", func() bool { return ran.Load() == 1 })
	})
}

func TestShortWorkIsFinishedAlthoughTheQueueStops(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		q := newQueue(db, clock.System{})
		ctx, stop := context.WithCancel(t.Context())
		var cut atomic.Bool
		job.Handle(q, func(ctx context.Context, _ greeting) error {
			stop()
			time.Sleep(20 * time.Millisecond)
			cut.Store(ctx.Err() != nil)
			return nil
		})
		enqueue(t, db, q, "short", nil)
		q.Run(ctx)
		if n, _ := depth(t, q); n != 0 || cut.Load() {
			t.Errorf("%d jobs are left; was it cut short: %v", n, cut.Load())
		}
	})
}

func TestPeriodicWorkRunsOnOneOfTheNodes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		var ran atomic.Int64
		for range 3 {
			q := newQueue(db, c)
			q.Every("tidy", time.Hour, func(context.Context) error { ran.Add(1); return nil })
			run(t, q)
		}
		eventually(t, "first run", func() bool { return ran.Load() > 0 })
		time.Sleep(50 * time.Millisecond)
		if ran.Load() != 1 {
			t.Errorf("ran %d times in one hour", ran.Load())
		}
	})
}
