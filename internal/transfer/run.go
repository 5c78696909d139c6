package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

// run is an import at work. One goroutine reads and judges rows while others
// store the chunks before.
type run struct {
	service *Service
	org     account.ID
	id      ID
	loader  *contact.Loader
	source  source

	mu   sync.Mutex
	room room

	stored atomic.Int64 // when a chunk was stored last, in Unix seconds
}

const (
	// chunkTime bounds the storing of one chunk.
	chunkTime = 2 * time.Minute
	// endTime bounds how long the end of an import is tried to be recorded.
	endTime = 10 * time.Second
)

// writers is how many chunks are stored at once. One connection keeps one core
// of PostgreSQL busy; SQLite has one writer.
func (r *run) writers() int {
	if r.service.DB.Engine() == database.Postgres {
		return 3
	}
	return 1
}

// all stores every row, or stops at a chunk: when the context ends, the node
// stops, or something is in the way. A chunk in hand is always finished.
func (r *run) all(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if err := fault.Survive(func() error { return r.watch(ctx) }); err != nil {
			stop(err)
		}
	}()
	chunks, free := make(chan *chunk), make(chan *chunk, r.writers()+2)
	for range cap(free) {
		free <- &chunk{}
	}
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(chunks)
		return fault.Survive(func() error { return r.read(working, free, chunks) })
	})
	for range r.writers() {
		group.Go(func() error {
			return fault.Survive(func() error { return r.write(working, free, chunks) })
		})
	}
	err := group.Wait()
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// watch gives signs of life as long as the run goes on. An error is why it must
// stop: the node stops, or the record was closed by others.
func (r *run) watch(ctx context.Context) error {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.service.Stopping:
			return httpapi.ErrStopping
		case <-tick.C:
		}
		if time.Since(time.Unix(r.stored.Load(), 0)) < beatEvery {
			continue
		}
		if err := r.service.store.beat(ctx, r.org, r.id); errors.Is(err, errTaken) {
			return err
		}
	}
}

func (r *run) read(ctx context.Context, free <-chan *chunk, chunks chan<- *chunk) error {
	j, place := newJudge(), 0
	for {
		var c *chunk
		select {
		case c = <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := c.fill(ctx, r.source, j, r.loader.ChunkSize())
		c.place, place = place, place+len(c.drafts)
		isLast := errors.Is(err, io.EOF)
		if err != nil && !isLast {
			return fmt.Errorf("read upload: %w", err)
		}
		if c.rows() > 0 {
			select {
			case chunks <- c:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if isLast {
			return nil
		}
	}
}

func (r *run) write(ctx context.Context, free chan<- *chunk, chunks <-chan *chunk) error {
	for c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.store(ctx, c); err != nil {
			return err
		}
		free <- c
	}
	return nil
}

// store puts a chunk, its share of the record and the details of rows that are
// not stored as they came, into one transaction.
func (r *run) store(ctx context.Context, c *chunk) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), chunkTime)
	defer cancel()
	r.mu.Lock()
	left := r.room
	r.mu.Unlock()
	var o *outcome
	_, err := r.loader.At(c.place).Load(ctx, c.drafts, func(tx database.Tx, loaded contact.Loaded) error {
		o = c.outcome(loaded, &left)
		store := r.service.store
		if err := store.keep(ctx, tx, r.org, r.id, skippedRows, &o.skipped); err != nil {
			return err
		}
		if err := store.keep(ctx, tx, r.org, r.id, amendedRows, &o.amended); err != nil {
			return err
		}
		return store.advance(ctx, tx, r.org, r.id, o.progress)
	})
	if err != nil {
		return fmt.Errorf("store chunk: %w", err)
	}
	r.mu.Lock()
	r.room.use(o)
	r.mu.Unlock()
	r.stored.Store(time.Now().Unix())
	return nil
}

// errListGone is a list that was deleted while contacts were put in it.
var errListGone = fault.Conflict("list_deleted", "The list was deleted during the import. What was stored before is kept. Import the file again without the list.")

// close records how a run ended, and returns what its caller is told.
func (r *run) close(ctx context.Context, ended error) error {
	var f *fault.Error
	isFault := errors.As(ended, &f)
	status, failure := Completed, (*Failure)(nil)
	switch {
	case ended == nil:
	case errors.Is(ended, httpapi.ErrStopping):
		status, failure = Interrupted, &failureStopping
	case errors.Is(ended, context.Canceled):
		status, failure = Cancelled, &failureLeft
	case isFault && f.Code == "unknown_list":
		ended = errListGone
		status, failure = Failed, &Failure{errListGone.Code, errListGone.Detail}
	case isFault:
		status, failure = Failed, &Failure{f.Code, f.Detail}
	case errors.Is(ended, database.ErrUnavailable):
		status, failure = Failed, &Failure{"unavailable", "The database could not be reached. What was stored before is counted here. Send the same file again."}
	default:
		status, failure = Failed, &Failure{"internal", "Something went wrong on our side. What was stored before is counted here. Send the same file again."}
	}
	return errors.Join(ended, r.record(ctx, status, failure))
}

// record tries for a while to write the end of a run. If it can't, the silence
// of the record tells.
func (r *run) record(ctx context.Context, status Status, failure *Failure) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	for {
		err := r.service.store.end(ctx, r.org, r.id, status, failure)
		if err == nil || ctx.Err() != nil || errors.Is(err, errTaken) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
