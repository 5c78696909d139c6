// Package sheet turns an import file, as it comes out of an office, into rows
// of contact cells, and writes the CSV that the export gives and the import
// takes back. It knows files only: what a phone is, and what becomes of a row,
// is for others to say.
//
// What a file is, is judged by its content, never by its name. Everything is
// read as a stream in bounded memory; a file that can't be an import is a
// fault, a row that can't be read is a row with a Reason.
//
// An export read back gives the same cells byte for byte: the first name, the
// last name and the notes come as they stand in the file, with their spaces;
// phone, email and tags, where space around the value means nothing, come
// without it. Control characters other than tab, line feed and carriage return
// are dropped, so a contact that is to survive the round trip holds none.
package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode"
	"unicode/utf8"

	"ujumbe/internal/fault"
)

// Column names one of the six cells of a contact.
type Column int

// The columns, in the order of the export.
const (
	FirstName Column = iota
	LastName
	Phone
	Email
	Tags
	Notes
	columnCount
)

// String returns the name of the column in a header.
func (c Column) String() string { return columnNames[c] }

// Reason says why a row can't be used as it stands; empty when it can.
type Reason string

// What the reader itself finds wrong with a row.
const (
	// RoundedNumber is a phone that a spreadsheet has turned into a number and
	// shortened, such as 2.54713E+11: the digits that are gone can't be known.
	RoundedNumber Reason = "rounded_number"
	// CellTooLong is a row with a cell over Limits.CellChars.
	CellTooLong Reason = "cell_too_long"
	// RowTooLong is a row over Limits.RecordBytes.
	RowTooLong Reason = "row_too_long"
	// QuoteNotClosed is a line of a CSV file that opens a quote which isn't
	// closed before the file, or Limits.RecordBytes, ends. Only that line is
	// lost: reading goes on with the next one.
	QuoteNotClosed Reason = "quote_not_closed"
)

// Row is one row of the file. It and its cells are valid until the next call of
// Next.
type Row struct {
	// Number is the row as a spreadsheet numbers it: the record's place in the
	// file, with the header and blank rows counted, so that the header of an
	// ordinary file is row 1. A record over several lines is one row.
	Number int
	// Reason is empty for a row that can be used. With CellTooLong and
	// RoundedNumber all cells are there, with the others Record alone holds
	// what could be read.
	Reason Reason
	// Record is every cell of the row in the order of the file, the columns
	// that the import does not know included: what a list of rejected rows
	// shows. The guard of the export is taken off here too.
	Record [][]byte

	cells [columnCount][]byte
}

// Cell returns a cell of the row, empty when the file has no such column or the
// row ends before it.
func (r *Row) Cell(c Column) []byte { return r.cells[c] }

// Format is the kind of a file that the reader takes.
type Format string

// The formats.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// record is what a source reads: cells in the order of the file.
type record struct {
	number int
	reason Reason
	cells  [][]byte
}

// source reads the records of one format. next gives blank records too, and
// io.EOF after the last one.
type source interface {
	next(*record) error
	bytesRead() int64
	io.Closer
}

// Reader reads the rows of one file. It is not safe for concurrent use.
type Reader struct {
	src    source
	format Format
	size   int64
	header header
	limits Limits

	rec    record
	row    Row
	digits []byte
	rows   int
	err    error
}

// Open reads the header of a CSV or XLSX file of size bytes, once it has looked
// through its rows: a file with too many, or a workbook that can't be read to the
// last, is refused before anything of it is used. The reader must be closed; src stays the caller's.
func Open(src io.ReaderAt, size int64, limits Limits) (*Reader, error) {
	limits = limits.orDefault()
	head := make([]byte, min(size, headBytes))
	if _, err := src.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the start of the file: %w", err)
	}
	format, err := judge(head)
	if err != nil {
		return nil, err
	}
	switch format {
	case XLSX:
		return openXLSX(src, size, limits)
	case oleFile:
		return nil, judgeOLE(io.NewSectionReader(src, 0, size))
	default:
		if err := checkRows(src, size, head, limits); err != nil {
			return nil, err
		}
		return openCSV(io.NewSectionReader(src, 0, size), head, size, limits)
	}
}

