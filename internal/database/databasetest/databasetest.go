// Package databasetest gives each test a fresh, migrated database of its own on
// every engine.
package databasetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ujumbe/internal/database"
)

// PostgresVariable names the environment variable that holds the address of a
// PostgreSQL server on which tests may create databases. `make test` sets it.
const PostgresVariable = "UJUMBE_TEST_POSTGRES_URL"

// Each runs the test on SQLite and on PostgreSQL, each time with a fresh
// database.
func Each(t *testing.T, test func(t *testing.T, db *database.DB)) {
	t.Helper()
	EachURL(t, func(t *testing.T, url string) {
		db, err := database.Open(t.Context(), url, database.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		test(t, db)
	})
}

// EachURL is Each for tests that open the database themselves.
func EachURL(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run(string(database.SQLite), func(t *testing.T) { test(t, SQLite(t)) })
	t.Run(string(database.Postgres), func(t *testing.T) { test(t, Postgres(t)) })
}

// liteTemplate is a migrated database file, made once for all tests of a
// process.
var liteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ujumbe-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrate("sqlite://" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// SQLite returns the address of a fresh SQLite database. Its commits are not
// flushed to the disk: a test that kills the process opens its own.
func SQLite(t testing.TB) string {
	t.Helper()
	template, err := liteTemplate()
	if err != nil {
		t.Fatalf("SQLite template: %v", err)
	}
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, template, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + path + "?synchronous=OFF"
}

// postgresTemplate is a migrated database on the test server, made once for all
// tests of a process.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	name := "ujumbe_template_" + strings.ToLower(rand.Text())
	if err := onServer(context.Background(), "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	return name, migrate(addressOf(name))
})

// Postgres returns the address of a fresh PostgreSQL database, dropped when the
// test ends. Without a server to make it on, the test is skipped, except where
// CI is set: there it fails.
func Postgres(t *testing.T) string {
	t.Helper()
	if os.Getenv(PostgresVariable) == "" {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is not set; run the tests by `make test`", PostgresVariable)
		}
		t.Skipf("%s is not set; `make test` runs this on PostgreSQL too", PostgresVariable)
	}
	template, err := postgresTemplate()
	if err != nil {
		t.Fatalf("PostgreSQL template: %v", err)
	}
	name := "ujumbe_test_" + strings.ToLower(rand.Text())
	if err := onServer(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := onServer(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)); err != nil {
			t.Error(err)
		}
	})
	return addressOf(name)
}

func migrate(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := database.Open(ctx, address, database.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Migrate(ctx)
}

func addressOf(name string) string {
	server, err := url.Parse(os.Getenv(PostgresVariable))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", PostgresVariable, err))
	}
	server.Path = "/" + name
	return server.String()
}

func onServer(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, os.Getenv(PostgresVariable))
	if err != nil {
		return fmt.Errorf("test server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
