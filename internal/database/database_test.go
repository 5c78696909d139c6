package database_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
)

type thing struct{}

func putCounter(ctx context.Context, q database.Querier, key id.Of[thing], count int64) error {
	_, err := q.Exec(ctx, `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, $2, $3)`, key[:], count, clock.Time(1))
	return err
}

func countCounters(t *testing.T, db *database.DB) int {
	t.Helper()
	var n int
	if err := db.QueryRow(t.Context(), `SELECT COUNT(*) FROM rate_limit`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestValuesSurviveTheRoundTrip(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		account, now := id.New[thing](), clock.System{}.Now()
		_, err := db.Exec(t.Context(), `INSERT INTO account (id, name, type, status, country, timezone, billing_account_id, created_at, updated_at)
			VALUES ($1, $2, 'direct', 'active', 'KE', 'Africa/Nairobi', $1, $3, $3)`, account, "Ünïcode ' \" % _", now)
		if err != nil {
			t.Fatal(err)
		}
		var (
			gotID   id.Of[thing]
			name    string
			created clock.Time
			city    *string
			noID    *id.Of[thing]
		)
		row := db.QueryRow(t.Context(), `SELECT a.id, a.name, a.created_at, a.city, m.user_id
			FROM account a LEFT JOIN membership m ON m.account_id = a.id WHERE a.id IN (SELECT uuid(key) FROM json_each($1))`,
			database.IDs([]id.Of[thing]{account, id.New[thing]()}))
		if err := row.Scan(&gotID, &name, &created, &city, &noID); err != nil {
			t.Fatal(err)
		}
		if gotID != account || name != "Ünïcode ' \" % _" || created != now || city != nil || noID != nil {
			t.Errorf("got %v %q %v %v %v", gotID, name, created, city, noID)
		}
	})
}

func TestErrorsHaveTheSameNamesOnBothEngines(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		key := id.New[thing]()
		if err := putCounter(t.Context(), db, key, 1); err != nil {
			t.Fatal(err)
		}
		if err := putCounter(t.Context(), db, key, 2); !errors.Is(err, database.ErrUnique) {
			t.Errorf("second insert of a key: got %v, want ErrUnique", err)
		}
		var n int
		err := db.QueryRow(t.Context(), `SELECT count FROM rate_limit WHERE key = $1`, []byte("none")).Scan(&n)
		if !errors.Is(err, database.ErrNoRows) {
			t.Errorf("no row: got %v, want ErrNoRows", err)
		}
	})
}

func TestTransactionIsAllOrNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		stop := errors.New("stop")
		hooks := 0
		write := func(result error) error {
			return db.InTx(t.Context(), func(tx database.Tx) error {
				tx.OnCommit(func() { hooks++ })
				if err := putCounter(t.Context(), tx, id.New[thing](), 1); err != nil {
					return err
				}
				return result
			})
		}
		if err := write(stop); !errors.Is(err, stop) {
			t.Fatalf("got %v", err)
		}
		if n := countCounters(t, db); n != 0 || hooks != 0 {
			t.Errorf("after a rollback: %d rows, %d hooks run", n, hooks)
		}
		if err := write(nil); err != nil {
			t.Fatal(err)
		}
		if n := countCounters(t, db); n != 1 || hooks != 1 {
			t.Errorf("after a commit: %d rows, %d hooks run", n, hooks)
		}
	})
}

