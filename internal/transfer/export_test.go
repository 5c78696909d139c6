package transfer

import (
	"bytes"
	"errors"
	"io"
	"strings"

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
	return readAll(src)
}

func readAll(src source) (kept, passed int, err error) {
	j, c := newJudge(), &chunk{}
	for {
		err := c.fill(src, j, 5000)
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
	return readAll(src)
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
