// Package transfer moves contacts in and out in bulk: files and JSON that are
// imported with a record of what became of every row, exports that stream, and
// exports that go out by mail. It stores whole chunks and holds no more of an
// upload in memory than a few of them and the numbers it has seen.
package transfer

import (
	"context"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
)

// Needs are the parts that Service is made of.
type Needs struct {
	DB       *database.DB
	Clock    clock.Clock
	Contacts *contact.Store
	Accounts *account.Store
	Trail    *account.Trail
	Queue    *job.Queue
	Mail     mail.Sender
	Limiter  *ratelimit.Limiter
	// Folder is where uploads lie while they are read.
	Folder string
	// MaxFile and MaxBulk bound an import file and a bulk body, in bytes.
	MaxFile, MaxBulk int64
	// Stopping is closed when the node stops: imports then end at the chunk in
	// hand.
	Stopping <-chan struct{}
}

// Service holds the rules about imports and exports.
type Service struct {
	Needs
	store *store
	// What runs at once on this node is bounded, so that uploads fill neither
	// the disk nor the memory. Uploads hold a file, runs hold memory and
	// connections, mailings hold a file in memory, watchers hold a connection.
	uploads, runs, mailings, watchers *places
}

// NewService returns the rules and adds the background work to the queue.
func NewService(n Needs) *Service {
	s := &Service{
		Needs: n, store: &store{db: n.DB, clock: n.Clock},
		uploads: newPlaces(64, 32), runs: newPlaces(4, 3), mailings: newPlaces(2, 1), watchers: newPlaces(256, 64),
	}
	if n.DB.Engine() == database.SQLite {
		// There is one writer: more would only make each other, and everyone
		// else, wait.
		s.runs = newPlaces(3, 2)
	}
	job.Handle(n.Queue, s.deliver)
	n.Queue.Every("transfer-interrupted", lease/2, s.store.interrupt)
	n.Queue.Every("transfer-sweep", time.Hour, s.store.sweep)
	return s
}

// Recover settles what a former process on this database left running. On
// SQLite there is no other process; on PostgreSQL another node may be at work,
// and silence tells.
func (s *Service) Recover(ctx context.Context) error {
	if s.DB.Engine() == database.SQLite {
		return s.store.interruptAll(ctx)
	}
	return s.store.interrupt(ctx)
}
