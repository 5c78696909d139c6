package contact

import (
	"context"
	"fmt"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/job"
)

// settling is work after many contacts came in at once.
type settling struct{}

// Kind names the job.
func (settling) Kind() string { return "contact-settle" }

// manyRows is how many new contacts are worth settling at once. Fewer can wait,
// and an import that follows need not share the database with it.
const manyRows = 250_000

// Settle lets PostgreSQL learn of many contacts that were just stored: which
// pages hold nothing but rows for everybody to see, so that an index tells all
// of a row, and how common values are. It would do so by itself some minutes
// later, and reads would be several times slower until then.
func (s *Store) Settle(ctx context.Context, queue *job.Queue, stored int64) error {
	if stored < manyRows || s.db.Engine() != database.Postgres {
		return nil
	}
	return s.db.InTx(ctx, func(tx database.Tx) error { return queue.Enqueue(ctx, tx, settling{}, time.Hour) })
}

func (s *Store) settle(ctx context.Context, _ settling) error {
	if _, err := s.db.Exec(ctx, `VACUUM (ANALYZE) contact, contact_list_member, contact_name`); err != nil {
		return fmt.Errorf("settle contacts: %w", err)
	}
	return nil
}
