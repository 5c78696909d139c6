package contact

import (
	"context"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
)

// trashBatch is how many contacts of an import go to the trash in one
// transaction, so that others need not wait long behind it.
const trashBatch = 1000

// TrashImported puts the active contacts that an import brought in into the
// trash, in several transactions, and returns how many. Their ids lie above the
// import's own and, where given, below until.
func (s *Store) TrashImported(ctx context.Context, org account.ID, imported ImportID, until *ID) (total int64, err error) {
	after, last := ID(imported), lastID
	if until != nil {
		last = *until
	}
	for {
		batch, err := database.Collect(ctx, s.db, database.Column[ID], `SELECT id FROM contact
			WHERE account_id = $1 AND id > $2 AND id < $3 AND import_id = $4 ORDER BY id LIMIT $5`, org, after, last, imported, trashBatch)
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
