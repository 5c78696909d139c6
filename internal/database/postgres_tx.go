package database

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresTx sends statements together as long as nobody waits for an answer:
// the way to the server and back costs more than most of them do. BEGIN goes with
// the first one that is waited for, COMMIT with what is left.
type postgresTx struct {
	postgresQuerier // for when nothing is queued
	conn            *pgxpool.Conn
	queued          *pgx.Batch
	isSent          bool // BEGIN, whatever became of it
}

// errLost is a transaction of which not even BEGIN went well. What follows must
// not be run without it.
var errLost = errors.New("the transaction could not be begun")

func (p *postgres) begin(ctx context.Context) (backendTx, error) {
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, mapError(err)
	}
	t := &postgresTx{postgresQuerier: postgresQuerier{conn}, conn: conn, queued: &pgx.Batch{}}
	t.queued.Queue("begin")
	return t, nil
}

func (t *postgresTx) Queue(_ context.Context, sql string, args ...any) error {
	t.queued.Queue(sql, args...)
	return nil
}

func (t *postgresTx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	switch {
	case t.isLost():
		return 0, errLost
	case t.queued.Len() == 0:
		return t.postgresQuerier.Exec(ctx, sql, args...)
	}
	tag, err := t.send(ctx, sql, args...)
	return tag.RowsAffected(), mapError(err)
}

func (t *postgresTx) QueryRow(ctx context.Context, sql string, args ...any) Row {
	switch {
	case t.isLost():
		return failedRow{errLost}
	case t.queued.Len() == 0:
		return t.postgresQuerier.QueryRow(ctx, sql, args...)
	}
	results, err := t.sendQueued(ctx, sql, args...)
	if err != nil {
		return failedRow{mapError(err)}
	}
	return lastRow{results}
}

func (t *postgresTx) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	switch {
	case t.isLost():
		return nil, errLost
	case t.queued.Len() == 0:
		return t.postgresQuerier.Query(ctx, sql, args...)
	}
	results, err := t.sendQueued(ctx, sql, args...)
	if err != nil {
		return nil, mapError(err)
	}
	rows, err := results.Query()
	if err != nil {
		return nil, mapError(closed(results, err))
	}
	return &lastRows{postgresRows{rows}, results, nil}, nil
}

func (t *postgresTx) Copy(ctx context.Context, table string, columns []string, rows [][]any) (int64, error) {
	if t.isLost() {
		return 0, errLost
	}
	if err := t.flush(ctx); err != nil {
		return 0, err
	}
	n, err := t.conn.Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	return n, mapError(err)
}

// commit goes through, with what is queued, even if the caller has gone away
// meanwhile: the decision is made, and a cancelled COMMIT would leave its outcome
// unknown.
func (t *postgresTx) commit(ctx context.Context) error {
	defer t.rollback(ctx) // of what could not be committed
	switch {
	case !t.isSent && t.queued.Len() == 1: // BEGIN alone
		return nil
	case t.isLost():
		return errLost
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	tag, err := t.send(within, "commit")
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	return mapError(err)
}

// rollback ends what was begun and gives the connection back.
func (t *postgresTx) rollback(ctx context.Context) {
	defer t.conn.Release()
	if !t.isBegun() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	// When this fails, the pool closes the connection, which rolls back too.
	_, _ = t.conn.Exec(ctx, "rollback")
}

func (t *postgresTx) isBegun() bool { return t.conn.Conn().PgConn().TxStatus() != 'I' }

func (t *postgresTx) isLost() bool { return t.isSent && !t.isBegun() }

// flush sends what is queued.
func (t *postgresTx) flush(ctx context.Context) error {
	if t.queued.Len() == 0 {
		return nil
	}
	results := t.conn.SendBatch(ctx, t.take())
	return mapError(results.Close())
}

// send sends what is queued and one more statement, and waits for it.
func (t *postgresTx) send(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	results, err := t.sendQueued(ctx, sql, args...)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := results.Exec()
	return tag, closed(results, err)
}

// sendQueued sends what is queued and one more statement, whose results come
// next. They must be closed.
func (t *postgresTx) sendQueued(ctx context.Context, sql string, args ...any) (pgx.BatchResults, error) {
	batch := t.take()
	before := batch.Len()
	batch.Queue(sql, args...)
	results := t.conn.SendBatch(ctx, batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			return nil, closed(results, err)
		}
	}
	return results, nil
}

func (t *postgresTx) take() *pgx.Batch {
	queued := t.queued
	t.queued, t.isSent = &pgx.Batch{}, true
	return queued
}

// lastRow is the row of the last statement of several.
type lastRow struct{ results pgx.BatchResults }

func (r lastRow) Scan(dest ...any) error {
	return mapError(closed(r.results, r.results.QueryRow().Scan(dest...)))
}

// lastRows are the rows of the last statement of several.
type lastRows struct {
	postgresRows
	results pgx.BatchResults
	failure error
}

func (r *lastRows) Next() bool {
	next := r.Rows.Next()
	if !next {
		r.Close()
	}
	return next
}

func (r *lastRows) Close() {
	r.Rows.Close()
	r.failure = closed(r.results, r.Rows.Err())
}

func (r *lastRows) Err() error { return mapError(r.failure) }

// closed closes results and returns the first error.
func closed(results pgx.BatchResults, err error) error {
	if failure := results.Close(); err == nil {
		return failure
	}
	return err
}
