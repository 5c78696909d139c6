package sheet

import (
	"bytes"
	"errors"
	"io"
)

// The bounds of the format itself.
const (
	xlsxRows    = 1 << 20
	xlsxColumns = 1 << 14
)

// xlsxSource reads the rows of a sheet, of which nothing but the row at hand is
// kept.
type xlsxSource struct {
	xml     *xmlScanner
	part    io.Closer
	book    *workbook
	name    string // of the part
	before  int64  // bytes of the file that aren't the sheet
	strings *stringTable
	limits  Limits

	number  int
	tooLong bool
	cells   [][]byte
	arena   []byte // what the cells point into
}

func (s *xlsxSource) bytesRead() int64 { return s.before + s.book.packed.n.Load() }

// Close implements io.Closer.
func (s *xlsxSource) Close() error {
	s.part.Close()
	return s.strings.Close()
}

// next implements source.
func (s *xlsxSource) next(rec *record) error {
	for {
		kind, err := s.token()
		if err != nil {
			return err
		}
		switch string(s.xml.name) {
		case "row":
			if kind == xmlStart {
				return s.row(rec)
			}
		case "sheetData":
			if kind == xmlEnd {
				return io.EOF
			}
		}
	}
}

// token is the next token of the sheet; a sheet that ends before its rows do
// has been cut off.
func (s *xlsxSource) token() (xmlKind, error) {
	kind, err := s.xml.next()
	if errors.Is(err, io.EOF) {
		err = errXML
	}
	return kind, err
}

// row reads on behind the start of a row.
func (s *xlsxSource) row(rec *record) error {
	if err := s.rowNumber(); err != nil {
		return err
	}
	s.cells, s.arena, s.tooLong = s.cells[:0], s.arena[:0], false
	column := -1
	for {
		kind, err := s.token()
		if err != nil {
			return err
		}
		switch {
		case kind == xmlStart && string(s.xml.name) == "c":
			if column, err = s.cell(column + 1); err != nil {
				return err
			}
		case kind == xmlEnd && string(s.xml.name) == "row":
			rec.number, rec.reason, rec.cells = s.number, "", s.cells
			if s.tooLong {
				rec.reason = RowTooLong
			}
			return nil
		}
	}
}

func (s *xlsxSource) rowNumber() error {
	last := s.number
	s.number++
	for attrs := s.xml.attrs; ; {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			break
		}
		if string(name) == "r" {
			if s.number, ok = parseIndex(value); !ok {
				return errXML
			}
			break
		}
		attrs = rest
	}
	if s.number <= last {
		return corrupt("its rows are out of order")
	}
	if s.number > xlsxRows {
		return corrupt("it has a row beyond the last one of a sheet")
	}
	return nil
}

// cell reads on behind the start of a cell and returns its column, which is
// column when the cell does not say.
func (s *xlsxSource) cell(column int) (int, error) {
	kind := numberCell
	for attrs := s.xml.attrs; ; {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			break
		}
		if len(name) == 1 && name[0] == 'r' {
			if column, ok = parseColumn(value); !ok {
				return 0, errXML
			}
		} else if len(name) == 1 && name[0] == 't' {
			kind = kindOf(value)
		}
		attrs = rest
	}
	if column >= xlsxColumns {
		return 0, corrupt("it has a column beyond the last one of a sheet")
	}
	start := len(s.arena)
	if err := s.content(); err != nil {
		return 0, err
	}
	if s.tooLong || column >= s.limits.Columns {
		s.arena = s.arena[:start]
		return column, nil
	}
	value, err := s.value(kind, start)
	if len(value) > 0 {
		s.put(column, value)
	}
	return column, err
}

func (s *xlsxSource) put(column int, value []byte) {
	for len(s.cells) <= column {
		s.cells = append(s.cells, nil)
	}
	s.cells[column] = value
	s.tooLong = s.tooLong || len(s.arena) > s.limits.RecordBytes
}

// content collects what stands in a cell up to its end.
func (s *xlsxSource) content() error {
	if s.xml.enclosed("<v>", "</v></c>") || s.xml.enclosed("<is><t>", "</t></is></c>") {
		s.collect()
		return nil
	}
	var in textRuns
	for {
		kind, err := s.token()
		if err != nil {
			return err
		}
		if kind == xmlText {
			if in.text {
				s.collect()
			}
			continue
		}
		if kind == xmlEnd && len(s.xml.name) == 1 && s.xml.name[0] == 'c' {
			return nil
		}
		in.see(kind, s.xml.name)
	}
}

// collect keeps the text at hand, unless the row is too long already.
func (s *xlsxSource) collect() {
	if !s.tooLong {
		s.arena = s.xml.appendTo(s.arena)
		s.tooLong = len(s.arena) > s.limits.RecordBytes
	}
}

// cellKind is what the text of a cell means.
type cellKind int

const (
	stringCell cellKind = iota // and whatever isn't known
	numberCell
	sharedCell
	boolCell
	errorCell
)

func kindOf(t []byte) cellKind {
	switch string(t) {
	case "n":
		return numberCell
	case "s":
		return sharedCell
	case "b":
		return boolCell
	case "e":
		return errorCell
	default:
		return stringCell
	}
}

var boolTexts = map[string][]byte{"1": []byte("TRUE"), "0": []byte("FALSE")}

// value makes the cell of what stands in the arena behind start. A number is
// kept as it is written: digits stay digits.
func (s *xlsxSource) value(kind cellKind, start int) ([]byte, error) {
	text := s.arena[start:]
	switch kind {
	case errorCell:
		return nil, nil
	case numberCell:
		return s.proper(bytes.TrimSpace(text)), nil
	case boolCell:
		return boolTexts[string(bytes.TrimSpace(text))], nil
	case sharedCell:
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			return nil, nil
		}
		i, ok := parseIndex(text)
		if !ok {
			return nil, errXML
		}
		arena, err := s.strings.appendString(s.arena[:start], i)
		if err != nil {
			return nil, err
		}
		s.arena = arena
		return arena[start:], nil
	default:
		return s.proper(unescape(text)), nil
	}
}

// proper is a text without what no text may have.
func (s *xlsxSource) proper(text []byte) []byte {
	if properPrefix(text) == len(text) {
		return text
	}
	end := len(s.arena)
	s.arena = appendProper(s.arena, text)
	return s.arena[end:]
}

// textRuns knows where in a string its text is: in t, or v for a cell with a
// value, but not in the reading aid that rPh holds.
type textRuns struct{ text, aid bool }

func (t *textRuns) see(kind xmlKind, name []byte) {
	switch string(name) {
	case "v", "t":
		t.text = kind == xmlStart && !t.aid
	case "rPh":
		t.aid = kind == xmlStart
	}
}

// parseColumn reads the letters of a reference such as AB12.
func parseColumn(ref []byte) (int, bool) {
	n := 0
	for _, c := range ref {
		c |= 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if n = n*26 + int(c-'a') + 1; n > xlsxColumns {
			return xlsxColumns, true
		}
	}
	return n - 1, n > 0
}

func parseIndex(digits []byte) (int, bool) {
	n := 0
	for _, d := range digits {
		if d < '0' || d > '9' || n > 1<<31 {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, len(digits) > 0
}