func TestQueuedStatementsTakeEffectInTheirOrder(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx, key := t.Context(), id.New[thing]()
		add := func(tx database.Tx, n int) error {
			return tx.Queue(ctx, `UPDATE rate_limit SET count = count * 10 + $2 WHERE key = $1`, key[:], n)
		}
		read := func(q database.Querier) (n int, err error) {
			err = q.QueryRow(ctx, `SELECT count FROM rate_limit WHERE key = $1`, key[:]).Scan(&n)
			return n, err
		}
		var seen []int
		see := func(n int, err error) error {
			seen = append(seen, n)
			return err
		}
		steps := []func(tx database.Tx) error{
			func(tx database.Tx) error { return putCounter(ctx, tx, key, 0) },
			func(tx database.Tx) error { return add(tx, 1) },
			func(tx database.Tx) error { return see(read(tx)) },
			func(tx database.Tx) error { return see(read(tx)) }, // with nothing queued
			func(tx database.Tx) error { return add(tx, 2) },
			func(tx database.Tx) error { return add(tx, 3) },
			func(tx database.Tx) error {
				all, err := database.Collect(ctx, tx, database.Column[int], `SELECT count FROM rate_limit`)
				return see(all[0], err)
			},
			func(tx database.Tx) error { return add(tx, 4) },
			func(tx database.Tx) error {
				n, err := tx.Exec(ctx, `UPDATE rate_limit SET count = count + 1 WHERE count = 1234`)
				return see(int(n), err)
			},
			func(tx database.Tx) error { return add(tx, 6) },
			func(tx database.Tx) error {
				n, err := tx.Copy(ctx, "rate_limit", []string{"key", "count", "reset_at"}, [][]any{{[]byte("other"), 1, 1}})
				return see(int(n), err)
			},
			func(tx database.Tx) error { return add(tx, 7) },
		}
		err := db.InTx(ctx, func(tx database.Tx) error {
			for i, step := range steps {
				if err := step(tx); err != nil {
					return fmt.Errorf("step %d: %w", i, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 1, 123, 1, 1}; !slices.Equal(seen, want) {
			t.Errorf("saw %v, want %v", seen, want)
		}
		if n, err := read(db); n != 1235_67 || err != nil {
			t.Errorf("in the end %d, %v", n, err)
		}
	})
}

func TestQueuedStatementThatFailsUndoesItsTransaction(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx, key := t.Context(), id.New[thing]()
		queueTwice := func(tx database.Tx) error {
			const insert = `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, 1)`
			return errors.Join(tx.Queue(ctx, insert, key[:]), tx.Queue(ctx, insert, key[:]))
		}
		for name, then := range map[string]func(database.Tx) error{
			"commit":   func(database.Tx) error { return nil },
			"exec":     func(tx database.Tx) error { return putCounter(ctx, tx, id.New[thing](), 1) },
			"one row":  func(tx database.Tx) error { return tx.QueryRow(ctx, `SELECT 1`).Scan(new(int)) },
			"all rows": func(tx database.Tx) error { _, err := tx.Query(ctx, `SELECT 1`); return err },
			"copy":     func(tx database.Tx) error { _, err := tx.Copy(ctx, "rate_limit", []string{"key"}, nil); return err },
		} {
			err := db.InTx(ctx, func(tx database.Tx) error {
				if err := queueTwice(tx); err != nil {
					return err
				}
				return then(tx)
			})
			if !errors.Is(err, database.ErrUnique) {
				t.Errorf("%s: %v, want ErrUnique", name, err)
			}
			if n := countCounters(t, db); n != 0 {
				t.Fatalf("%s: %d rows were kept", name, n)
			}
		}
		stop := errors.New("no")
		if err := db.InTx(ctx, func(tx database.Tx) error { return errors.Join(queueTwice(tx), stop) }); !errors.Is(err, stop) {
			t.Errorf("given up: %v", err)
		}
		if err := db.InTx(ctx, func(database.Tx) error { return nil }); err != nil {
			t.Errorf("nothing to do: %v", err)
		}
		if busy := db.Stats().InUse; busy != 0 || countCounters(t, db) != 0 {
			t.Errorf("%d connections were not given back", busy)
		}
	})
}

