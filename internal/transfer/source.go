package transfer

import (
	"io"

	"ujumbe/internal/contact"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/transfer/sheet"
)

// entry is one row of an upload, as it came.
type entry struct {
	// number is the row as a spreadsheet numbers it, or the place in a JSON
	// array, from 1.
	number int
	// reason is why the row can't be used; empty when it can.
	reason string
	input  contact.Input
	// unreadable are cells of a kind that they can't have; input has them empty.
	unreadable []sheet.Column
}

// source reads the rows of one upload. A source that could be opened has been
// looked through: next fails only for reasons of ours.
type source interface {
	// next reads on; io.EOF after the last row.
	next(*entry) error
	// appendLine appends the cells of the row as a line of CSV.
	appendLine([]byte) []byte
	// columns are the names of those cells.
	columns() []string
	format() string
	// bytesRead is how far into the upload the rows so far reach.
	bytesRead() int64
	io.Closer
}

// fileSource reads a CSV or XLSX file.
type fileSource struct {
	reader *sheet.Reader
	row    *sheet.Row
	cells  []byte
	tags   map[string][]string
}

// Most files repeat a few cells of tags, and those are short: so many are
// remembered, of up to so many bytes.
const (
	maxKnownTags     = 1000
	maxKnownTagBytes = 256
)

// openFile opens a file that is an import.
func openFile(file *httpapi.Spool, folder string) (*fileSource, error) {
	reader, err := sheet.Open(file, file.Size, sheet.Limits{TempDir: folder})
	if err != nil {
		return nil, err
	}
	return &fileSource{reader: reader, tags: map[string][]string{}}, nil
}

func (f *fileSource) next(e *entry) error {
	row, err := f.reader.Next()
	if err != nil {
		return err
	}
	f.row = row
	e.number, e.reason, e.unreadable = row.Number, string(row.Reason), nil
	if row.Reason == "" {
		f.fill(&e.input)
	}
	return nil
}

// fill makes one string of all cells: a row is one allocation.
func (f *fileSource) fill(in *contact.Input) {
	f.cells = f.cells[:0]
	var ends [len(textColumns)]int
	for i, column := range textColumns {
		f.cells = append(f.cells, f.row.Cell(column)...)
		ends[i] = len(f.cells)
	}
	text := string(f.cells)
	in.Phone = text[:ends[0]]
	in.FirstName = text[ends[0]:ends[1]]
	in.LastName = text[ends[1]:ends[2]]
	in.Email = text[ends[2]:ends[3]]
	in.Notes = text[ends[3]:]
	in.Tags = f.tagsOf(f.row.Cell(sheet.Tags))
}

var textColumns = [...]sheet.Column{sheet.Phone, sheet.FirstName, sheet.LastName, sheet.Email, sheet.Notes}

func (f *fileSource) tagsOf(cell []byte) []string {
	if len(cell) == 0 {
		return nil
	}
	if len(cell) > maxKnownTagBytes {
		return sheet.SplitTags(cell)
	}
	tags, ok := f.tags[string(cell)]
	if !ok {
		tags = sheet.SplitTags(cell)
		if len(f.tags) == maxKnownTags {
			clear(f.tags)
		}
		f.tags[string(cell)] = tags
	}
	return tags
}

func (f *fileSource) appendLine(dst []byte) []byte { return sheet.AppendRecord(dst, f.row.Record...) }
func (f *fileSource) columns() []string            { return f.reader.Columns() }
func (f *fileSource) format() string               { return string(f.reader.Format()) }
func (f *fileSource) bytesRead() int64             { return f.reader.BytesRead() }
func (f *fileSource) Close() error                 { return f.reader.Close() }
