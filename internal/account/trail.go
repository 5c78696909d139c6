package account

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
)

// Trail writes what customers do into the audit trail of their organization.
type Trail struct {
	trail *audit.Trail
}

// NewTrail returns the customers' side of the audit trail.
func NewTrail(trail *audit.Trail) *Trail { return &Trail{trail} }

// Record writes a caller's deed with the transaction that does it.
func (t *Trail) Record(ctx context.Context, tx database.Tx, by Caller, action, target string) error {
	return t.RecordIn(ctx, tx, by.Account, by.User, action, target)
}

// RecordIn writes a person's deed into the trail of an organization that they
// need not be acting in.
func (t *Trail) RecordIn(ctx context.Context, tx database.Tx, org ID, user UserID, action, target string) error {
	var email string
	err := tx.QueryRow(ctx, `SELECT email FROM users WHERE id = $1`, user).Scan(&email)
	if errors.Is(err, database.ErrNoRows) {
		return errInvalidToken
	}
	if err != nil {
		return fmt.Errorf("read actor: %w", err)
	}
	actor := id.Of[audit.Being](user)
	return t.trail.Write(ctx, tx, audit.Entry{
		Account: id.Of[audit.Organization](org), ActorKind: audit.User, ActorID: &actor, Actor: email, Action: action, Target: target,
	})
}
