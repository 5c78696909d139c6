package transfer

import (
	"fmt"
	"io"
	"os"
)

// spool is an upload on its way through: a file that is never seen in its folder
// and is gone when it is closed, or when the process dies.
type spool struct {
	file *os.File
	size int64
}

// newSpool takes everything from src.
func newSpool(folder string, src io.Reader) (*spool, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("folder of uploads: %w", err)
	}
	file, err := os.CreateTemp(folder, "upload-")
	if err != nil {
		return nil, fmt.Errorf("file of an upload: %w", err)
	}
	// The open file stays readable. Where a system does not allow this, Close
	// removes it.
	_ = os.Remove(file.Name())
	s := &spool{file: file}
	s.size, err = io.Copy(file, src)
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close gives the file up.
func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}
