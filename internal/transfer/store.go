package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// store keeps the records of imports and the files that go out by mail.
type store struct {
	db    *database.DB
	clock clock.Clock
}

// begin stores a new record, with the names of the columns of its rows.
func (s *store) begin(ctx context.Context, tx database.Tx, org account.ID, i *Import, names []string) error {
	columns, err := json.Marshal(names)
	if err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	err = tx.QueryRow(ctx, `INSERT INTO contact_import (account_id, id, user_id, actor, file_name, format, list_id, status, columns,
			bytes_total, bytes_read, rows_read, valid, invalid, skipped, amended, started_at, heartbeat_at)
		SELECT $1, $2, id, email, $4, $5, $6, $7, $8, $9, 0, 0, 0, 0, 0, 0, $10, $10 FROM users WHERE id = $3 RETURNING actor`,
		org, i.ID, i.UserID, i.FileName, i.Format, i.ListID, i.Status, string(columns), i.BytesTotal, i.StartedAt).Scan(&i.User)
	if err != nil {
		return fmt.Errorf("insert import: %w", err)
	}
	return nil
}

// progress is what one chunk adds to a record.
type progress struct {
	bytes                                  int64
	rows, valid, invalid, skipped, amended int
}

// errTaken means that a record is no longer running: this node gave no sign of
// life for so long that another one, or its own watch, closed it.
var errTaken = fault.Unavailable("import_given_up", "The server lost touch with its database and the import was given up meanwhile. Send the same file again: rows that are stored are passed over.", busyRetry)

// advance adds a chunk to a record, in the transaction that stores the chunk.
func (s *store) advance(ctx context.Context, tx database.Tx, org account.ID, i ID, p progress) error {
	n, err := tx.Exec(ctx, `UPDATE contact_import SET bytes_read = bytes_read + $3,
			rows_read = rows_read + $4, valid = valid + $5, invalid = invalid + $6, skipped = skipped + $7, amended = amended + $8, heartbeat_at = $9
		WHERE account_id = $1 AND id = $2 AND status = 'running'`,
		org, i, p.bytes, p.rows, p.valid, p.invalid, p.skipped, p.amended, s.clock.Now())
	if err != nil {
		return fmt.Errorf("advance import: %w", err)
	}
	if n == 0 {
		return errTaken
	}
	return nil
}

// beat is a sign of life between chunks.
func (s *store) beat(ctx context.Context, org account.ID, i ID) error {
	n, err := s.db.Exec(ctx, `UPDATE contact_import SET heartbeat_at = $3 WHERE account_id = $1 AND id = $2 AND status = 'running'`, org, i, s.clock.Now())
	if err == nil && n == 0 {
		return errTaken
	}
	return err
}

// end gives a running record its final status. It may be tried again when its
// outcome is open.
func (s *store) end(ctx context.Context, org account.ID, i ID, status Status, failure *Failure) error {
	var code, detail *string
	if failure != nil {
		code, detail = &failure.Code, &failure.Detail
	}
	n, err := s.db.Exec(ctx, `UPDATE contact_import SET status = $3, failure_code = $4, failure_detail = $5, finished_at = $6, heartbeat_at = $6,
			bytes_read = CASE WHEN $3 = 'completed' THEN bytes_total ELSE bytes_read END
		WHERE account_id = $1 AND id = $2 AND status IN ('running', $3)`, org, i, string(status), code, detail, s.clock.Now())
	if err != nil {
		return fmt.Errorf("end import: %w", err)
	}
	if n == 0 {
		return errTaken
	}
	return nil
}

// interrupt closes the records of imports that give no sign of life.
func (s *store) interrupt(ctx context.Context) error {
	return s.interruptBefore(ctx, s.clock.Now().Add(-lease))
}

// interruptAll closes the records of all running imports.
func (s *store) interruptAll(ctx context.Context) error {
	return s.interruptBefore(ctx, s.clock.Now().Add(time.Hour))
}

