package transfer

import (
	"context"
	"errors"
	"io"
	"slices"

	"ujumbe/internal/contact"
)

// chunk is as many rows as are stored together.
type chunk struct {
	drafts []contact.Draft
	place  int // of the first draft, among all of the upload
	// kept says which row each draft came from, passed are the rows that are
	// none.
	kept, passed []rowNote
	// lines are all rows of the chunk as lines of CSV.
	lines []byte
	bytes int64 // of the upload that the rows take up
}

// rowNote is where a row stands in its file, and its line in the chunk.
type rowNote struct {
	number   int
	reason   string // why it was passed over, or how it was amended
	from, to int
}

// chunkBytes bounds the rows of a chunk beside their number: a row may be long.
const chunkBytes = 4 << 20

func (c *chunk) reset() {
	clear(c.drafts)
	c.drafts, c.kept, c.passed, c.lines = c.drafts[:0], c.kept[:0], c.passed[:0], c.lines[:0]
}

func (c *chunk) rows() int { return len(c.kept) + len(c.passed) }

// lookRows is after how many rows the reader looks whether anybody still waits
// for them: a row may be 1 MiB of work.
const lookRows = 256

// fill reads up to size drafts. It returns io.EOF with the last rows, and gives
// up soon after the context has ended.
func (c *chunk) fill(ctx context.Context, src source, j *judge, size int) error {
	c.reset()
	from := src.bytesRead()
	defer func() { c.bytes = src.bytesRead() - from }()
	var e entry
	// Rows that are passed over cost little to store, but a file may have
	// nothing else.
	for len(c.drafts) < size && len(c.passed) < 4*size && len(c.lines) < chunkBytes {
		if c.rows()%lookRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := src.next(&e); err != nil {
			if errors.Is(err, io.EOF) {
				return io.EOF
			}
			return err
		}
		note := rowNote{number: e.number, from: len(c.lines)}
		c.lines = src.appendLine(c.lines)
		note.to = len(c.lines)
		v := j.decide(&e)
		if v.reason != "" {
			note.reason = v.reason
			c.passed = append(c.passed, note)
			continue
		}
		note.reason = v.amended
		c.drafts = append(c.drafts, v.draft)
		c.kept = append(c.kept, note)
	}
	return nil
}

// outcome is what storing a chunk came to.
type outcome struct {
	progress         progress
	skipped, amended detail
}

// outcome sorts the rows by what became of them. Details are left out where the
// room for them is used up.
func (c *chunk) outcome(loaded contact.Loaded, room *room) *outcome {
	o := &outcome{progress: progress{
		bytes: c.bytes, rows: c.rows(), valid: loaded.Valid, invalid: loaded.Invalid,
		skipped: len(c.passed) + len(loaded.Duplicates),
	}}
	passed := c.passed
	if len(loaded.Duplicates) > 0 {
		passed = slices.Clone(passed)
		for _, at := range loaded.Duplicates {
			note := c.kept[at]
			note.reason = reasonExists
			passed = append(passed, note)
		}
		slices.SortFunc(passed, func(a, b rowNote) int { return a.number - b.number })
	}
	for _, note := range passed {
		c.tell(&o.skipped, note, room.skipped)
	}
	duplicates := loaded.Duplicates
	for at, note := range c.kept {
		if len(duplicates) > 0 && duplicates[0] == at {
			duplicates = duplicates[1:]
			continue
		}
		if note.reason != "" {
			o.progress.amended++
			c.tell(&o.amended, note, room.amended)
		}
	}
	return o
}

func (c *chunk) tell(d *detail, note rowNote, room share) {
	if d.rows < room.rows && len(d.lines) < room.bytes {
		d.add(note.number, note.reason, c.lines[note.from:note.to])
	}
}

// share is how much may still be kept of a kind of rows.
type share struct {
	rows, bytes int
}

// room is how much may still be kept of the rows of an import.
type room struct {
	skipped, amended share
}

func newRoom() room {
	whole := share{detailRows, detailBytes}
	return room{whole, whole}
}

// use takes off what was kept.
func (r *room) use(o *outcome) {
	r.skipped.rows -= o.skipped.rows
	r.skipped.bytes -= len(o.skipped.lines)
	r.amended.rows -= o.amended.rows
	r.amended.bytes -= len(o.amended.lines)
}
