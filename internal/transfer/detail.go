package transfer

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/transfer/sheet"
)

// detailKind tells the rows of a file that are kept with its record apart.
type detailKind string

const (
	// skippedRows were passed over.
	skippedRows detailKind = "skipped"
	// amendedRows were stored without a cell that can't be kept.
	amendedRows detailKind = "amended"
)

// What is kept of one import's rows of a kind. The counts stay exact beyond.
const (
	detailRows  = 100_000
	detailBytes = 32 << 20
)

// detail are rows of one chunk as they are kept: lines of CSV with number and
// reason in front.
type detail struct {
	first int
	rows  int
	lines []byte
}

// add appends a row; line is its cells as a line of CSV.
func (d *detail) add(number int, reason string, line []byte) {
	if d.rows == 0 {
		d.first = number
	}
	d.rows++
	d.lines = strconv.AppendInt(d.lines, int64(number), 10)
	d.lines = append(append(append(d.lines, ','), reason...), ',')
	d.lines = append(d.lines, line...)
}

// keep stores the rows of a chunk in its transaction.
func (s *store) keep(ctx context.Context, tx database.Tx, org account.ID, i ID, kind detailKind, d *detail) error {
	if d.rows == 0 {
		return nil
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("pack rows: %w", err)
	}
	if _, err := w.Write(d.lines); err != nil {
		return fmt.Errorf("pack rows: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("pack rows: %w", err)
	}
	err = tx.Queue(ctx, `INSERT INTO contact_import_rows (account_id, import_id, kind, first_row, content) VALUES ($1, $2, $3, $4, $5)`,
		org, i, string(kind), d.first, packed.Bytes())
	if err != nil {
		return fmt.Errorf("keep %s rows: %w", kind, err)
	}
	return nil
}

// writeDetail writes the rows of a kind as a CSV file: number and reason, then
// the cells as they stand in the file that was imported.
func (s *store) writeDetail(ctx context.Context, w io.Writer, org account.ID, of ID, kind detailKind) error {
	var columns []string
	err := httpapi.Briefly(ctx, func(ctx context.Context) (err error) {
		columns, err = s.columns(ctx, org, of)
		return err
	})
	if err != nil {
		return err
	}
	head := append([]string{"row", "reason"}, columns...)
	if _, err := w.Write(sheet.AppendRecord(nil, head...)); err != nil {
		return err
	}
	last := -1
	for {
		var packed []byte
		err := httpapi.Briefly(ctx, func(ctx context.Context) error {
			return s.db.QueryRow(ctx, `SELECT first_row, content FROM contact_import_rows
				WHERE account_id = $1 AND import_id = $2 AND kind = $3 AND first_row > $4 ORDER BY first_row LIMIT 1`,
				org, of, string(kind), last).Scan(&last, &packed)
		})
		if errors.Is(err, database.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s rows: %w", kind, err)
		}
		lines, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return fmt.Errorf("unpack rows: %w", err)
		}
		if _, err := io.Copy(w, lines); err != nil { //nolint:gosec // what keep packed is bounded
			return fmt.Errorf("unpack rows: %w", err)
		}
	}
}
