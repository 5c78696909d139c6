package sheet

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// delimiters in the order in which they are preferred when all else is equal.
const delimiters = ",;\t|"

// detectDelimiter looks at the header: the delimiter is the one that makes the
// most columns known by name out of it, the phone before all others, and then
// the most columns at all. Quoted cells keep their delimiters.
func (s *csvSource) detectDelimiter() error {
	if err := s.skipBlankLines(); err != nil || s.separatorLine() {
		return err
	}
	best := score{}
	chosen := s.delim
	for _, d := range []byte(delimiters) {
		s.delim = d
		_, reason, err := s.parse()
		if err != nil {
			return err
		}
		if reason != "" {
			continue
		}
		if sc := scoreHeader(s.cells); best.less(sc) {
			best, chosen = sc, d
		}
	}
	s.delim = chosen
	return nil
}

// skipBlankLines goes to the first line that has something in it under any
// delimiter. An empty file is for the reader of the header to find.
func (s *csvSource) skipBlankLines() error {
	for {
		err := s.begin()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		stop, reason, err := s.parse()
		if err != nil {
			return err
		}
		if reason == RowTooLong {
			return errHeader // and its line is gone
		}
		if reason != "" || len(bytes.Trim(s.buf[s.pos:stop], " \""+delimiters)) > 0 {
			return nil
		}
		s.finish(stop)
	}
}

// separatorLine takes the line "sep=;" that Excel understands at the top of a
// file. A spreadsheet does not show it, so it isn't counted as a row.
func (s *csvSource) separatorLine() bool {
	stop := s.lineEnd()
	line := bytes.Trim(s.buf[s.pos:stop], "\" ")
	if len(line) != 5 || !bytes.EqualFold(line[:4], []byte("sep=")) || strings.IndexByte(delimiters, line[4]) < 0 {
		return false
	}
	s.delim = line[4]
	s.finish(stop)
	s.number--
	return true
}

// score says how much like a header of contacts a row of cells is.
type score struct {
	phone bool
	known int
	cells int
}

func scoreHeader(cells [][]byte) score {
	at := matchColumns(cells)
	sc := score{phone: at[Phone] >= 0, cells: len(cells)}
	for _, i := range at {
		if i >= 0 {
			sc.known++
		}
	}
	return sc
}

func (a score) less(b score) bool {
	if a.phone != b.phone {
		return b.phone
	}
	if a.known != b.known {
		return a.known < b.known
	}
	return a.cells < b.cells
}
