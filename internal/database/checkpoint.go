package database

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
)

// What SQLite's writer commits is appended to a log, and has to be copied into
// the database now and then. By default the writer does so itself, in the middle
// of a commit and every four megabytes, although an import writes the same pages
// again and again. Here a connection of its own does it beside the writer, more
// seldom, and only the rest that arrived meanwhile is copied while others wait.
const (
	// logShort is the size to which a log is cut when it begins anew, logLong the
	// one at which it is time to copy it.
	logShort = 4 << 20
	logLong  = 48 << 20
	// rounds is how often what has arrived meanwhile is copied, each time less,
	// before others have to wait for it.
	rounds = 3
	// autoCheckpoint, in pages, bounds the log should all else fail, and for
	// processes that have no checkpointer.
	autoCheckpoint = "wal_autocheckpoint(65536)"
)

// checkpointer keeps the log of a SQLite database short.
type checkpointer struct {
	path    string // of the log
	db      *sql.DB
	turn    chan struct{} // the writers'
	pending chan struct{}
	stopped context.Context
	cancel  context.CancelFunc
	done    chan struct{}
}

func startCheckpointer(path string, pragmas url.Values, turn chan struct{}) (*checkpointer, error) {
	db, err := openFile(path, pragmas)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	c := &checkpointer{path: path + "-wal", db: db, turn: turn, pending: make(chan struct{}, 1), done: make(chan struct{})}
	c.stopped, c.cancel = context.WithCancel(context.Background())
	go c.run()
	return c, nil
}

// wrote is told after each commit.
func (c *checkpointer) wrote() {
	if c.size() < logLong {
		return
	}
	select {
	case c.pending <- struct{}{}:
	default:
	}
}

func (c *checkpointer) size() int64 {
	info, err := os.Stat(c.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (c *checkpointer) run() {
	defer close(c.done)
	for {
		select {
		case <-c.stopped.Done():
			return
		case <-c.pending:
		}
		if err := c.copyLog(); err != nil && c.stopped.Err() == nil {
			slog.Warn("the log of the database can't be copied into it", "error", err)
		}
	}
}

// copyLog copies what is in the log while others go on writing, and then holds
// them up for the rest, so that the log begins anew.
func (c *checkpointer) copyLog() error {
	for range rounds {
		if err := c.checkpoint(); err != nil {
			return err
		}
	}
	select {
	case c.turn <- struct{}{}:
	case <-c.stopped.Done():
		return nil
	}
	defer func() { <-c.turn }()
	return c.checkpoint()
}

func (c *checkpointer) checkpoint() error {
	if _, err := c.db.ExecContext(c.stopped, `PRAGMA wal_checkpoint(PASSIVE)`); err != nil {
		return fmt.Errorf("checkpoint: %w", mapError(err))
	}
	return nil
}

func (c *checkpointer) stop() error {
	c.cancel()
	<-c.done
	return c.db.Close()
}
