package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
	"modernc.org/sqlite"
)

// uuid(text) is a cast on PostgreSQL; here it makes the blob that ids are kept
// as, so that the same text selects by a set of ids on both engines.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("uuid", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		text, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("uuid: want text, got %T", args[0])
		}
		u, err := uuid.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("uuid: %w", err)
		}
		return u[:], nil
	})
}

type lite struct {
	writer, readers *sql.DB
	// turn holds one place: SQLite has one writer at a time, and waiting here is
	// fair and ends with the caller's context, which SQLite's own lock does not.
	turn chan struct{}
	lock *flock.Flock
}

func openSQLite(ctx context.Context, address string, opts Options) (*lite, error) {
	path, query, _ := strings.Cut(address, "?")
	params, err := url.ParseQuery(query)
	if err != nil || path == "" {
		return nil, fmt.Errorf("SQLite address must be sqlite://path/to/file")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("folder of the database: %w", err)
	}
	l := &lite{turn: make(chan struct{}, 1)}
	if !opts.Shared {
		if err := l.acquireFile(path); err != nil {
			return nil, err
		}
	}
	synchronous := "FULL"
	if s := params.Get("synchronous"); s != "" {
		synchronous = s
	}
	pragmas := url.Values{"_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")",
		"foreign_keys(ON)", "temp_store(MEMORY)", "cache_size(-16000)",
	}}
	l.writer, err = openFile(path, pragmas, url.Values{"_txlock": {"immediate"}})
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.writer.SetMaxOpenConns(1)
	l.writer.SetMaxIdleConns(1)
	// The writer creates the file and turns the journal on; only then can the
	// readers open it.
	if err := l.writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, mapError(err)), l.close())
	}
	pragmas["_pragma"] = append(pragmas["_pragma"], "query_only(ON)")
	l.readers, err = openFile(path, pragmas, nil)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	readers := max(4, 2*runtime.NumCPU())
	l.readers.SetMaxOpenConns(readers)
	l.readers.SetMaxIdleConns(readers)
	return l, nil
}

func openFile(path string, values ...url.Values) (*sql.DB, error) {
	dsn := url.Values{}
	for _, v := range values {
		for key, all := range v {
			dsn[key] = append(dsn[key], all...)
		}
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+dsn.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return db, nil
}

// acquireFile keeps a second server off the file: it would see neither the
// queue of writers nor the caches of the first.
func (l *lite) acquireFile(path string) error {
	l.lock = flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		l.lock = nil
		return fmt.Errorf("another ujumbe process is using %s; stop it first, or give this one another UJUMBE_DATA_DIR", path)
	}
	return nil
}

func (l *lite) close() error {
	var all []error
	for _, db := range []*sql.DB{l.readers, l.writer} {
		if db != nil {
			all = append(all, db.Close())
		}
	}
	if l.lock != nil {
		all = append(all, l.lock.Unlock())
	}
	return errors.Join(all...)
}

func (l *lite) ping(ctx context.Context) error { return mapError(l.readers.PingContext(ctx)) }

func (l *lite) stats() Stats {
	s := l.readers.Stats()
	return Stats{
		Open: s.OpenConnections + 1, InUse: s.InUse + len(l.turn), Idle: s.Idle, Max: s.MaxOpenConnections + 1,
		WaitCount: s.WaitCount, WaitDuration: s.WaitDuration,
	}
}

func (*lite) Engine() Engine { return SQLite }

func (l *lite) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	return liteQuery(ctx, l.readers, text, args)
}

func (l *lite) QueryRow(ctx context.Context, text string, args ...any) Row {
	return liteRow{l.readers.QueryRowContext(ctx, text, args...)}
}

func (l *lite) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	tx, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	n, err := tx.Exec(ctx, text, args...)
	if err != nil {
		tx.rollback(ctx)
		return 0, err
	}
	return n, tx.commit(ctx)
}

func (l *lite) begin(ctx context.Context) (backendTx, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, mapError(ctx.Err())
	}
	tx, err := l.writer.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		<-l.turn
		return nil, mapError(err)
	}
	return &liteTx{tx: tx, turn: l.turn}, nil
}

// liteTx runs its statements to their end: on the writer's one connection a
// cancelled statement would cost everyone the connection. A caller who has gone
// away is noticed between statements.
type liteTx struct {
	tx   *sql.Tx
	turn chan struct{}
}

func (*liteTx) Engine() Engine { return SQLite }

func (t *liteTx) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, mapError(err)
	}
	result, err := t.tx.ExecContext(context.WithoutCancel(ctx), text, args...)
	if err != nil {
		return 0, mapError(err)
	}
	n, err := result.RowsAffected()
	return n, mapError(err)
}

func (t *liteTx) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, mapError(err)
	}
	return liteQuery(context.WithoutCancel(ctx), t.tx, text, args)
}

func (t *liteTx) QueryRow(ctx context.Context, text string, args ...any) Row {
	if err := ctx.Err(); err != nil {
		return failedRow{mapError(err)}
	}
	return liteRow{t.tx.QueryRowContext(context.WithoutCancel(ctx), text, args...)}
}

// copyBatch is how many parameters one insert carries at most.
const copyBatch = 2000

func (t *liteTx) Copy(ctx context.Context, table string, columns []string, rows [][]any) (int64, error) {
	perInsert := max(1, copyBatch/len(columns))
	args := make([]any, 0, perInsert*len(columns))
	var total int64
	for start := 0; start < len(rows); start += perInsert {
		batch := rows[start:min(start+perInsert, len(rows))]
		args = args[:0]
		for _, row := range batch {
			args = append(args, row...)
		}
		n, err := t.Exec(ctx, insertText(table, columns, len(batch)), args...)
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}

func insertText(table string, columns []string, rows int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT INTO %s (%s) VALUES ", table, strings.Join(columns, ", "))
	tuple := "(" + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + ")"
	b.WriteString(strings.TrimSuffix(strings.Repeat(tuple+",", rows), ","))
	return b.String()
}

func (t *liteTx) commit(context.Context) error {
	defer func() { <-t.turn }()
	err := t.tx.Commit()
	if err != nil {
		// A failed COMMIT (disk full, say) may leave the transaction open.
		_ = t.tx.Rollback()
	}
	return mapError(err)
}

func (t *liteTx) rollback(context.Context) {
	defer func() { <-t.turn }()
	_ = t.tx.Rollback()
}

type liteQuerier interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

func liteQuery(ctx context.Context, on liteQuerier, text string, args []any) (Rows, error) {
	rows, err := on.QueryContext(ctx, text, args...) //nolint:rowserrcheck // Err is the caller's to ask, through liteRows
	if err != nil {
		return nil, mapError(err)
	}
	return liteRows{rows}, nil
}

type liteRow struct{ row *sql.Row }

func (r liteRow) Scan(dest ...any) error { return mapError(r.row.Scan(dest...)) }

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

type liteRows struct{ rows *sql.Rows }

func (r liteRows) Next() bool             { return r.rows.Next() }
func (r liteRows) Scan(dest ...any) error { return mapError(r.rows.Scan(dest...)) }
func (r liteRows) Err() error             { return mapError(r.rows.Err()) }
func (r liteRows) Close()                 { _ = r.rows.Close() }
