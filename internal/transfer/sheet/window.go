package sheet

import (
	"io"
	"sync/atomic"
)

// window is the part of a stream that is looked at: buf[pos:end] is what has
// been read and not used yet. It grows up to limit bytes and no further.
type window struct {
	in       io.Reader
	buf      []byte
	pos, end int
	limit    int
	eof      bool
	// moved is by how much the last fill moved what was left to the front.
	moved int
}

func newWindow(in io.Reader, size, limit int) window {
	return window{in: in, buf: make([]byte, min(size, limit)), limit: limit}
}

// fill reads more and reports whether anything has changed: more bytes, or the
// end. It reads at least as much again as is there already, so that whoever
// starts over after each fill still does so in linear time.
func (w *window) fill() (bool, error) {
	w.moved = 0
	if w.eof {
		return false, nil
	}
	if w.end == len(w.buf) && !w.makeRoom() {
		return false, nil
	}
	want := min(len(w.buf)-w.end, max(1, w.end-w.pos))
	for got := 0; got < want; {
		n, err := w.in.Read(w.buf[w.end:])
		w.end += n
		got += n
		if err == io.EOF {
			w.eof = true
			break
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func (w *window) makeRoom() bool {
	if w.pos > 0 {
		w.moved = w.pos
		w.end = copy(w.buf, w.buf[w.pos:w.end])
		w.pos = 0
		return true
	}
	if len(w.buf) >= w.limit {
		return false
	}
	grown := make([]byte, min(2*len(w.buf), w.limit))
	copy(grown, w.buf[:w.end])
	w.buf = grown
	return true
}

// counter counts what is read through it, by whatever goroutine.
type counter struct {
	in io.Reader
	n  atomic.Int64
}

// Read implements io.Reader.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.n.Add(int64(n))
	return n, err
}
