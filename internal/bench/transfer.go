package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the engine's bare driver
)

// What another product of the field does on two cores, in rows a second, and
// what this one promises.
const (
	rivalImport  = 6_300
	rivalExport  = 138_000
	importRoom   = 96 << 20
	exportRoom   = 32 << 20
	firstByte    = 100 * time.Millisecond
	readMeantime = 20 * time.Millisecond
	waitMeantime = 250 * time.Millisecond
)

// measureTransfers measures imports and exports. For the largest size they are
// compared, by turns, with the engine's own bulk ways of the same rows.
func (b *bench) measureTransfers(ctx context.Context, n *node, o organization, size int) error {
	grow := func(path string, u unit, figure float64) { b.growth.add(path, b.engine.name, size, u.format(figure)) }
	grow("import of CSV", rowsPerSecond, float64(size)/o.imported.Seconds())
	if size == b.sizes.largest() {
		if err := b.compareBulk(ctx, n, o, size); err != nil {
			return err
		}
	}
	sent, err := n.export(ctx, o.email)
	if err != nil {
		return err
	}
	grow("export of CSV", rowsPerSecond, float64(size)/sent.took.Seconds())
	rows := min(b.rows, size)
	csv, xlsx, bulk, err := b.otherImports(ctx, n, rows)
	if err != nil {
		return err
	}
	rate := func(took time.Duration) float64 { return float64(rows) / took.Seconds() }
	for _, promise := range []struct {
		path    string
		unit    unit
		figure  float64
		against string
		limit   float64
	}{
		{"import of CSV: memory above idle", mebibytes, mib(o.peak), "promised", mib(importRoom)},
		{"import of CSV: others read meanwhile, p99", milliseconds, ms(o.others.reads.at(0.99)), "promised for SQLite", ms(readMeantime)},
		{"import of CSV: others write meanwhile, slowest", milliseconds, ms(o.others.writes.at(1)), "promised for SQLite", ms(waitMeantime)},
		{"export of CSV: first byte", milliseconds, ms(sent.first), "promised", ms(firstByte)},
		{"export of CSV: memory above idle", mebibytes, mib(sent.peak), "promised", mib(exportRoom)},
		{"import of XLSX", rowsPerSecond, rate(xlsx), "import of the same rows as CSV", rate(csv)},
		{"import of bulk JSON", rowsPerSecond, rate(bulk), "import of the same rows as CSV", rate(csv)},
	} {
		grow(promise.path, promise.unit, promise.figure)
		if size == b.sizes.largest() {
			b.table.add(row{promise.path, b.engine.name, promise.unit, promise.figure, promise.against, promise.limit})
		}
	}
	return nil
}

// compareBulk compares imports and exports with the engine's own bulk ways.
func (b *bench) compareBulk(ctx context.Context, n *node, o organization, size int) error {
	open, into, from := openPostgresLimits, "bare COPY into a table with the same indexes", "bare COPY TO"
	if b.engine.server == "" {
		open, into, from = openSQLiteLimits, "bare prepared inserts into a table with the same indexes", "bare SELECT of the same columns"
	}
	limits, err := open(ctx, n.database, b.dir)
	if err != nil {
		return err
	}
	defer limits.close()
	turn := 0
	loads, err := inTurns(longTurns, limits.load, func() (float64, error) {
		turn++
		took, err := n.importAgain(ctx, turn, size)
		return float64(size) / took.Seconds(), err
	})
	if err != nil {
		return err
	}
	b.table.add(row{"import of CSV, others beside", b.engine.name, rowsPerSecond, loads[1], into, loads[0]})
	b.table.add(row{"", b.engine.name, rowsPerSecond, loads[1], "rival product on PostgreSQL, two cores", rivalImport})
	dumps, err := inTurns(turns, limits.dump, func() (float64, error) {
		sent, err := n.export(ctx, o.email)
		return float64(size) / sent.took.Seconds(), err
	})
	if err != nil {
		return err
	}
	b.table.add(row{"export of CSV", b.engine.name, rowsPerSecond, dumps[1], from, dumps[0]})
	b.table.add(row{"", b.engine.name, rowsPerSecond, dumps[1], "rival product, two cores", rivalExport})
	return nil
}

// importAgain imports all contacts into another organization.
func (n *node) importAgain(ctx context.Context, turn, size int) (time.Duration, error) {
	tokens, err := n.Customer(ctx, fmt.Sprintf("again%d@example.com", turn))
	if err != nil {
		return 0, err
	}
	neighbour, err := n.signIn(ctx, smallCustomer)
	if err != nil {
		return 0, err
	}
	others, err := n.startOthers(ctx, neighbour, turn)
	if err != nil {
		return 0, err
	}
	took, err := n.importCSV(ctx, tokens.Access, 0, size, "")
	return took, errors.Join(err, others.stop())
}

