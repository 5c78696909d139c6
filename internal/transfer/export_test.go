package transfer

import (
	"errors"
	"io"
	"strings"
)

// ReadAndJudge reads a file and judges its rows as an import does, and stores
// nothing. It returns how many rows would be stored, and passed over.
func ReadAndJudge(folder, content string) (kept, passed int, err error) {
	file, err := newSpool(folder, strings.NewReader(content))
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	src, err := openFile(file, folder)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
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
