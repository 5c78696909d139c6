package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ujumbe/internal/server/process"
)

// postgresVariable names the server that scripts/with-postgres started.
const postgresVariable = "UJUMBE_TEST_POSTGRES_URL"

// engine is a database to measure on.
type engine struct {
	name string
	// server is the address of the PostgreSQL server, "" for SQLite.
	server string
}

func enginesOf(names string) ([]engine, error) {
	var all []engine
	for name := range strings.SplitSeq(names, ",") {
		switch name {
		case "sqlite":
			all = append(all, engine{name: name})
		case "postgres":
			server := os.Getenv(postgresVariable)
			if server == "" {
				return nil, fmt.Errorf("%s is not set; run by scripts/with-postgres, or with -engines sqlite", postgresVariable)
			}
			all = append(all, engine{name, server})
		default:
			return nil, fmt.Errorf("-engines: %q is neither sqlite nor postgres", name)
		}
	}
	return all, nil
}

// node is a server under measurement on a database of its own.
type node struct {
	*process.Process
	database string // address
	close    func()
}

// start runs a server on a fresh database of the engine.
func (b *bench) start(ctx context.Context) (*node, error) {
	n, err := b.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := n.restart(ctx); err != nil {
		n.stop()
		return nil, err
	}
	return n, nil
}

// prepare makes a fresh database and a server on it that is not started yet.
// Rate limits are off, because a benchmark looks like an attack.
func (b *bench) prepare(ctx context.Context) (*node, error) {
	dir, err := os.MkdirTemp(b.dir, b.engine.name+"-")
	if err != nil {
		return nil, fmt.Errorf("folder for data: %w", err)
	}
	n := &node{database: "sqlite://" + filepath.Join(dir, "ujumbe.db"), close: func() { _ = os.RemoveAll(dir) }}
	if b.engine.server != "" {
		if err := n.createDatabase(ctx, b.engine.server); err != nil {
			return nil, err
		}
	}
	n.Process, err = process.New(b.bin, dir, "UJUMBE_DATABASE_URL="+n.database, "UJUMBE_RATE_LIMITS=off", "UJUMBE_MAX_IMPORT_BYTES=4294967296")
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// restart launches the process and returns how long it took to be ready.
func (n *node) restart(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	began := time.Now()
	if err := n.Launch(); err != nil {
		return 0, err
	}
	err := n.AwaitReady(ctx)
	return time.Since(began), err
}

// stop ends the server and removes its data.
func (n *node) stop() {
	n.Kill()
	n.close()
}

func (n *node) createDatabase(ctx context.Context, server string) error {
	name := "ujumbe_bench_" + strings.ToLower(rand.Text())
	if err := onServer(ctx, server, "CREATE DATABASE "+name); err != nil {
		return err
	}
	address, err := url.Parse(server)
	if err != nil {
		return fmt.Errorf("%s: %w", postgresVariable, err)
	}
	address.Path = "/" + name
	removeFiles := n.close
	n.database, n.close = address.String(), func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = onServer(ctx, server, "DROP DATABASE "+name+" WITH (FORCE)")
		removeFiles()
	}
	return nil
}

func onServer(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
