package httpapi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"ujumbe/internal/fault"
)

// Spool is an upload that has arrived: a file that is never seen in its folder
// and is gone when it is closed, or when the process dies. Uploads over slow
// links would otherwise fill the memory.
type Spool struct {
	*os.File
	Size int64
}

var errNoSpace = fault.Unavailable("storage_full", "The server has no space for the upload just now. Tell the operator.", time.Minute)

// NewSpool takes everything from src. An error of the file, not of src, is an
// fs.PathError, or a fault where the disk is full.
func NewSpool(folder string, src io.Reader) (*Spool, error) {
	s, err := newSpool(folder, src)
	if errors.Is(err, syscall.ENOSPC) {
		err = errNoSpace
	}
	return s, err
}

func newSpool(folder string, src io.Reader) (*Spool, error) {
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
	s := &Spool{File: file}
	if s.Size, err = io.Copy(file, src); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close gives the file up.
func (s *Spool) Close() {
	_ = s.File.Close()
	_ = os.Remove(s.Name())
}
