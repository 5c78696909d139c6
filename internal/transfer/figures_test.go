package transfer_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
	"ujumbe/internal/server/servertest"
	"ujumbe/internal/transfer"
)

// rowsVariable names the environment variable with how many rows are measured,
// such as 100000. Without it nothing is.
const rowsVariable = "UJUMBE_BENCH_ROWS"

// person is a row of a file for measuring: names that some share, and numbers in
// no order, of which none comes twice.
func person(random *rand.Rand, i int) (first, last string, number int64, tags string) {
	return fmt.Sprintf("Fname%d", random.IntN(500)), fmt.Sprintf("Surname%d", random.IntN(500)),
		254700000000 + int64(i)*7_654_321%100_000_000, []string{"", "vip", "nairobi;vip", "coast"}[random.IntN(4)]
}

func people(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("first_name,last_name,phone,email,tags,notes\n")
	for i := range n {
		first, last, number, tags := person(random, i)
		fmt.Fprintf(&b, "%s,%s,+%d,person%d@example.com,%s,Met at branch %d\n", first, last, number, i, tags, i%300)
	}
	return b.String()
}

// stored are the same people as rows of the table of contacts.
func stored(n int) [][]any {
	random := rand.New(rand.NewPCG(1, 2))
	org, now := id.New[account.Account](), time.Now().UnixMilli()
	rows := make([][]any, n)
	for i := range rows {
		first, last, number, tags := person(random, i)
		email, notes := fmt.Sprintf("person%d@example.com", i), fmt.Sprintf("Met at branch %d", i%300)
		rows[i] = []any{
			org, id.New[contact.Contact](), number, number % 100_000, random.Int64(), random.Int64N(4), now, now, nil, false,
			"valid", nil, "KE", "Safaricom", first, last, email, tags, notes,
		}
	}
	return rows
}

var columns = []string{
	"account_id", "id", "phone", "phone_tail", "name_key", "tags_key", "created_at", "updated_at", "import_id", "is_opted_out",
	"status", "invalid_reason", "country", "operator", "first_name", "last_name", "email", "tags", "notes",
}

// TestFigures prints what imports and exports reach over HTTP, beside what the
// engine itself reaches with the same rows and indexes. It asserts nothing:
// machines differ.
func TestFigures(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(rowsVariable))
	if err != nil {
		t.Skipf("set %s to the number of rows to measure, such as 100000", rowsVariable)
	}
	file := people(n)
	say := func(t *testing.T, what string, started time.Time) float64 {
		rate := float64(n) / time.Since(started).Seconds()
		t.Logf("%-44s %10.0f rows/s", what, rate)
		return rate
	}
	t.Run("reading", func(t *testing.T) {
		started := time.Now()
		if kept, passed, err := transfer.ReadAndJudge(t.TempDir(), file); err != nil || kept+passed != n {
			t.Fatal(kept, passed, err)
		}
		say(t, "read and judge", started)
	})
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		baseline := say(t, "the engine alone", loadAlone(t, db, n))
		s := servertest.Start(t, db)
		owner := s.Owner()
		list := newList(t, s, owner.Access)
		parts := []part{{"listId", "", list}, {"file", "people.csv", file}}
		started := time.Now()
		got := countsOf(t, send(t, s, owner.Access, parts))
		rate := say(t, "import of a CSV file", started)
		t.Logf("%-44s %10.2f of the engine alone; %+v", "", rate/baseline, got)
		for _, path := range []string{"/api/v1/contacts/export", "/api/v1/contacts/export?listId=" + list, "/api/v1/contacts/export-data"} {
			for _, encoding := range []string{"identity", "gzip"} {
				started = time.Now()
				first, size := download(t, s.URL+path, owner.Access, encoding)
				say(t, path[len("/api/v1/contacts/"):min(len(path), len("/api/v1/contacts/export?listId"))]+" "+encoding, started)
				t.Logf("%-44s first byte after %v, %d bytes", "", first.Round(time.Millisecond), size)
			}
		}
		if db.Engine() == database.Postgres {
			say(t, "COPY TO STDOUT", copyOut(t, db, owner.AccountID))
		}
	})
}

// loadAlone loads the rows into a copy of the table of contacts, and returns
// when it began.
func loadAlone(t *testing.T, db *database.DB, n int) time.Time {
	t.Helper()
	rows := stored(n)
	if db.Engine() == database.Postgres {
		if _, err := db.Exec(t.Context(), `CREATE TABLE alone (LIKE contact INCLUDING ALL)`); err != nil {
			t.Fatal(err)
		}
	}
	started := time.Now()
	err := db.InTx(t.Context(), func(tx database.Tx) error {
		if db.Engine() == database.Postgres {
			_, err := tx.Copy(t.Context(), "alone", columns, rows)
			return err
		}
		for _, row := range rows {
			if _, err := tx.Exec(t.Context(), insertOne, row...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return started
}

var insertOne = "INSERT INTO contact (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Repeat("?, ", len(columns)-1) + "?)"

func download(t *testing.T, url, access, encoding string) (first time.Duration, size int64) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+access)
	request.Header.Set("Accept-Encoding", encoding)
	started := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var one [1]byte
	if _, err := io.ReadFull(response.Body, one[:]); err != nil {
		t.Fatal(err)
	}
	first = time.Since(started)
	size, err = io.Copy(io.Discard, response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.Status, err)
	}
	return first, size + 1
}

// copyOut writes the columns of an export by COPY, and returns when it began.
func copyOut(t *testing.T, db *database.DB, org string) time.Time {
	t.Helper()
	var name string
	if err := db.QueryRow(t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(os.Getenv(databasetest.PostgresVariable))
	if err != nil {
		t.Fatal(err)
	}
	config.Database = name
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var out bytes.Buffer
	started := time.Now()
	_, err = conn.PgConn().CopyTo(t.Context(), &out, `COPY (SELECT first_name, last_name, phone, email, tags, notes FROM contact
		WHERE account_id = '`+org+`' ORDER BY id DESC) TO STDOUT (FORMAT csv)`)
	if err != nil {
		t.Fatal(err)
	}
	return started
}
