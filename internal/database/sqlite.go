package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
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
	writes, reads   *statements
	// turn holds one place: SQLite has one writer at a time, and waiting here is
	// fair and ends with the caller's context, which SQLite's own lock does not.
	turn chan struct{}
	lock *flock.Flock
	// log is kept short for as long as the database is open.
	log *checkpointer
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
	if err := keepPrivate(path); err != nil {
		return nil, errors.Join(err, l.close())
	}
	synchronous := "FULL"
	if s := params.Get("synchronous"); s != "" {
		synchronous = s
	}
	// The driver runs them in an order of its own, so none may be there twice.
	pragmas := url.Values{"_pragma": {
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")",
		"foreign_keys(ON)", "temp_store(MEMORY)", autoCheckpoint, "journal_size_limit(" + strconv.Itoa(logShort) + ")",
	}}
	// The writer changes pages all over the indexes and should not have to read
	// them each time.
	l.writer, err = openFile(path, pragmas, url.Values{"_txlock": {"immediate"}, "_pragma": {"cache_size(-24000)"}})
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.writer.SetMaxOpenConns(1)
	l.writer.SetMaxIdleConns(1)
	l.writes = newStatements(l.writer)
	// The writer creates the file and turns the journal on; only then can the
	// readers open it.
	if err := l.writer.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, mapError(err)), l.close())
	}
	l.readers, err = openFile(path, pragmas, url.Values{"_pragma": {"query_only(ON)", "cache_size(-4000)"}})
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	readers := max(4, 2*runtime.NumCPU())
	l.readers.SetMaxOpenConns(readers)
	l.readers.SetMaxIdleConns(readers)
	l.reads = newStatements(l.readers)
	if !opts.Shared {
		if l.log, err = startCheckpointer(path, pragmas, l.turn); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
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

// private is the mode of files with all that the database knows, the secrets of
// the signing keys among it.
const private fs.FileMode = 0o600

// keepPrivate creates a missing database as a file of the owner's alone, and
// makes one that everybody could read such a file. The files that SQLite puts
// beside it take after it. An existing one is not opened: closing it again would
// take the locks away that this process may hold on it.
func keepPrivate(path string) error {
	err := createPrivate(path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("file of the database: %w", err)
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm()&0o007 == 0 {
			continue
		}
		if err := os.Chmod(file, private); err != nil {
			slog.Warn("everybody on this machine can read the database; make its file the owner's alone", "file", file, "error", err)
		}
	}
	return nil
}

// createPrivate makes an empty file, or fails with fs.ErrExist.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return err
	}
	return file.Close()
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
	if l.log != nil {
		all = append(all, l.log.stop())
	}
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

func (l *lite) backup(ctx context.Context, file string) error {
	err := createPrivate(file)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; name a new file", file)
	}
	if err != nil {
		return fmt.Errorf("file of the copy: %w", err)
	}
	if _, err := l.writer.ExecContext(ctx, `VACUUM INTO $1`, file); err != nil {
		return errors.Join(fmt.Errorf("copy the database: %w", mapError(err)), os.Remove(file))
	}
	return nil
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
	statement := l.reads.get(ctx, text)
	if statement == nil {
		return newLiteRows(l.readers.QueryContext(ctx, text, args...))
	}
	defer l.reads.release(statement)
	return newLiteRows(statement.QueryContext(ctx, args...))
}

func (l *lite) QueryRow(ctx context.Context, text string, args ...any) Row {
	statement := l.reads.get(ctx, text)
	if statement == nil {
		return liteRow{l.readers.QueryRowContext(ctx, text, args...)}
	}
	defer l.reads.release(statement)
	return liteRow{statement.QueryRowContext(ctx, args...)}
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
	ctx = context.WithoutCancel(ctx)
	l.writes.prepareWanted(ctx)
	tx, err := l.writer.BeginTx(ctx, nil)
	if err != nil {
		<-l.turn
		return nil, mapError(err)
	}
	return &liteTx{lite: l, tx: tx}, nil
}

// liteTx runs its statements to their end: on the writer's one connection a
// cancelled statement would cost everyone the connection. A caller who has gone
// away is noticed between statements.
type liteTx struct {
	*lite
	tx *sql.Tx
}

