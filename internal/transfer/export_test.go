package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
)

// ReadAndJudge reads a file and judges its rows as an import does, and stores
// nothing. It returns how many rows would be stored, and passed over.
func ReadAndJudge(folder, content string) (kept, passed int, err error) {
	file, err := httpapi.NewSpool(folder, strings.NewReader(content))
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	src, err := openFile(file, folder)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	return readAll(context.Background(), src)
}

// ReadAbandoned is ReadAndJudge for somebody who is gone after some rows.
func ReadAbandoned(folder, content string, rows int) (read int, err error) {
	file, err := httpapi.NewSpool(folder, strings.NewReader(content))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	src, err := openFile(file, folder)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	counted := &countedSource{source: src, at: rows, reached: leave}
	_, _, err = readAll(ctx, counted)
	return counted.rows, err
}

// ReadShortened is ReadBulk for a body of which half is gone once it was looked
// through.
func ReadShortened(folder string, body []byte) (rows int, err error) {
	file, err := httpapi.NewSpool(folder, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	src, err := openBulk(file)
	if err != nil {
		return 0, err
	}
	if err := file.Truncate(file.Size / 2); err != nil {
		return 0, err
	}
	kept, passed, err := readAll(context.Background(), src)
	return kept + passed, err
}

// RunBroken runs an import in which everything that reads or stores panics.
func RunBroken(ctx context.Context, db *database.DB) error {
	r := &run{service: &Service{Needs: Needs{DB: db}}, loader: &contact.Loader{}}
	return r.all(ctx)
}

// countedSource tells when a row is reached.
type countedSource struct {
	source
	rows, at int
	reached  func()
}

func (s *countedSource) next(e *entry) error {
	if s.rows++; s.rows == s.at {
		s.reached()
	}
	return s.source.next(e)
}

func readAll(ctx context.Context, src source) (kept, passed int, err error) {
	j, c := newJudge(), &chunk{}
	for {
		err := c.fill(ctx, src, j, 5000)
		kept, passed = kept+len(c.kept), passed+len(c.passed)
		if errors.Is(err, io.EOF) {
			return kept, passed, nil
		}
		if err != nil {
			return kept, passed, err
		}
	}
}

// ReadBulk reads a bulk body as an import does, and stores nothing.
func ReadBulk(folder string, body []byte) (kept, passed int, err error) {
	file, err := httpapi.NewSpool(folder, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	src, err := openBulk(file)
	if err != nil {
		return 0, 0, err
	}
	return readAll(context.Background(), src)
}

// ReadForm reads a form as an import does. It returns the name and the content of
// its file, and whether it names a list.
func ReadForm(folder, contentType string, body []byte, maxFile int64) (name, content string, hasList bool, err error) {
	u, err := readForm(bytes.NewReader(body), contentType, folder, maxFile)
	if err != nil {
		return "", "", false, err
	}
	defer u.close()
	read, err := io.ReadAll(u.file)
	return u.name, string(read), u.list != nil, err
}
