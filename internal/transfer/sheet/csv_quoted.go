package sheet

import "bytes"

// splitQuoted splits the record at pos, which has a quote in it, and reports
// whether all of it is in the window.
func (s *csvSource) splitQuoted() (stop int, complete bool) {
	b := s.buf[:s.end]
	s.cells, s.scratch = s.cells[:0], s.scratch[:0]
	for i := s.pos; ; {
		cell, end, ok := s.cell(b, i)
		if !ok {
			return 0, false
		}
		if len(s.cells) < s.columns {
			s.cells = append(s.cells, cell)
		}
		if end == len(b) {
			return end, s.eof
		}
		if b[end] != s.delim {
			return end, true
		}
		i = end + 1
	}
}

// cell reads the cell that begins at i and returns where it ends, which is a
// delimiter, a line end or the end of b. It is not ok when a quote in it isn't
// closed.
func (s *csvSource) cell(b []byte, i int) (cell []byte, end int, ok bool) {
	open := i
	for open < len(b) && b[open] == ' ' {
		open++
	}
	if open < len(b) && b[open] == '"' {
		return s.quotedCell(b, open+1)
	}
	end = s.cellEnd(b, i)
	return b[i:end], end, true
}

// quotedCell reads on behind the opening quote. Only a cell that isn't one
// piece in the window is put together in the scratch space.
func (s *csvSource) quotedCell(b []byte, i int) (cell []byte, end int, ok bool) {
	first := len(s.scratch)
	for from := i; ; {
		q := bytes.IndexByte(b[from:], '"')
		if q < 0 {
			return nil, 0, false
		}
		q += from
		if q+1 < len(b) && b[q+1] == '"' {
			s.scratch = append(s.scratch, b[from:q+1]...)
			from = q + 2
			continue
		}
		end = s.cellEnd(b, q+1)
		tail := bytes.TrimRight(b[q+1:end], " ")
		if len(s.scratch) == first && len(tail) == 0 {
			return b[from:q], end, true
		}
		s.scratch = append(s.scratch, b[from:q]...)
		s.scratch = append(s.scratch, tail...)
		return s.scratch[first:len(s.scratch):len(s.scratch)], end, true
	}
}

func (s *csvSource) cellEnd(b []byte, i int) int {
	for ; i < len(b); i++ {
		if c := b[i]; c == s.delim || c == '\n' || c == '\r' {
			break
		}
	}
	return i
}