// exportTimes is how an export went.
type exportTimes struct {
	first, took time.Duration
	peak        int64 // memory above idle meanwhile
}

// export downloads all contacts of a customer from a server just started.
func (n *node) export(ctx context.Context, email string) (exportTimes, error) {
	access, err := n.signIn(ctx, email)
	if err != nil {
		return exportTimes{}, err
	}
	n.Kill() // for an honest peak of memory
	if _, err := n.restart(ctx); err != nil {
		return exportTimes{}, err
	}
	idle := n.Memory()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, n.URL+"/api/v1/contacts/export", http.NoBody)
	if err != nil {
		return exportTimes{}, err
	}
	r.Header.Set("Authorization", "Bearer "+access)
	began := time.Now()
	response, err := newClient(1).Do(r)
	if err != nil {
		return exportTimes{}, fmt.Errorf("export: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return exportTimes{}, fmt.Errorf("export: %d", response.StatusCode)
	}
	if _, err := io.CopyN(io.Discard, response.Body, 1); err != nil {
		return exportTimes{}, fmt.Errorf("export: %w", err)
	}
	first := time.Since(began)
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return exportTimes{}, fmt.Errorf("export: %w", err)
	}
	return exportTimes{first, time.Since(began), n.PeakMemory() - idle}, nil
}

// otherImports returns how long the same rows take in each form, by turns and in
// organizations of their own.
func (b *bench) otherImports(ctx context.Context, n *node, rows int) (csv, xlsx, bulk time.Duration, err error) {
	table, err := csvFile(0, rows)
	if err != nil {
		return 0, 0, 0, err
	}
	workbook, err := xlsxFile(0, rows)
	if err != nil {
		return 0, 0, 0, err
	}
	body := bulkBody(0, rows)
	type form struct {
		name   string
		took   *time.Duration
		upload func(access string) error
	}
	forms := []form{
		{"csv", &csv, func(access string) error { return n.upload(ctx, access, "people.csv", table, "", rows) }},
		{"xlsx", &xlsx, func(access string) error { return n.upload(ctx, access, "people.xlsx", workbook, "", rows) }},
		{"bulk", &bulk, func(access string) error {
			return storedAll(n.Call(ctx, http.MethodPost, "/api/v1/contacts/bulk", access, body), rows)
		}},
	}
	for turn := range turns {
		for _, form := range forms {
			tokens, err := n.Customer(ctx, fmt.Sprintf("%s%d@example.com", form.name, turn))
			if err != nil {
				return 0, 0, 0, err
			}
			began := time.Now()
			if err := form.upload(tokens.Access); err != nil {
				return 0, 0, 0, err
			}
			*form.took += time.Since(began) / turns
		}
	}
	return csv, xlsx, bulk, nil
}

// ofLarge are the contacts of the large organization, oldest first, as they were
// imported.
const ofLarge = ` FROM contact WHERE account_id = (SELECT account_id FROM membership m JOIN users u ON u.id = m.user_id WHERE u.email_key = 'large@example.com') ORDER BY id`

const exported = `SELECT first_name, last_name, phone, email, tags, notes`

// bulkLimits are the engine's own bulk ways, in rows a second.
type bulkLimits struct {
	load, dump func() (float64, error)
	close      func()
}

// openPostgresLimits copies the contacts of the large organization out in binary
// form. Load copies them back in to a table like theirs, dump out as CSV.
func openPostgresLimits(ctx context.Context, address, dir string) (bulkLimits, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return bulkLimits{}, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	file, err := os.CreateTemp(dir, "copy-")
	if err != nil {
		return bulkLimits{}, errors.Join(fmt.Errorf("file of rows: %w", err), conn.Close(ctx))
	}
	limits := bulkLimits{close: func() {
		_ = conn.Close(context.WithoutCancel(ctx))
		_ = file.Close()
		_ = os.Remove(file.Name())
	}}
	if _, err := conn.PgConn().CopyTo(ctx, file, `COPY (SELECT *`+ofLarge+`) TO STDOUT (FORMAT binary)`); err != nil {
		limits.close()
		return bulkLimits{}, fmt.Errorf("copy out: %w", err)
	}
	limits.load = func() (float64, error) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return 0, fmt.Errorf("file of rows: %w", err)
		}
		if _, err := conn.Exec(ctx, `CREATE TABLE bare_contact (LIKE contact INCLUDING ALL)`); err != nil {
			return 0, fmt.Errorf("make a table: %w", err)
		}
		began := time.Now()
		tag, err := conn.PgConn().CopyFrom(ctx, file, `COPY bare_contact FROM STDIN (FORMAT binary)`)
		if err != nil {
			return 0, fmt.Errorf("copy in: %w", err)
		}
		took := time.Since(began)
		if _, err := conn.Exec(ctx, `DROP TABLE bare_contact`); err != nil {
			return 0, fmt.Errorf("drop a table: %w", err)
		}
		return float64(tag.RowsAffected()) / took.Seconds(), nil
	}
	limits.dump = func() (float64, error) {
		began := time.Now()
		tag, err := conn.PgConn().CopyTo(ctx, io.Discard, `COPY (`+exported+ofLarge+`) TO STDOUT (FORMAT csv)`)
		if err != nil {
			return 0, fmt.Errorf("copy out: %w", err)
		}
		return float64(tag.RowsAffected()) / time.Since(began).Seconds(), nil
	}
	return limits, nil
}