// Whoever goes on after an error must not write outside the transaction.
func TestNothingIsWrittenOnceTheFirstStatementHasFailed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		put := func(tx database.Tx) error { return putCounter(ctx, tx, id.New[thing](), 1) }
		for name, then := range map[string]func(database.Tx) error{
			"exec": put,
			"queue": func(tx database.Tx) error {
				return tx.Queue(ctx, `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, 1)`, []byte(rand.Text()))
			},
			"row": func(tx database.Tx) error {
				return tx.QueryRow(ctx, `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, 1) RETURNING count`, []byte(rand.Text())).Scan(new(int))
			},
			"rows": func(tx database.Tx) error {
				_, err := database.Collect(ctx, tx, database.Column[int], `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, 1) RETURNING count`, []byte(rand.Text()))
				return err
			},
			"copy": func(tx database.Tx) error {
				_, err := tx.Copy(ctx, "rate_limit", []string{"key", "count", "reset_at"}, [][]any{{[]byte(rand.Text()), 1, 1}})
				return err
			},
		} {
			stop := errors.New("stop")
			for _, end := range []error{nil, stop} {
				err := db.InTx(ctx, func(tx database.Tx) error {
					if _, err := tx.Exec(ctx, `UPDATE no_such_table SET x = 1`); err == nil {
						t.Error("there is such a table")
					}
					_ = then(tx)
					return end
				})
				// SQLite's transaction goes on after a failed statement.
				n := countCounters(t, db)
				if db.Engine() == database.Postgres && (err == nil || n != 0) || end != nil && n != 0 {
					t.Errorf("%s, then %v: %v, %d rows written", name, end, err, n)
				}
				if _, err := db.Exec(ctx, `DELETE FROM rate_limit`); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestConcurrentIncrementsAreAllCounted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		key := id.New[thing]()
		if err := putCounter(t.Context(), db, key, 0); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				err := db.InTx(t.Context(), func(tx database.Tx) error {
					_, err := tx.Exec(t.Context(), `UPDATE rate_limit SET count = count + 1 WHERE key = $1`, key[:])
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var count int
		if err := db.QueryRow(t.Context(), `SELECT count FROM rate_limit WHERE key = $1`, key[:]).Scan(&count); err != nil || count != 50 {
			t.Errorf("count = %d, %v; want 50", count, err)
		}
	})
}

func TestCopyLoadsRowsOrNone(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		rows := make([][]any, 3001)
		for i := range rows {
			key := id.New[thing]()
			rows[i] = []any{key[:], int64(i), int64(0)}
		}
		load := func(rows [][]any) error {
			return db.InTx(t.Context(), func(tx database.Tx) error {
				n, err := tx.Copy(t.Context(), "rate_limit", []string{"key", "count", "reset_at"}, rows)
				if err == nil && n != int64(len(rows)) {
					t.Errorf("copied %d of %d", n, len(rows))
				}
				return err
			})
		}
		if err := load(append(slices.Clone(rows), rows[0])); !errors.Is(err, database.ErrUnique) {
			t.Errorf("a row twice: got %v, want ErrUnique", err)
		}
		if n := countCounters(t, db); n != 0 {
			t.Errorf("a failed load left %d rows", n)
		}
		if err := load(rows); err != nil {
			t.Fatal(err)
		}
		if n := countCounters(t, db); n != len(rows) {
			t.Errorf("%d rows, want %d", n, len(rows))
		}
	})
}

func TestCancelStormLeavesThePoolHealthy(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		var wg sync.WaitGroup
		for i := range 3000 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%40)*100*time.Microsecond)
				defer cancel()
				_ = db.InTx(ctx, func(tx database.Tx) error { return putCounter(ctx, tx, id.New[thing](), 1) })
				_, _ = database.Collect(ctx, db, database.Column[int64], `SELECT count FROM rate_limit`)
			})
		}
		wg.Wait()
		for i := range 200 {
			wg.Go(func() {
				if err := putCounter(t.Context(), db, id.New[thing](), int64(i)); err != nil {
					t.Errorf("after the storm: %v", err)
				}
			})
		}
		wg.Wait()
		if s := db.Stats(); s.InUse != 0 {
			t.Errorf("%d connections still in use", s.InUse)
		}
	})
}

