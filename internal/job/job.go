// Package job is a durable queue in the database itself. Work is enqueued in the
// transaction that causes it, so a committed cause always has its effect and a
// rolled-back one never does. A worker holds a job by a lease; when its process
// dies, the lease runs out and another worker takes the job over.
//
// The queue is ours because no queue library speaks both engines through
// one SQL text; docs/architecture.md has the comparison.
package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
)

// Args is the work of one kind, as it is stored. It must hold no secret.
type Args interface {
	Kind() string
}

type jobID = id.Of[record]

type record struct {
	id       jobID
	kind     string
	args     string
	attempts int
	deadline clock.Time
}

// Permanent marks an error that trying again can't mend. An error of another
// package says so of itself by a method Permanent.
func Permanent(err error) error { return permanent{err} }

type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

func (permanent) Permanent() bool { return true }

// The times of a job.
const (
	// leaseTime is how long a job may seem stuck before another worker takes it;
	// a living worker renews it in time.
	leaseTime    = 30 * time.Second
	renewEvery   = 10 * time.Second
	pollEvery    = time.Second
	failedKept   = 14 * 24 * time.Hour
	firstRetry   = 2 * time.Second
	slowestRetry = 5 * time.Minute
)

// Queue accepts work and runs it.
type Queue struct {
	db       *database.DB
	clock    clock.Clock
	log      *slog.Logger
	handlers map[string]handler
	periodic []periodic
	wake     chan struct{}
	observe  func(kind, result string, took time.Duration)
}

type handler struct {
	run func(ctx context.Context, args []byte) error
	// endsWithQueue is set for work that may be cut short.
	endsWithQueue bool
}

type periodic struct {
	name  string
	every time.Duration
	run   func(ctx context.Context) error
}

// NewQueue returns a queue. Handlers are added before Run.
func NewQueue(db *database.DB, c clock.Clock, log *slog.Logger) *Queue {
	return &Queue{
		db: db, clock: c, log: log,
		handlers: map[string]handler{},
		wake:     make(chan struct{}, 1),
		observe:  func(string, string, time.Duration) {},
	}
}

// Observe makes f hear of every finished run: "done", "retry" or "failed".
func (q *Queue) Observe(f func(kind, result string, took time.Duration)) { q.observe = f }

// Handle sets what is done for jobs of one kind. It may be called twice for the
// same job (a crash after the work, before its record), so the work must bear it.
// Work in hand is finished although the queue is stopping, so it must be short.
func Handle[A Args](q *Queue, work func(ctx context.Context, args A) error) {
	handle(q, work, false)
}

// HandleLong is Handle for work that may take long: its context ends when the
// queue stops, and the work is begun anew later.
func HandleLong[A Args](q *Queue, work func(ctx context.Context, args A) error) {
	handle(q, work, true)
}

func handle[A Args](q *Queue, work func(ctx context.Context, args A) error, endsWithQueue bool) {
	var zero A
	run := func(ctx context.Context, raw []byte) error {
		var args A
		if err := json.Unmarshal(raw, &args); err != nil {
			return Permanent(fmt.Errorf("args: %w", err))
		}
		return work(ctx, args)
	}
	q.handlers[zero.Kind()] = handler{run, endsWithQueue}
}

// Every runs work about that often, each time on one of the nodes. A run that
// takes longer than the interval may have the next beside it on another node, so
// the work must bear that. Its context ends when the queue stops.
func (q *Queue) Every(name string, interval time.Duration, work func(ctx context.Context) error) {
	q.periodic = append(q.periodic, periodic{name, interval, work})
}

// Enqueue stores a job with the transaction. It is tried until it succeeds or
// the time given by patience has passed.
func (q *Queue) Enqueue(ctx context.Context, tx database.Tx, args Args, patience time.Duration) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("job %s: %w", args.Kind(), err)
	}
	now := q.clock.Now()
	err = tx.Queue(ctx, `INSERT INTO job (id, kind, args, run_at, deadline, attempts, created_at) VALUES ($1, $2, $3, $4, $5, 0, $4)`,
		id.New[record](), args.Kind(), string(raw), now, now.Add(patience))
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	tx.OnCommit(q.nudge)
	return nil
}

func (q *Queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Depth counts the jobs that wait and those that were given up.
func (q *Queue) Depth(ctx context.Context) (waiting, failed int64, err error) {
	err = q.db.QueryRow(ctx, `SELECT COUNT(*) FILTER (WHERE failed_at IS NULL), COUNT(*) FILTER (WHERE failed_at IS NOT NULL) FROM job`).Scan(&waiting, &failed)
	return waiting, failed, err
}

// retryDelay doubles from two seconds to five minutes, spread by the job's id so
// that a recovered mail server is not met by all at once.
func retryDelay(j record) time.Duration {
	delay := min(firstRetry<<min(j.attempts-1, 10), slowestRetry)
	return delay + delay*time.Duration(j.id[15])/1024
}

func isPermanent(err error) bool {
	var p interface{ Permanent() bool }
	return errors.As(err, &p) && p.Permanent()
}
