package contact

import (
	"context"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
)

// Selection says what Stream reads.
type Selection struct {
	// List wants only those in a list.
	List *ListID
	// WithoutLists leaves ListIDs empty, which is quicker.
	WithoutLists bool
}

// streamBatch is how many contacts are held in memory at a time.
const streamBatch = 2000

// Stream calls f for every active contact, newest first, holding few at a time.
// It reads in batches, so that neither a slow receiver nor a large organization
// holds a connection for long: contacts added meanwhile do not appear, and each
// appears as it is when its batch is read. A list that does not exist is a fault.
func (s *Store) Stream(ctx context.Context, org account.ID, sel Selection, f func(*Contact) error) error {
	if sel.List != nil {
		if _, err := findList(ctx, s.db, org, *sel.List, ""); err != nil {
			return err
		}
	}
	last := lastID
	for {
		batch, err := s.batchBefore(ctx, org, sel, last)
		if err != nil {
			return err
		}
		for i := range batch {
			if err := f(&batch[i]); err != nil {
				return err
			}
		}
		if len(batch) < streamBatch {
			return nil
		}
		last = batch[len(batch)-1].ID
	}
}

// lastID is after every id.
var lastID = func() (last ID) {
	for i := range last {
		last[i] = 0xff
	}
	return last
}()

func (s *Store) batchBefore(ctx context.Context, org account.ID, sel Selection, last ID) ([]Contact, error) {
	text := `SELECT ` + rowColumns + ` FROM contact c WHERE c.account_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT $3`
	args := []any{org, last, streamBatch}
	if sel.List != nil {
		text = `SELECT ` + rowColumns + ` FROM (SELECT m.contact_id AS id FROM contact_list_member m
			WHERE m.account_id = $1 AND m.list_id = $4 AND m.contact_id < $2 ORDER BY m.contact_id DESC LIMIT $3) page
			CROSS JOIN contact c WHERE c.account_id = $1 AND c.id = page.id ORDER BY c.id DESC`
		args = append(args, *sel.List)
	}
	batch, err := database.Collect(ctx, s.db, contactOf, text, args...)
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	if !sel.WithoutLists {
		err = addLists(ctx, s.db, org, batch)
	}
	return batch, err
}
