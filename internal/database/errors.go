package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

// What a statement can fail with, alike on both engines. Test with errors.Is.
var (
	ErrNoRows = errors.New("no rows")
	ErrUnique = errors.New("unique violation")
	// ErrUnavailable means that the database can't be reached, or can't store,
	// just now; the same call may succeed later.
	ErrUnavailable = errors.New("database unavailable")

	errRetry = errors.New("serialization failure")
)

func isRetryable(err error) bool { return errors.Is(err, errRetry) }

// mapError gives a driver's error one of the names above and keeps its text.
func mapError(err error) error {
	if err == nil {
		return nil
	}
	if kind := kindOf(err); kind != nil && !errors.Is(err, kind) {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

func kindOf(err error) error {
	if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, sql.ErrNoRows) {
		return ErrNoRows
	}
	// A caller who went away is no fault of the database.
	if errors.Is(err, context.Canceled) {
		return nil
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return kindOfPostgres(pg.Code)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return kindOfSQLite(lite.Code())
	}
	if isConnectionError(err) {
		return ErrUnavailable
	}
	return nil
}

func kindOfPostgres(code string) error {
	switch code {
	case "23505":
		return ErrUnique
	case "40001", "40P01":
		return errRetry
	case "57014": // cancelled, because the caller's time was up
		return ErrUnavailable
	case "57P01", "57P02", "57P03", "53300", "53100", "53200", "25006":
		return ErrUnavailable
	}
	if strings.HasPrefix(code, "08") {
		return ErrUnavailable
	}
	return nil
}

func kindOfSQLite(code int) error {
	switch code {
	case sqlitecode.SQLITE_CONSTRAINT_UNIQUE, sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY:
		return ErrUnique
	}
	switch code & 0xff {
	case sqlitecode.SQLITE_BUSY, sqlitecode.SQLITE_FULL, sqlitecode.SQLITE_IOERR, sqlitecode.SQLITE_READONLY, sqlitecode.SQLITE_CANTOPEN:
		return ErrUnavailable
	}
	return nil
}

func isConnectionError(err error) bool {
	var (
		network net.Error
		connect *pgconn.ConnectError
	)
	return errors.As(err, &network) || errors.As(err, &connect) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, puddle.ErrClosedPool) ||
		strings.Contains(err.Error(), "conn closed")
}
