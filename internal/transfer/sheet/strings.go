package sheet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// blockStrings is how many strings share one entry of the index. A string
	// is found by walking through its block.
	blockStrings = 16
	spillBytes   = 256 << 10
	pageBytes    = 8 << 10
	pageCount    = 64
)

// stringTable holds the shared strings of a workbook. In a sheet as Excel saves
// it, nearly every cell refers to one, so a million contacts are a hundred
// megabytes of them: what goes beyond Limits.StringBytes is written to a
// temporary file and read back through a small cache. Rows mostly refer to
// strings that stand near one another.
type stringTable struct {
	limits Limits
	count  int
	starts []int64 // where each block begins
	size   int64
	mem    []byte // all strings, or those not yet written to file
	file   *os.File

	pages   []page
	scratch []byte
}

type page struct {
	number int64
	data   []byte
}

func newStringTable(limits Limits) *stringTable { return &stringTable{limits: limits} }

// Close removes the temporary file.
func (t *stringTable) Close() error {
	if t.file == nil {
		return nil
	}
	err := t.file.Close()
	_ = os.Remove(t.file.Name()) // not there any more where an open file can be removed
	t.file = nil
	return err
}

// load reads the part that holds the strings and is size bytes long.
func (t *stringTable) load(part io.Reader, size uint64) error {
	t.mem = make([]byte, 0, min(size, uint64(t.limits.StringBytes)+spillBytes))
	x := newXMLScanner(part)
	mostBytes := 4*t.limits.CellChars + 4 // enough to see that it is too long
	var in textRuns
	var text, proper []byte
	for {
		kind, err := x.next()
		if errors.Is(err, io.EOF) {
			return t.loaded()
		}
		if err != nil {
			return err
		}
		switch {
		case kind == xmlText:
			if in.text && len(text) < mostBytes {
				text = x.appendTo(text)
			}
		case string(x.name) != "si":
			in.see(kind, x.name)
		case kind == xmlStart:
			text, in = text[:0], textRuns{}
		default:
			proper = appendProper(proper[:0], unescape(text))
			if err := t.add(proper[:min(len(proper), mostBytes)]); err != nil {
				return err
			}
		}
	}
}

func (t *stringTable) add(text []byte) error {
	if t.count == t.limits.Strings {
		return tooLargeUnzipped()
	}
	if t.count%blockStrings == 0 {
		t.starts = append(t.starts, t.size)
	}
	t.count++
	before := len(t.mem)
	t.mem = binary.AppendUvarint(t.mem, uint64(len(text)))
	t.mem = append(t.mem, text...)
	t.size += int64(len(t.mem) - before)
	switch {
	case t.file == nil && len(t.mem) > t.limits.StringBytes:
		return t.spill()
	case t.file != nil && len(t.mem) > spillBytes:
		return t.flush()
	default:
		return nil
	}
}

func (t *stringTable) loaded() error {
	t.starts = append(t.starts, t.size)
	if t.file == nil {
		return nil
	}
	t.pages = make([]page, pageCount)
	return t.flush()
}

func (t *stringTable) spill() error {
	file, err := os.CreateTemp(t.limits.TempDir, "ujumbe-strings-*")
	if err != nil {
		return fmt.Errorf("make a file for shared strings: %w", err)
	}
	_ = os.Remove(file.Name()) // gone at once where the system allows, else in Close
	t.file = file
	if err := t.flush(); err != nil {
		return err
	}
	t.mem = nil
	return nil
}

func (t *stringTable) flush() error {
	if _, err := t.file.Write(t.mem); err != nil {
		return fmt.Errorf("write shared strings: %w", err)
	}
	t.mem = t.mem[:0]
	return nil
}

// appendString appends string i.
func (t *stringTable) appendString(dst []byte, i int) ([]byte, error) {
	if i >= t.count {
		return nil, corrupt("a cell refers to a text that isn't there")
	}
	block, err := t.block(i / blockStrings)
	if err != nil {
		return nil, err
	}
	for range i % blockStrings {
		n, width := binary.Uvarint(block)
		block = block[width+int(n):]
	}
	n, width := binary.Uvarint(block)
	return append(dst, block[width:width+int(n)]...), nil
}

// block returns the bytes of a block, valid until the next call.
func (t *stringTable) block(i int) ([]byte, error) {
	from, to := t.starts[i], t.starts[i+1]
	if t.file == nil {
		return t.mem[from:to], nil
	}
	number := from / pageBytes
	if (to-1)/pageBytes != number {
		t.scratch = append(t.scratch[:0], make([]byte, to-from)...)
		return t.scratch, t.readAt(t.scratch, from)
	}
	p := &t.pages[number%pageCount]
	if p.data == nil || p.number != number {
		if p.data == nil {
			p.data = make([]byte, pageBytes)
		}
		p.number = number
		n := min(pageBytes, t.size-number*pageBytes)
		if err := t.readAt(p.data[:n], number*pageBytes); err != nil {
			return nil, err
		}
	}
	return p.data[from-number*pageBytes : to-number*pageBytes], nil
}

func (t *stringTable) readAt(p []byte, off int64) error {
	if _, err := t.file.ReadAt(p, off); err != nil {
		return fmt.Errorf("read shared strings: %w", err)
	}
	return nil
}
