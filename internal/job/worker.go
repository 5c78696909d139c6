package job

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
)

// workers is how many jobs one node runs at once. They wait for mail servers
// more than they compute.
const workers = 8

// Run works until the context ends, then waits for the jobs in hand.
func (q *Queue) Run(ctx context.Context) {
	var running sync.WaitGroup
	slots := make(chan struct{}, workers)
	running.Go(func() { q.runPeriodic(ctx) })
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		q.dispatch(ctx, slots, &running)
		select {
		case <-ctx.Done():
			running.Wait()
			return
		case <-q.wake:
		case <-poll.C:
		}
	}
}

// dispatch claims due jobs as long as there are some and a worker is free.
func (q *Queue) dispatch(ctx context.Context, slots chan struct{}, running *sync.WaitGroup) {
	for ctx.Err() == nil {
		free := cap(slots) - len(slots)
		if free == 0 {
			return
		}
		lease := id.New[lease]()
		claimed, err := q.claim(ctx, lease, free)
		if err != nil && ctx.Err() == nil {
			q.log.WarnContext(ctx, "jobs can't be claimed", "error", err)
		}
		if len(claimed) == 0 {
			return
		}
		for _, j := range claimed {
			slots <- struct{}{}
			running.Go(func() {
				defer func() {
					<-slots
					q.nudge()
				}()
				q.work(ctx, j, lease)
			})
		}
	}
}

type lease struct{}

// claim takes up to limit due jobs. Where several nodes share PostgreSQL, a row
// that another is just taking is passed over instead of waited for.
func (q *Queue) claim(ctx context.Context, lease id.Of[lease], limit int) ([]record, error) {
	now := q.clock.Now()
	due := `SELECT id FROM job WHERE failed_at IS NULL AND run_at <= $1 AND (lease_until IS NULL OR lease_until <= $1) ORDER BY run_at LIMIT $2`
	// Looking first keeps an idle node from writing every second.
	found, err := database.Collect(ctx, q.db, database.Column[jobID], due, now, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var claimed []record
	err = q.db.InTx(ctx, func(tx database.Tx) error {
		var err error
		claimed, err = database.Collect(ctx, tx, func(row database.Row) (record, error) {
			var j record
			err := row.Scan(&j.id, &j.kind, &j.args, &j.attempts, &j.deadline)
			return j, err
		}, `UPDATE job SET lease = $3, lease_until = $4, attempts = attempts + 1 WHERE id IN (`+due+database.Locking(q.db.Engine(), "FOR UPDATE SKIP LOCKED")+`)
			RETURNING id, kind, args, attempts, deadline`, now, limit, lease, now.Add(leaseTime))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim jobs: %w", err)
	}
	return claimed, nil
}

// work runs a job in hand, which is finished although the queue is stopping,
// unless it is of a kind that may be cut short.
func (q *Queue) work(ctx context.Context, j record, lease id.Of[lease]) {
	if !q.handlers[j.kind].endsWithQueue {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go q.renew(ctx, j, lease, cancel)
	started := time.Now()
	err := q.attempt(ctx, j)
	result := q.settle(context.WithoutCancel(ctx), j, lease, err)
	q.observe(j.kind, result, time.Since(started))
}

// renew keeps the lease while the work goes on, and stops the work if the lease
// was lost to another worker.
func (q *Queue) renew(ctx context.Context, j record, lease id.Of[lease], stop context.CancelFunc) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := q.db.Exec(ctx, `UPDATE job SET lease_until = $1 WHERE id = $2 AND lease = $3`, q.clock.Now().Add(leaseTime), j.id, lease)
		if err == nil && n == 0 {
			stop()
			return
		}
	}
}

func (q *Queue) attempt(ctx context.Context, j record) error {
	handler, ok := q.handlers[j.kind]
	if !ok {
		return fmt.Errorf("no handler for %s", j.kind)
	}
	return fault.Survive(func() error { return handler.run(ctx, []byte(j.args)) })
}

// storable is the beginning of a text as every engine takes it. What a mail
// server says may be anything.
func storable(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 2000)], "\uFFFD")
	return strings.ReplaceAll(text, "\x00", "")
}

// settle records the outcome: done jobs go, failed ones wait for their next try
// or, past their deadline, stay for the operator to see.
func (q *Queue) settle(ctx context.Context, j record, lease id.Of[lease], failure error) string {
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	if failure == nil {
		q.record(ctx, j, `DELETE FROM job WHERE id = $1 AND lease = $2`, j.id, lease)
		return "done"
	}
	now := q.clock.Now()
	next := now.Add(retryDelay(j))
	reason := storable(failure.Error())
	if isPermanent(failure) || next > j.deadline {
		q.log.ErrorContext(ctx, "job given up", "kind", j.kind, "job", j.id, "attempts", j.attempts, "error", failure)
		q.record(ctx, j, `UPDATE job SET failed_at = $3, lease = NULL, lease_until = NULL, last_error = $4 WHERE id = $1 AND lease = $2`, j.id, lease, now, reason)
		return "failed"
	}
	q.log.WarnContext(ctx, "job will be tried again", "kind", j.kind, "job", j.id, "attempts", j.attempts, "next", next, "error", failure)
	q.record(ctx, j, `UPDATE job SET run_at = $3, lease = NULL, lease_until = NULL, last_error = $4 WHERE id = $1 AND lease = $2`, j.id, lease, next, reason)
	return "retry"
}

// record writes an outcome. If it can't, the lease runs out and the job is run
// once more.
func (q *Queue) record(ctx context.Context, j record, text string, args ...any) {
	if _, err := q.db.Exec(ctx, text, args...); err != nil {
		q.log.ErrorContext(ctx, "outcome of a job not recorded", "kind", j.kind, "job", j.id, "error", err)
	}
}

func (q *Queue) runPeriodic(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		for _, p := range q.periodic {
			if err := q.runIfDue(ctx, p); err != nil && ctx.Err() == nil {
				q.log.WarnContext(ctx, "periodic work failed", "name", p.name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// runIfDue runs periodic work on the node that moves its next time on. Work cut
// short by a crash comes round again at that next time.
func (q *Queue) runIfDue(ctx context.Context, p periodic) error {
	var next clock.Time
	now := q.clock.Now()
	err := q.db.QueryRow(ctx, `SELECT next_at FROM job_schedule WHERE name = $1`, p.name).Scan(&next)
	if err == nil && next > now {
		return nil
	}
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return err
	}
	n, err := q.db.Exec(ctx, `INSERT INTO job_schedule (name, next_at) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE job_schedule.next_at <= $3`, p.name, now.Add(p.every), now)
	if err != nil || n == 0 {
		return err
	}
	started := time.Now()
	err = fault.Survive(func() error { return p.run(ctx) })
	result := "done"
	if err != nil {
		result = "retry"
	}
	q.observe(p.name, result, time.Since(started))
	return err
}

// Sweep deletes jobs that were given up two weeks ago.
func (q *Queue) Sweep(ctx context.Context) error {
	err := q.db.Sweep(ctx, `DELETE FROM job WHERE id IN (SELECT id FROM job WHERE failed_at < $1 LIMIT $2)`, q.clock.Now().Add(-failedKept))
	if err != nil {
		return fmt.Errorf("sweep jobs: %w", err)
	}
	return nil
}
