// Package database opens SQLite or PostgreSQL behind one small interface, so
// that every feature writes its SQL once.
//
// The portable text: $1 placeholders, RETURNING, upserts, CTEs, FILTER, and sets
// passed as one JSON parameter, `id IN (SELECT uuid(key) FROM json_each($1))`
// (see IDs). What only one engine can do fast branches on Engine in one named
// place of the feature that needs it.
package database

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ujumbe/internal/id"
)

// Engine names the database behind a Querier.
type Engine string

// The two engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

// Row is one row of a result.
type Row interface {
	// Scan copies the columns; ErrNoRows when there is no row.
	Scan(dest ...any) error
}

// Rows is an open result. Close is needed unless Next returned false.
type Rows interface {
	Row
	Next() bool
	Err() error
	Close()
}

// Querier runs SQL: the database itself, or a transaction of it. On the
// database itself Query and QueryRow only read (on SQLite they use the readers'
// connections); a statement that writes and returns rows goes through InTx.
type Querier interface {
	Engine() Engine
	Exec(ctx context.Context, sql string, args ...any) (rowsAffected int64, err error)
	Query(ctx context.Context, sql string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) Row
}

// Tx is a Querier whose statements take effect together or not at all.
type Tx interface {
	Querier
	// Queue runs a statement of which nothing is wanted but its effect. It may
	// go to the database with the next statement or with the commit, which nobody
	// can call off; then that one tells its error.
	Queue(ctx context.Context, sql string, args ...any) error
	// Copy bulk-loads rows by the fastest way of the engine. It fails as a
	// whole on the first row that violates a constraint.
	Copy(ctx context.Context, table string, columns []string, rows [][]any) (int64, error)
	// OnCommit runs f after the commit, never after a rollback.
	OnCommit(f func())
}

// DB is an open database.
type DB struct {
	engine backend
	shared bool
}

// backend is what each engine brings.
type backend interface {
	Querier
	begin(ctx context.Context) (backendTx, error)
	migrate(ctx context.Context, shared bool) error
	ping(ctx context.Context) error
	stats() Stats
	backup(ctx context.Context, file string) error
	close() error
}

type backendTx interface {
	Querier
	Queue(ctx context.Context, sql string, args ...any) error
	Copy(ctx context.Context, table string, columns []string, rows [][]any) (int64, error)
	commit(ctx context.Context) error
	rollback(ctx context.Context)
}

// Stats is the state of the connections at one moment.
type Stats struct {
	Open, InUse, Idle, Max int
	WaitCount              int64
	WaitDuration           time.Duration
}

// Options are the choices of Open beyond the address.
type Options struct {
	// Shared lets this process use a SQLite file that a server has open. It is
	// for short commands of the operator, never for a second server.
	Shared bool
}

// Open connects to `sqlite://path` or `postgres://…`. It applies no migration.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	var (
		engine backend
		err    error
	)
	switch scheme, rest, _ := strings.Cut(url, "://"); scheme {
	case "sqlite":
		engine, err = openSQLite(ctx, rest, opts)
	case "postgres", "postgresql":
		engine, err = openPostgres(ctx, url)
	default:
		return nil, fmt.Errorf("database address must begin with sqlite:// or postgres://")
	}
	if err != nil {
		return nil, err
	}
	return &DB{engine: engine, shared: opts.Shared}, nil
}

// Close waits for running statements and releases the connections.
func (db *DB) Close() error { return db.engine.close() }

// Migrate brings the schema up to date. Several nodes may call it at once. A
// database that was opened Shared may be served by an older program, under which
// it changes nothing but reports ErrOldSchema.
func (db *DB) Migrate(ctx context.Context) error { return db.engine.migrate(ctx, db.shared) }

// Backup copies a SQLite database, as it is at one moment, into a new file.
// Others go on reading and writing. PostgreSQL has programs of its own for this.
func (db *DB) Backup(ctx context.Context, file string) error { return db.engine.backup(ctx, file) }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.engine.ping(ctx) }

// Stats returns the state of the connections.
func (db *DB) Stats() Stats { return db.engine.stats() }

// Engine names the engine.
func (db *DB) Engine() Engine { return db.engine.Engine() }

// Exec runs one statement that returns no rows.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return db.engine.Exec(ctx, sql, args...)
}

// Query reads rows.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return db.engine.Query(ctx, sql, args...)
}

// QueryRow reads one row.
func (db *DB) QueryRow(ctx context.Context, sql string, args ...any) Row {
	return db.engine.QueryRow(ctx, sql, args...)
}

// txAttempts bounds how often a transaction is tried when the database asks for
// another try.
const txAttempts = 5

// InTx runs f in a transaction and commits it if f returns nil. When the
// database reports a serialization failure or a deadlock, f is run again from
// the start, so f must not have effects outside the transaction.
func (db *DB) InTx(ctx context.Context, f func(tx Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.tryTx(ctx, f)
		if err == nil || attempt == txAttempts || !isRetryable(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(attempt*attempt) * 5 * time.Millisecond):
		}
	}
}

func (db *DB) tryTx(ctx context.Context, f func(tx Tx) error) error {
	begun, err := db.engine.begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	tx := &transaction{backendTx: begun}
	committed := false
	defer func() {
		if !committed {
			begun.rollback(ctx)
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	committed = true
	if err := begun.commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, hook := range tx.hooks {
		hook()
	}
	return nil
}

type transaction struct {
	backendTx
	hooks []func()
}

func (t *transaction) OnCommit(f func()) { t.hooks = append(t.hooks, f) }

// SweepBatch is how many rows one statement of background work handles, so that
// requests need not wait long behind it.
const SweepBatch = 1000

// Sweep runs a statement, whose last parameter is the size of a batch, until it
// finds less than a whole one.
func (db *DB) Sweep(ctx context.Context, sql string, args ...any) error {
	for args = append(args, SweepBatch); ; {
		n, err := db.Exec(ctx, sql, args...)
		if err != nil || n < SweepBatch {
			return err
		}
	}
}

// Collect reads all rows of a query into a slice, which is never nil.
func Collect[T any](ctx context.Context, q Querier, scan func(Row) (T, error), sql string, args ...any) ([]T, error) {
	all := []T{}
	err := Each(ctx, q, func(row Row) error {
		one, err := scan(row)
		all = append(all, one)
		return err
	}, sql, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Each calls f for every row of a query, holding one row at a time.
func Each(ctx context.Context, q Querier, f func(Row) error, sql string, args ...any) error {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// IDs writes ids as the one JSON parameter that a set of them is passed by:
//
//	WHERE id IN (SELECT uuid(key) FROM json_each($1))
func IDs[T any](ids []id.Of[T]) string {
	set := make(map[id.Of[T]]struct{}, len(ids))
	for _, one := range ids {
		set[one] = struct{}{}
	}
	return object(set)
}

// Texts writes texts as the one JSON parameter that a set of them is passed by:
//
//	WHERE name IN (SELECT key FROM json_each($1))
func Texts(texts []string) string {
	set := make(map[string]struct{}, len(texts))
	for _, one := range texts {
		set[one] = struct{}{}
	}
	return object(set)
}

func object[K comparable](set map[K]struct{}) string {
	text, err := json.Marshal(set)
	if err != nil {
		panic("a set of texts is always JSON: " + err.Error())
	}
	return string(text)
}

// Column scans a row of one column, for Collect.
func Column[T any](row Row) (T, error) {
	var value T
	err := row.Scan(&value)
	return value, err
}
