package sheet

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

// csvSource reads delimited text. encoding/csv can't be used: it does not end a
// line at a bare CR, takes one quote that isn't closed for a cell that reaches
// to the end of the file, has no bound on a record, changes CRLF in a cell to
// LF, and does not count the records that it passes over. This is as fast, and
// takes nothing per row from the heap.
//
// A record ends at LF, CRLF or CR. A cell is quoted when its first character,
// spaces aside, is a quote; a quote anywhere else is text. What comes between
// the closing quote and the next delimiter is added to the cell.
type csvSource struct {
	window
	raw     *counter
	delim   byte
	columns int

	// Where the next of each byte is, see mark.
	lf, cr, quote mark

	number  int
	afterCR bool
	cells   [][]byte
	scratch []byte
}

const csvWindow = 64 << 10

// shownBytes is how much of a row that is too long is kept to show it.
const shownBytes = 200

func openCSV(src io.Reader, head []byte, size int64, limits Limits) (*Reader, error) {
	s, err := newCSVSource(src, head, limits)
	if err != nil {
		return nil, err
	}
	return openReader(s, CSV, size, limits)
}

// newCSVSource finds the charset and the delimiter. src begins with head.
func newCSVSource(src io.Reader, head []byte, limits Limits) (*csvSource, error) {
	cs, markBytes := detectCharset(head)
	raw := &counter{in: src}
	if _, err := io.CopyN(io.Discard, raw, int64(markBytes)); err != nil {
		return nil, fmt.Errorf("read the start of the file: %w", err)
	}
	s := &csvSource{
		window:  newWindow(decode(raw, cs), csvWindow, limits.RecordBytes),
		raw:     raw,
		delim:   ',',
		columns: limits.Columns,
		lf:      mark{char: '\n'},
		cr:      mark{char: '\r'},
		quote:   mark{char: '"'},
	}
	return s, s.detectDelimiter()
}

// checkRows finds a file with too many rows before anything of it is used. The
// line ends are quickly counted and are never fewer than the rows; only where
// they are over the limit are the rows themselves counted.
func checkRows(src io.ReaderAt, size int64, head []byte, limits Limits) error {
	lines := 1
	buf := make([]byte, 64<<10)
	for off := int64(0); off < size; {
		n, err := src.ReadAt(buf[:min(int64(len(buf)), size-off)], off)
		lines += bytes.Count(buf[:n], []byte{'\n'}) + bytes.Count(buf[:n], []byte{'\r'})
		off += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("count the lines: %w", err)
		}
	}
	if lines <= limits.Rows {
		return nil
	}
	r, err := openCSV(io.NewSectionReader(src, 0, size), head, size, limits)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	return r.lookThrough()
}

func (s *csvSource) bytesRead() int64 { return s.raw.n.Load() }

// Close implements io.Closer; there is nothing to give back.
func (s *csvSource) Close() error { return nil }

// next implements source.
func (s *csvSource) next(rec *record) error {
	if err := s.begin(); err != nil {
		return err
	}
	stop, reason, err := s.parse()
	if err != nil {
		return err
	}
	s.finish(stop)
	rec.number, rec.reason, rec.cells = s.number, reason, s.cells
	return nil
}

// begin goes to the next record that isn't an empty line.
func (s *csvSource) begin() error {
	for {
		for s.pos < s.end {
			c := s.buf[s.pos]
			if c != '\n' && c != '\r' {
				s.afterCR = false
				return nil
			}
			if c == '\r' || !s.afterCR {
				s.number++
			}
			s.afterCR = c == '\r'
			s.pos++
		}
		more, err := s.more()
		if err != nil {
			return err
		}
		if !more {
			return io.EOF
		}
	}
}

// finish goes behind the line end at stop.
func (s *csvSource) finish(stop int) {
	s.pos = stop
	if s.pos < s.end {
		s.afterCR = s.buf[s.pos] == '\r'
		s.pos++
	}
	s.number++
}

// parse splits the record at pos into cells and returns where it ends.
func (s *csvSource) parse() (stop int, reason Reason, err error) {
	for {
		stop, complete := s.split()
		if complete {
			return stop, "", nil
		}
		more, err := s.more()
		if err != nil {
			return 0, "", err
		}
		if !more {
			return s.giveUp()
		}
	}
}

func (s *csvSource) split() (stop int, complete bool) {
	stop = s.lineEnd()
	if s.quote.from(s.buf[:s.end], s.pos) < stop {
		return s.splitQuoted()
	}
	if stop == s.end && !s.eof {
		return 0, false
	}
	s.splitPlain(s.buf[s.pos:stop])
	return stop, true
}

// splitPlain is the way of nearly all rows: a line without a quote.
func (s *csvSource) splitPlain(line []byte) {
	s.cells = s.cells[:0]
	for len(s.cells) < s.columns {
		i := bytes.IndexByte(line, s.delim)
		if i < 0 {
			s.cells = append(s.cells, line)
			return
		}
		s.cells = append(s.cells, line[:i])
		line = line[i+1:]
	}
}

// giveUp deals with a record that has no end, or none within the limit. A line
// that opens a quote is given up alone; a line that is itself too long is
// passed over without being kept.
func (s *csvSource) giveUp() (stop int, reason Reason, err error) {
	stop = s.lineEnd()
	if stop < s.end || s.eof {
		s.cells = append(s.cells[:0], s.buf[s.pos:stop])
		return stop, QuoteNotClosed, nil
	}
	s.scratch = append(s.scratch[:0], beginning(s.buf[s.pos:s.end], shownBytes)...)
	s.cells = append(s.cells[:0], s.scratch)
	for {
		if stop = s.lineEnd(); stop < s.end {
			return stop, RowTooLong, nil
		}
		s.pos = s.end
		more, err := s.more()
		if err != nil {
			return 0, "", err
		}
		if !more {
			return s.end, RowTooLong, nil
		}
	}
}

// beginning is at most n bytes of a text, cut where a letter begins.
func beginning(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

func (s *csvSource) lineEnd() int {
	b := s.buf[:s.end]
	return min(s.lf.from(b, s.pos), s.cr.from(b, s.pos))
}

func (s *csvSource) more() (bool, error) {
	more, err := s.fill()
	if err != nil {
		return false, fmt.Errorf("read the file: %w", err)
	}
	s.lf.at -= s.moved
	s.cr.at -= s.moved
	s.quote.at -= s.moved
	return more, nil
}

// mark remembers where a byte comes next, so that a byte which a file never
// uses costs one search per buffer and not one per line.
type mark struct {
	char  byte
	at    int  // nothing between the last place asked for and here
	found bool // it is here
}

// from returns the place of the byte in b at or after pos, or len(b).
func (m *mark) from(b []byte, pos int) int {
	if m.found && m.at >= pos {
		return m.at
	}
	start := max(pos, m.at)
	i := bytes.IndexByte(b[start:], m.char)
	if m.found = i >= 0; m.found {
		m.at = start + i
	} else {
		m.at = len(b)
	}
	return m.at
}
