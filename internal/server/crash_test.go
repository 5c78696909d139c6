package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/processtest"
)

// eachDatabase runs a test with the settings of a process on each engine.
func eachDatabase(t *testing.T, test func(t *testing.T, settings ...string)) {
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
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func registration(email string) map[string]any {
	return map[string]any{"accountName": "Crash " + email, "firstName": "A", "lastName": "B", "email": email, "password": "a long password"}
}

func TestKilledRegistrationsAreWholeOrAbsentAndTheirMailGoesOut(t *testing.T) {
	eachDatabase(t, func(t *testing.T, settings ...string) {
		p := processtest.Start(t, settings...)
		var (
			mu       sync.Mutex
			answered []string
			next     int
		)
		for range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() {
					for ctx.Err() == nil {
						mu.Lock()
						next++
						email := fmt.Sprintf("crash%d@example.com", next)
						mu.Unlock()
						if status, _ := p.Post(ctx, "/api/v1/auth/register", "", registration(email)); status == 201 {
							mu.Lock()
							answered = append(answered, email)
							mu.Unlock()
						}
					}
				})
			}
			time.Sleep(time.Duration(200+rand.IntN(500)) * time.Millisecond)
			p.Kill()
			cancel()
			clients.Wait()
			p.Start()
		}
		waitForMail(t, p, answered)
		p.Kill()
		db := openOf(t, p, settings)
		for _, row := range []struct{ what, query string }{
			{"users without a membership", `SELECT COUNT(*) FROM users WHERE id NOT IN (SELECT user_id FROM membership)`},
			{"accounts without a member", `SELECT COUNT(*) FROM account WHERE id NOT IN (SELECT account_id FROM membership WHERE role = 'owner')`},
			{"accounts without a zero KES credit", `SELECT COUNT(*) FROM account WHERE id NOT IN (SELECT account_id FROM credit WHERE balance = 0 AND currency = 'KES')`},
		} {
			var n int
			if err := db.QueryRow(t.Context(), row.query).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: %d, %v", row.what, n, err)
			}
		}
		var stored int
		if err := db.QueryRow(t.Context(), `SELECT COUNT(*) FROM users WHERE email_key IN (SELECT key FROM json_each($1))`, database.Texts(answered)).Scan(&stored); err != nil || stored != len(answered) {
			t.Errorf("%d of %d answered registrations are stored, %v", stored, len(answered), err)
		}
		t.Logf("%d registrations answered in 5 lives", len(answered))
	})
}

// waitForMail waits until every address has its mail in the folder.
func waitForMail(t *testing.T, p *processtest.Process, addresses []string) {
	t.Helper()
	missing := map[string]bool{}
	for _, a := range addresses {
		missing[a] = true
	}
	read := map[string]bool{}
	for deadline := time.Now().Add(75 * time.Second); len(missing) > 0; time.Sleep(100 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(p.DataDir, "mail", "*.eml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if read[file] {
				continue
			}
			read[file] = true
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for a := range missing {
				if strings.Contains(string(content), "<"+a+">") {
					delete(missing, a)
				}
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("no mail to %d of %d addresses", len(missing), len(addresses))
		}
	}
}

func TestSIGTERMFinishesRequestsInHand(t *testing.T) {
	eachDatabase(t, func(t *testing.T, settings ...string) {
		p := processtest.Start(t, settings...)
		results := make(chan int, 8)
		for i := range 8 {
			go func() {
				status, _ := p.Post(context.Background(), "/api/v1/auth/register", "", registration(fmt.Sprintf("drain%d@example.com", i)))
				results <- status
			}()
		}
		time.Sleep(20 * time.Millisecond)
		if err := p.Signal(); err != nil {
			t.Fatal(err)
		}
		for range 8 {
			if status := <-results; status != 201 {
				t.Errorf("a request in hand got %d", status)
			}
		}
		if err := p.Wait(); err != nil {
			t.Errorf("exit: %v", err)
		}
	})
}
