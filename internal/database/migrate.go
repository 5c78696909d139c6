package database

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

func (p *postgres) migrate(ctx context.Context) error {
	// Nodes that start at once wait for the first to finish.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300), lock.WithUnlockTimeout(1, 30))
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	db := stdlib.OpenDBFromPool(p.pool)
	defer db.Close()
	return migrateUp(ctx, goose.DialectPostgres, db, Postgres, goose.WithSessionLocker(locker))
}

func (l *lite) migrate(ctx context.Context) error {
	// The file's lock already keeps other processes away.
	return migrateUp(ctx, goose.DialectSQLite3, l.writer, SQLite)
}

func migrateUp(ctx context.Context, dialect goose.Dialect, db *sql.DB, engine Engine, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations/"+string(engine))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", mapError(err))
	}
	return nil
}
