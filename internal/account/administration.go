package account

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/database"
	"ujumbe/internal/fault"
)

var errNoAccount = fault.NotFound("account_not_found", "There is no organization with this id.")

// SetStatus suspends or reactivates an organization and reports whether that
// changed anything. Its members feel it on their next request, those of other
// nodes within standingLife.
func (s *Store) SetStatus(ctx context.Context, tx database.Tx, org ID, status Status) (changed bool, err error) {
	n, err := tx.Exec(ctx, `UPDATE account SET status = $1, updated_at = $2 WHERE id = $3 AND status <> $1`, status, s.clock.Now(), org)
	if err != nil {
		return false, fmt.Errorf("set status of an organization: %w", err)
	}
	if n > 0 {
		s.forgetAll(tx)
		return true, nil
	}
	_, err = s.Find(ctx, tx, org)
	if errors.Is(err, database.ErrNoRows) {
		return false, errNoAccount
	}
	return false, err
}
