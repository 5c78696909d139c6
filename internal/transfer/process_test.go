package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/process"
	"ujumbe/internal/server/processtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	processtest.RemoveBinary()
	os.Exit(code)
}

// eachProcess runs a test with the settings of a process on each engine.
func eachProcess(t *testing.T, test func(t *testing.T, settings ...string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t) })
	t.Run("postgres", func(t *testing.T) { test(t, "UJUMBE_DATABASE_URL="+databasetest.Postgres(t)) })
}

// openOf opens the database of a process that has ended.
func openOf(t *testing.T, p *processtest.Process, settings []string) *database.DB {
	t.Helper()
	url := "sqlite://" + filepath.Join(p.DataDir, "ujumbe.db")
	if len(settings) > 0 {
		url = strings.TrimPrefix(settings[0], "UJUMBE_DATABASE_URL=")
	}
	db, err := database.Open(t.Context(), url, database.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// upload imports a form; the status is 0 when there was no answer.
func upload(ctx context.Context, t testing.TB, p *processtest.Process, access string, parts []part) process.Answer {
	t.Helper()
	body, contentType := form(t, parts)
	return post(ctx, t, p, "/api/v1/contacts/import", access, contentType, bytes.NewReader(body))
}

func post(ctx context.Context, t testing.TB, p *processtest.Process, path, access, contentType string, body io.Reader) process.Answer {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+path, body)
	if err != nil {
		t.Error(err)
		return process.Answer{}
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+access)
	return p.Do(request)
}

func login(t *testing.T, p *processtest.Process, email string) string {
	t.Helper()
	a := p.Call(t.Context(), http.MethodPost, "/api/v1/auth/login", "", map[string]any{"email": email, "password": processtest.Password})
	if a.Status != http.StatusOK {
		t.Fatalf("login: %d %s", a.Status, a.Body)
	}
	return a.Field("accessToken")
}

// newest is the record of the last import, if there is one.
func newest(t *testing.T, p *processtest.Process, access string) (last record) {
	t.Helper()
	var page struct{ Imports []record }
	status, body := p.Get(t.Context(), "/api/v1/contacts/imports?pageSize=1", access)
	if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
		t.Fatalf("imports: %d %s", status, body)
	}
	if len(page.Imports) > 0 {
		last = page.Imports[0]
	}
	return last
}

// until waits for an import, other than one that was there before, to have read
// so many rows, or to end.
func until(t *testing.T, p *processtest.Process, access, before string, rows int64, done <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
		if r := newest(t, p, access); r.ID != before && r.ID != "" && r.RowsRead >= rows {
			return
		}
	}
}

// checkRecords compares every record with what is stored.
func checkRecords(t *testing.T, db *database.DB) {
	t.Helper()
	err := database.Each(t.Context(), db, func(row database.Row) error {
		var (
			status                                string
			rows, stored, skipped, contacts, tail int64
		)
		if err := row.Scan(&status, &rows, &stored, &skipped, &contacts, &tail); err != nil {
			return err
		}
		if stored != contacts || rows != stored+skipped {
			t.Errorf("%s import: %d rows read, %d stored and %d skipped, but %d contacts", status, rows, stored, skipped, contacts)
		}
		return nil
	}, `SELECT status, rows_read, valid + invalid, skipped,
		(SELECT COUNT(*) FROM contact c WHERE c.account_id = i.account_id AND c.import_id = i.id), 0 FROM contact_import i`)
	if err != nil {
		t.Fatal(err)
	}
	for what, query := range map[string]string{
		"numbers twice": `SELECT COUNT(*) - COUNT(DISTINCT phone) FROM contact`,
		"count of the list less its members": `SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM contact_count WHERE key LIKE 'list:%')
			- (SELECT COUNT(*) FROM contact_list_member)`,
		"count of all less all": `SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM contact_count WHERE key = 'all') - (SELECT COUNT(*) FROM contact)`,
	} {
		var n int64
		if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
}