func (s *store) interruptBefore(ctx context.Context, moment clock.Time) error {
	_, err := s.db.Exec(ctx, `UPDATE contact_import SET status = 'interrupted', failure_code = $2, failure_detail = $3, finished_at = heartbeat_at
		WHERE status = 'running' AND heartbeat_at < $1`, moment, failureCrashed.Code, failureCrashed.Detail)
	if err != nil {
		return fmt.Errorf("close silent imports: %w", err)
	}
	return nil
}

const importQuery = `SELECT id, status, file_name, format, list_id, valid, invalid, skipped, amended, rows_read, bytes_read, bytes_total,
	user_id, actor, started_at, heartbeat_at, finished_at, undone_at, failure_code, failure_detail
	FROM contact_import WHERE account_id = $1`

func (s *store) scan(row database.Row) (Import, error) {
	var (
		i            Import
		code, detail *string
	)
	err := row.Scan(&i.ID, &i.Status, &i.FileName, &i.Format, &i.ListID, &i.Valid, &i.Invalid, &i.Skipped, &i.Amended, &i.RowsRead, &i.BytesRead, &i.BytesTotal,
		&i.UserID, &i.User, &i.StartedAt, &i.UpdatedAt, &i.FinishedAt, &i.UndoneAt, &code, &detail)
	if err != nil {
		return Import{}, err
	}
	i.Imported = i.Valid + i.Invalid
	if code != nil && detail != nil {
		i.Failure = &Failure{*code, *detail}
	}
	i.silent(s.clock.Now())
	return i, nil
}

// find reads one record.
func (s *store) find(ctx context.Context, org account.ID, i ID) (Import, error) {
	found, err := s.scan(s.db.QueryRow(ctx, importQuery+` AND id = $2`, org, i))
	if errors.Is(err, database.ErrNoRows) {
		return Import{}, errNoImport
	}
	if err != nil {
		return Import{}, fmt.Errorf("read import: %w", err)
	}
	return found, nil
}

// columns reads the names of the columns of an import's rows, which may be many:
// the record is read without them.
func (s *store) columns(ctx context.Context, org account.ID, i ID) (names []string, err error) {
	var columns string
	err = s.db.QueryRow(ctx, `SELECT columns FROM contact_import WHERE account_id = $1 AND id = $2`, org, i).Scan(&columns)
	if err != nil {
		return nil, fmt.Errorf("read columns of an import: %w", err)
	}
	return names, json.Unmarshal([]byte(columns), &names)
}

// page reads records, newest first, and counts them.
func (s *store) page(ctx context.Context, org account.ID, page httpapi.Page) (imports []Import, total int64, err error) {
	err = s.db.QueryRow(ctx, `SELECT COUNT(*) FROM contact_import WHERE account_id = $1`, org).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count imports: %w", err)
	}
	imports, err = database.Collect(ctx, s.db, s.scan, importQuery+` ORDER BY id DESC LIMIT $2 OFFSET $3`, org, page.Size, page.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("read imports: %w", err)
	}
	return imports, total, nil
}

// undone notes that the contacts of an import were put into the trash.
func (s *store) undone(ctx context.Context, tx database.Tx, org account.ID, i ID) error {
	err := tx.Queue(ctx, `UPDATE contact_import SET undone_at = $3 WHERE account_id = $1 AND id = $2`, org, i, s.clock.Now())
	if err != nil {
		return fmt.Errorf("note undoing: %w", err)
	}
	return nil
}

// detailKept is how long the rows that were passed over can be looked at, as
// long as the trash goes back.
const detailKept = contact.Retention

// sweep deletes what is no longer needed: rows passed over long ago, and files
// that could not be mailed.
func (s *store) sweep(ctx context.Context) error {
	now := s.clock.Now()
	before := id.Before[contact.Import](now.Add(-detailKept).Std())
	err := s.db.Sweep(ctx, `DELETE FROM contact_import_rows WHERE (account_id, import_id, kind, first_row) IN (
		SELECT account_id, import_id, kind, first_row FROM contact_import_rows WHERE import_id < $1 LIMIT $2)`, before)
	if err != nil {
		return fmt.Errorf("sweep rows passed over: %w", err)
	}
	return s.sweepMails(ctx, now)
}
