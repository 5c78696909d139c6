package database

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

type postgres struct {
	postgresQuerier
	pool *pgxpool.Pool
}

// The pool must be wide enough that requests don't queue behind imports, and
// narrow enough that several nodes fit PostgreSQL's default of 100 connections.
const postgresPoolSize = 20

func openPostgres(ctx context.Context, url string) (*postgres, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL address: %w", err)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = postgresPoolSize
	}
	config.ConnConfig.ConnectTimeout = 3 * time.Second
	// A cancelled request asks the server to stop and keeps its connection. The
	// default would close it, and a storm of cancellations would then spend
	// connections faster than they can be made.
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{
			Conn:               conn,
			CancelRequestDelay: 100 * time.Millisecond,
			DeadlineDelay:      2 * time.Second,
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return &postgres{postgresQuerier: postgresQuerier{pool}, pool: pool}, nil
}

func (p *postgres) close() error {
	p.pool.Close()
	return nil
}

func (*postgres) backup(context.Context, string) error {
	return errors.New("PostgreSQL is backed up by pg_dump; see docs/operations.md")
}

func (p *postgres) ping(ctx context.Context) error { return mapError(p.pool.Ping(ctx)) }

func (p *postgres) stats() Stats {
	s := p.pool.Stat()
	return Stats{
		Open:         int(s.TotalConns()),
		InUse:        int(s.AcquiredConns()),
		Idle:         int(s.IdleConns()),
		Max:          int(s.MaxConns()),
		WaitCount:    s.EmptyAcquireCount(),
		WaitDuration: s.EmptyAcquireWaitTime(),
	}
}

// pgxQuerier is what a pool and a connection have in common.
type pgxQuerier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

type postgresQuerier struct {
	on pgxQuerier
}

func (postgresQuerier) Engine() Engine { return Postgres }

func (q postgresQuerier) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := q.on.Exec(ctx, sql, args...)
	return tag.RowsAffected(), mapError(err)
}

func (q postgresQuerier) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	rows, err := q.on.Query(ctx, sql, args...)
	if err != nil {
		return nil, mapError(err)
	}
	return postgresRows{rows}, nil
}

func (q postgresQuerier) QueryRow(ctx context.Context, sql string, args ...any) Row {
	return postgresRow{q.on.QueryRow(ctx, sql, args...)}
}

type postgresRow struct{ row pgx.Row }

func (r postgresRow) Scan(dest ...any) error { return mapError(r.row.Scan(dest...)) }

type postgresRows struct{ pgx.Rows }

func (r postgresRows) Scan(dest ...any) error { return mapError(r.Rows.Scan(dest...)) }
func (r postgresRows) Err() error             { return mapError(r.Rows.Err()) }