// liteBatch is how many rows are held in memory between reading and inserting.
const liteBatch = 10_000

// openSQLiteLimits opens the database beside its server. Load inserts the
// contacts of the large organization, row by row with one prepared statement in
// one transaction, into another file with a table like theirs; reading them is not
// counted. Dump reads the exported columns.
func openSQLiteLimits(ctx context.Context, address, dir string) (bulkLimits, error) {
	source, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(address, "sqlite://")+"?_pragma=query_only(ON)&_pragma=busy_timeout(5000)")
	if err != nil {
		return bulkLimits{}, fmt.Errorf("open SQLite: %w", err)
	}
	return bulkLimits{
		load: func() (float64, error) { return loadSQLite(ctx, source, filepath.Join(dir, "bare.db")) },
		dump: func() (float64, error) {
			began := time.Now()
			read, err := scanAll(ctx, source, exported+ofLarge, func([]any) error { return nil })
			return float64(read) / time.Since(began).Seconds(), err
		},
		close: func() { _ = source.Close() },
	}, nil
}

func loadSQLite(ctx context.Context, source *sql.DB, path string) (float64, error) {
	target, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-16000)")
	if err != nil {
		return 0, fmt.Errorf("open SQLite: %w", err)
	}
	defer func() {
		_ = target.Close()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(path + suffix)
		}
	}()
	target.SetMaxOpenConns(1)
	if err := copySchema(ctx, source, target); err != nil {
		return 0, err
	}
	return insertAll(ctx, source, target)
}

func copySchema(ctx context.Context, source, target *sql.DB) error {
	var statements []string
	_, err := scanAll(ctx, source, `SELECT sql FROM sqlite_master WHERE tbl_name = 'contact' AND sql IS NOT NULL ORDER BY type DESC`, func(row []any) error {
		statements = append(statements, fmt.Sprint(row[0]))
		return nil
	})
	for _, statement := range statements {
		if _, failure := target.ExecContext(ctx, statement); failure != nil {
			return fmt.Errorf("%s: %w", statement, failure)
		}
	}
	return err
}

func insertAll(ctx context.Context, source, target *sql.DB) (float64, error) {
	tx, err := target.BeginTx(ctx, nil)
	if err != nil {
		return 0, fmt.Errorf("insert: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	var columns int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM pragma_table_info('contact')`).Scan(&columns); err != nil {
		return 0, fmt.Errorf("columns: %w", err)
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO contact VALUES (?`+strings.Repeat(",?", columns-1)+`)`)
	if err != nil {
		return 0, fmt.Errorf("insert: %w", err)
	}
	defer insert.Close()
	var (
		took  time.Duration
		batch [][]any
	)
	flush := func() error {
		began := time.Now()
		for _, row := range batch {
			if _, err := insert.ExecContext(ctx, row...); err != nil {
				return fmt.Errorf("insert: %w", err)
			}
		}
		took += time.Since(began)
		batch = batch[:0]
		return nil
	}
	rows, err := scanAll(ctx, source, `SELECT *`+ofLarge, func(row []any) error {
		if batch = append(batch, row); len(batch) == liteBatch {
			return flush()
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if rows == 0 {
		return 0, errors.New("there are no contacts to insert")
	}
	if err := flush(); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := tx.Commit(); err != nil {
		return 0, fmt.Errorf("insert: %w", err)
	}
	took += time.Since(began)
	return float64(rows) / took.Seconds(), nil
}

// scanAll calls f with every row of a query, each a slice of its own.
func scanAll(ctx context.Context, db *sql.DB, query string, f func(row []any) error) (int, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	count := 0
	for ; rows.Next(); count++ {
		row, places := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			places[i] = &row[i]
		}
		if err := rows.Scan(places...); err != nil {
			return 0, fmt.Errorf("read: %w", err)
		}
		for i, value := range row {
			row[i] = kept(value)
		}
		if err := f(row); err != nil {
			return 0, err
		}
	}
	return count, rows.Err()
}

// kept copies what the driver may overwrite.
func kept(value any) any {
	if b, ok := value.([]byte); ok {
		return bytes.Clone(b)
	}
	return value
}