func TestNodesMayMigrateAtOnce(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		url := databasetest.Postgres(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := database.Open(t.Context(), url, database.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				defer db.Close()
				if err := db.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestSecondServerOnAFileIsRefused(t *testing.T) {
	url := databasetest.SQLite(t)
	first, err := database.Open(t.Context(), url, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := database.Open(t.Context(), url, database.Options{}); err == nil || !strings.Contains(err.Error(), "another ujumbe process") {
		t.Errorf("second open: got %v", err)
	}
	tool, err := database.Open(t.Context(), url, database.Options{Shared: true})
	if err != nil {
		t.Errorf("a command of the operator is let in: %v", err)
	} else {
		_ = tool.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := database.Open(t.Context(), url, database.Options{})
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	_ = again.Close()
}

// modeOf is who may use a file, or 0 where there is none.
func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestDatabaseAndItsCopiesAreTheOwnersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	open := func() *database.DB {
		db, err := database.Open(t.Context(), "sqlite://"+path, database.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := open()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if mode := modeOf(t, file); mode != 0o600 {
			t.Errorf("%s is %v", filepath.Base(file), mode)
		}
	}
	copied := path + ".copy"
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if mode := modeOf(t, copied); mode != 0o600 {
		t.Errorf("the copy is %v", mode)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	defer open().Close()
	if mode := modeOf(t, path); mode != 0o600 {
		t.Errorf("one that everybody could read is %v once it was opened", mode)
	}
}

func TestFailedCopyLeavesNothingInTheWayOfTheNext(t *testing.T) {
	db, err := database.Open(t.Context(), databasetest.SQLite(t), database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	copied := filepath.Join(t.TempDir(), "copy.db")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Backup(gone, copied); err == nil || modeOf(t, copied) != 0 {
		t.Fatalf("got %v, and a file of mode %v", err, modeOf(t, copied))
	}
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(t.Context(), copied); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("over a copy: got %v", err)
	}
	if info, err := os.Stat(copied); err != nil || info.Size() == 0 {
		t.Errorf("the copy that was there is now %v, %v", info, err)
	}
}

// More texts than are kept prepared, several at a time and each while the rows
// of others are being read.
func TestAnyNumberOfTextsCanBeRun(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		const texts = 600
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for i := range texts {
					want := int64((i*7 + worker) % texts)
					text := fmt.Sprintf(`SELECT key + %d FROM (SELECT 0 AS key UNION ALL SELECT 0) twice`, want)
					err := database.Each(t.Context(), db, func(row database.Row) error {
						got, err := database.Column[int64](row)
						if err == nil && got != want {
							err = fmt.Errorf("%s: got %d", text, got)
						}
						return err
					}, text)
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		key := id.New[thing]()
		if err := putCounter(t.Context(), db, key, 0); err != nil {
			t.Fatal(err)
		}
		for i := range texts {
			if _, err := db.Exec(t.Context(), fmt.Sprintf(`UPDATE rate_limit SET count = count + %d WHERE key = $1`, i), key[:]); err != nil {
				t.Fatal(err)
			}
		}
		var sum int
		if err := db.QueryRow(t.Context(), `SELECT count FROM rate_limit WHERE key = $1`, key[:]).Scan(&sum); err != nil || sum != texts*(texts-1)/2 {
			t.Errorf("sum = %d, %v", sum, err)
		}
	})
}

// The two engines have migrations of their own; this keeps them telling the
// same story.
func TestBothEnginesHaveTheSameTablesAndColumns(t *testing.T) {
	columns := map[database.Engine][]string{}
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		query := `SELECT m.name || '.' || p.name FROM sqlite_master m, pragma_table_info(m.name) p
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%' AND m.sql NOT LIKE '%VIRTUAL%' AND m.name NOT LIKE '%\_fts\_%' ESCAPE '\'`
		if db.Engine() == database.Postgres {
			query = `SELECT table_name || '.' || column_name FROM information_schema.columns
				WHERE table_schema = 'public' AND table_name NOT LIKE 'goose_%'`
		}
		all, err := database.Collect(t.Context(), db, database.Column[string], query)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all)
		columns[db.Engine()] = all
	})
	if len(columns) < 2 {
		t.Skip("PostgreSQL is not there to compare with")
	}
	lite, pg := columns[database.SQLite], columns[database.Postgres]
	if !slices.Equal(lite, pg) {
		t.Errorf("schemas differ\nsqlite:   %s\npostgres: %s", fmt.Sprint(lite), fmt.Sprint(pg))
	}
}

func TestStatementThatRunsOutOfTimeIsUnavailable(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		var n int64
		err := db.QueryRow(ctx, `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1000000000) SELECT COUNT(*) FROM counted`).Scan(&n)
		if !errors.Is(err, database.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	})
}