func (t *liteTx) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, mapError(err)
	}
	ctx = context.WithoutCancel(ctx)
	run := func() (sql.Result, error) { return t.tx.ExecContext(ctx, text, args...) }
	if statement := t.writes.getLater(text); statement != nil {
		defer t.writes.release(statement)
		run = func() (sql.Result, error) { return t.tx.StmtContext(ctx, statement.Stmt).ExecContext(ctx, args...) }
	}
	result, err := run()
	if err != nil {
		return 0, mapError(err)
	}
	n, err := result.RowsAffected()
	return n, mapError(err)
}

func (t *liteTx) Queue(ctx context.Context, text string, args ...any) error {
	_, err := t.Exec(ctx, text, args...)
	return err
}

func (t *liteTx) Query(ctx context.Context, text string, args ...any) (Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, mapError(err)
	}
	// Not a prepared one: while its rows are read, the same text may be run again.
	return newLiteRows(t.tx.QueryContext(context.WithoutCancel(ctx), text, args...))
}

func (t *liteTx) QueryRow(ctx context.Context, text string, args ...any) Row {
	if err := ctx.Err(); err != nil {
		return failedRow{mapError(err)}
	}
	ctx = context.WithoutCancel(ctx)
	if statement := t.writes.getLater(text); statement != nil {
		defer t.writes.release(statement)
		return liteRow{t.tx.StmtContext(ctx, statement.Stmt).QueryRowContext(ctx, args...)}
	}
	return liteRow{t.tx.QueryRowContext(ctx, text, args...)}
}

// copyBatch is how many parameters one insert carries at most.
const copyBatch = 2000

func (t *liteTx) Copy(ctx context.Context, table string, columns []string, rows [][]any) (int64, error) {
	perInsert := min(len(rows), max(1, copyBatch/len(columns)))
	whole := len(rows) / max(1, perInsert) * perInsert
	if err := t.insert(ctx, table, columns, rows[:whole], perInsert); err != nil {
		return 0, err
	}
	if err := t.insert(ctx, table, columns, rows[whole:], len(rows)-whole); err != nil {
		return 0, err
	}
	return int64(len(rows)), nil
}

// insert adds rows, so many at a time, by one prepared statement.
func (t *liteTx) insert(ctx context.Context, table string, columns []string, rows [][]any, atOnce int) error {
	if len(rows) == 0 {
		return nil
	}
	statement, err := t.tx.PrepareContext(context.WithoutCancel(ctx), insertText(table, columns, atOnce))
	if err != nil {
		return mapError(err)
	}
	defer func() { _ = statement.Close() }()
	args := make([]any, 0, atOnce*len(columns))
	for batch := range slices.Chunk(rows, atOnce) {
		if err := ctx.Err(); err != nil {
			return mapError(err)
		}
		args = args[:0]
		for _, row := range batch {
			args = append(args, row...)
		}
		if _, err := statement.ExecContext(context.WithoutCancel(ctx), args...); err != nil {
			return mapError(err)
		}
	}
	return nil
}

// insertText stops at a row that is in the way and leaves those before it to the
// end of the transaction, as PostgreSQL does. To take them back itself, SQLite
// would have to keep a copy of every page it changes.
func insertText(table string, columns []string, rows int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "INSERT OR FAIL INTO %s (%s) VALUES ", table, strings.Join(columns, ", "))
	tuple := "(" + strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",") + ")"
	b.WriteString(strings.TrimSuffix(strings.Repeat(tuple+",", rows), ","))
	return b.String()
}

func (t *liteTx) commit(context.Context) error {
	defer func() { <-t.turn }()
	err := t.tx.Commit()
	if err == nil && t.log != nil {
		t.log.wrote()
	}
	return mapError(err)
}

func (t *liteTx) rollback(context.Context) {
	defer func() { <-t.turn }()
	_ = t.tx.Rollback()
}

type liteRow struct{ row *sql.Row }

func (r liteRow) Scan(dest ...any) error { return mapError(r.row.Scan(dest...)) }

type failedRow struct{ err error }

func (r failedRow) Scan(...any) error { return r.err }

type liteRows struct{ rows *sql.Rows }

func newLiteRows(rows *sql.Rows, err error) (Rows, error) {
	if err != nil {
		return nil, mapError(err)
	}
	return liteRows{rows}, nil
}

func (r liteRows) Next() bool             { return r.rows.Next() }
func (r liteRows) Scan(dest ...any) error { return mapError(r.rows.Scan(dest...)) }
func (r liteRows) Err() error             { return mapError(r.rows.Err()) }
func (r liteRows) Close()                 { _ = r.rows.Close() }