// OpenCSV reads the header of a CSV file of unknown size from a stream. A
// workbook can't be read from a stream and is refused. Unlike Open it can't
// know beforehand that there are too many rows: Next says so when it gets there.
func OpenCSV(src io.Reader, limits Limits) (*Reader, error) {
	limits = limits.orDefault()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(src, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("read the start of the file: %w", err)
	}
	head = head[:n]
	format, err := judge(head)
	if err != nil {
		return nil, err
	}
	if format != CSV {
		return nil, unsupported("a spreadsheet file", "CSV")
	}
	return openCSV(io.MultiReader(bytes.NewReader(head), src), head, 0, limits)
}

// openReader finds the header and with it the columns.
func openReader(src source, format Format, size int64, limits Limits) (*Reader, error) {
	r := &Reader{src: src, format: format, size: size, limits: limits}
	err := r.readHeader()
	if err != nil {
		src.Close()
		return nil, err
	}
	return r, nil
}

var errHeader = fault.BadRequest("file_corrupt",
	"The row with the column names can't be read: it is too long, or a quote in it is not closed. Mend the first row and upload the file again.")

func (r *Reader) readHeader() error {
	for {
		err := r.src.next(&r.rec)
		switch {
		case errors.Is(err, io.EOF):
			return fault.BadRequest("file_empty",
				"The file is empty. Upload a file with a row of column names and a row for each contact.")
		case err != nil:
			return err
		case r.rec.reason != "":
			return errHeader
		case !isBlank(r.rec.cells):
			r.header, err = readHeader(r.rec.cells)
			return err
		}
	}
}

// Next returns the next row that isn't blank, or io.EOF after the last one. Any
// other error ends the reading.
func (r *Reader) Next() (*Row, error) {
	for r.err == nil {
		r.err = r.src.next(&r.rec)
		if r.err != nil || r.rec.reason == "" && isBlank(r.rec.cells) {
			continue
		}
		if r.rows++; r.rows > r.limits.Rows {
			r.err = tooManyRows(r.limits)
			continue
		}
		r.take()
		return &r.row, nil
	}
	return nil, r.err
}

// All gives the rows in turn; an error ends them.
func (r *Reader) All() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// lookThrough reads on to the end, for the error there may be.
func (r *Reader) lookThrough() error {
	for _, err := range r.All() {
		if err != nil {
			return err
		}
	}
	return nil
}

// Columns returns the names of the columns as they stand in the file, long ones
// cut.
func (r *Reader) Columns() []string { return r.header.names }

// Format says what kind of file it is.
func (r *Reader) Format() Format { return r.format }

// BytesRead returns how far into the file the reading has come, for a progress
// bar. A little is read ahead. In a workbook everything but the sheet counts as
// read from the start. After the last row it is the size of the file.
func (r *Reader) BytesRead() int64 {
	if errors.Is(r.err, io.EOF) && r.size > 0 {
		return r.size
	}
	return r.src.bytesRead()
}

// Close gives back what the reader holds.
func (r *Reader) Close() error { return r.src.Close() }

// take makes the row of the record.
func (r *Reader) take() {
	row := &r.row
	row.Number, row.Reason, row.Record = r.rec.number, r.rec.reason, r.rec.cells
	row.cells = [columnCount][]byte{}
	if row.Reason != "" {
		return
	}
	for i, cell := range row.Record {
		row.Record[i] = Unguard(cell)
	}
	for c, at := range r.header.at {
		if at < 0 || at >= len(row.Record) {
			continue
		}
		cell := row.Record[at]
		if r.tooLong(cell) {
			row.Reason = CellTooLong
		}
		row.cells[c] = cell
	}
	row.cells[Email] = trim(row.cells[Email])
	// An invisible mark may belong to a tag.
	row.cells[Tags] = bytes.TrimSpace(row.cells[Tags])
	phone, rounded := r.wholeNumber(trim(textFormula(row.cells[Phone])))
	row.cells[Phone] = phone
	if rounded && row.Reason == "" {
		row.Reason = RoundedNumber
	}
}

func (r *Reader) tooLong(cell []byte) bool {
	return len(cell) > r.limits.CellChars && utf8.RuneCount(cell) > r.limits.CellChars
}

// isBlank reports whether a person sees nothing in any of the cells.
func isBlank(cells [][]byte) bool {
	for _, cell := range cells {
		if len(trim(cell)) > 0 {
			return false
		}
	}
	return true
}

// trim takes off space and invisible marks, such as the direction marks that
// come along when a phone is copied from a screen.
func trim(cell []byte) []byte {
	if len(cell) == 0 || isGraph(cell[0]) && isGraph(cell[len(cell)-1]) {
		return cell
	}
	return bytes.TrimFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
	})
}

func isGraph(b byte) bool { return b > ' ' && b < utf8.RuneSelf }
