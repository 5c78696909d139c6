package mail

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"ujumbe/internal/clock"
	"ujumbe/internal/id"
)

const (
	fileSuffix = ".eml"
	tempSuffix = ".tmp"
	// fileTime sorts as text in the order of time.
	fileTime  = "20060102T150405.000Z"
	staleTemp = time.Hour
)

// Files keeps each mail as an .eml file in a folder, for installations without
// a mail server. The files hold live links, so only their owner may read them.
type Files struct {
	dir   string
	from  From
	clock clock.Clock
}

// NewFiles makes the folder if need be, and clears away what a crash in the
// middle of a send has left there.
func NewFiles(dir string, from From, now clock.Clock) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("mail folder: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder needs the x bit
		return nil, fmt.Errorf("mail folder: %w", err)
	}
	removeStale(dir)
	return &Files{dir: dir, from: from, clock: now}, nil
}

// removeStale leaves young files alone: another process may be writing them.
func removeStale(dir string) {
	leftovers, _ := filepath.Glob(filepath.Join(dir, "*"+tempSuffix))
	for _, name := range leftovers {
		if info, err := os.Lstat(name); err == nil && time.Since(info.ModTime()) > staleTemp {
			_ = os.Remove(name)
		}
	}
}

// Send writes the mail under a name that sorts by time. The file appears whole
// or not at all, and is on disk when Send returns. The text is not
// quoted-printable, so that a person or a script can take a link from it as is.
func (f *Files) Send(ctx context.Context, m Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := f.clock.Now()
	msg, err := compose(m, f.from, now, gomail.NoEncoding)
	if err != nil {
		return err
	}
	name := now.Std().Format(fileTime) + "-" + id.New[Message]().String() + fileSuffix
	if err := f.write(name, msg); err != nil {
		return fmt.Errorf("keep mail as a file: %w", err)
	}
	return nil
}

func (f *Files) write(name string, msg *gomail.Msg) error {
	temp := filepath.Join(f.dir, strings.TrimSuffix(name, fileSuffix)+tempSuffix)
	if err := writeSynced(temp, msg); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, filepath.Join(f.dir, name)); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(f.dir)
}

func writeSynced(name string, msg *gomail.Msg) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = msg.WriteTo(file)
	return errors.Join(err, file.Sync(), file.Close())
}

// syncDir makes the new name itself durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
