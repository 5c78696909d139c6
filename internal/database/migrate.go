package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// ErrOldSchema says that a database which others may be using is older than this
// program.
var ErrOldSchema = errors.New("the database schema is older than this program; stop the server and run `ujumbe migrate`")

func (p *postgres) migrate(ctx context.Context, shared bool) error {
	// Nodes that start at once wait for the first to finish.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300), lock.WithUnlockTimeout(1, 30))
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	db := stdlib.OpenDBFromPool(p.pool)
	defer db.Close()
	return migrateUp(ctx, goose.DialectPostgres, db, Postgres, shared, goose.WithSessionLocker(locker))
}

func (l *lite) migrate(ctx context.Context, shared bool) error {
	return migrateUp(ctx, goose.DialectSQLite3, l.writer, SQLite, shared)
}

func migrateUp(ctx context.Context, dialect goose.Dialect, db *sql.DB, engine Engine, shared bool, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, "migrations/"+string(engine))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if shared {
		version, err := provider.GetDBVersion(ctx)
		if err != nil {
			return fmt.Errorf("read schema version: %w", mapError(err))
		}
		if version > 0 && version < newestVersion(provider) {
			return ErrOldSchema
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", mapError(err))
	}
	return nil
}

func newestVersion(provider *goose.Provider) int64 {
	sources := provider.ListSources()
	return sources[len(sources)-1].Version
}
