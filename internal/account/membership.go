package account

import (
	"context"
	"fmt"

	"ujumbe/internal/database"
)

// Whoever calls what changes a membership has the person's row (see Hold), so
// that what they read of it still holds when they write. An owner's membership
// is beyond all of these: that is how an organization always has one.

// SetRole gives a member another role.
func (s *Store) SetRole(ctx context.Context, tx database.Tx, org ID, user UserID, role Role) error {
	return s.change(ctx, tx, org, user, `UPDATE membership SET role = $3 WHERE account_id = $1 AND user_id = $2 AND role <> 'owner'`, role)
}

// SetActive lets a member act in an organization, or no longer.
func (s *Store) SetActive(ctx context.Context, tx database.Tx, org ID, user UserID, active bool) error {
	return s.change(ctx, tx, org, user, `UPDATE membership SET is_active = $3 WHERE account_id = $1 AND user_id = $2 AND role <> 'owner'`, active)
}

// Part takes a member out of an organization.
func (s *Store) Part(ctx context.Context, tx database.Tx, org ID, user UserID) error {
	return s.change(ctx, tx, org, user, `DELETE FROM membership WHERE account_id = $1 AND user_id = $2 AND role <> 'owner'`)
}

func (s *Store) change(ctx context.Context, tx database.Tx, org ID, user UserID, statement string, args ...any) error {
	if err := tx.Queue(ctx, statement, append([]any{org, user}, args...)...); err != nil {
		return fmt.Errorf("change membership: %w", err)
	}
	s.Forget(tx, user)
	return nil
}

// Elsewhere reports whether a person has a membership, active or not, in any
// organization but this.
func (s *Store) Elsewhere(ctx context.Context, q database.Querier, org ID, user UserID) (bool, error) {
	var elsewhere bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM membership WHERE user_id = $1 AND account_id <> $2)`, user, org).Scan(&elsewhere)
	if err != nil {
		return false, fmt.Errorf("look for other memberships: %w", err)
	}
	return elsewhere, nil
}
