package contact

import (
	"context"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
)

// trashBatch is how many contacts of an import go to the trash in one
// transaction, so that others need not wait long behind it.
const trashBatch = 1000

// TrashImported puts the active contacts that an import brought in into the
// trash, in several transactions, and returns how many.
func (s *Store) TrashImported(ctx context.Context, org account.ID, imported ImportID) (total int64, err error) {
	// The range is where the loader puts their ids.
	after, end := ID(imported), id.PlacedEnd[Contact](imported)
	for {
		batch, err := database.Collect(ctx, s.db, database.Column[ID], `SELECT id FROM contact
			WHERE account_id = $1 AND id > $2 AND id < $3 AND import_id = $4 ORDER BY id LIMIT $5`, org, after, end, imported, trashBatch)
		if err != nil {
			return total, fmt.Errorf("read contacts of an import: %w", err)
		}
		if len(batch) == 0 {
			return total, nil
		}
		n, err := s.Trash(ctx, org, batch)
		total += n
		if err != nil {
			return total, err
		}
		after = batch[len(batch)-1]
	}
}
