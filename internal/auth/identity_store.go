package auth

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

func (s *store) addFlow(ctx context.Context, q database.Querier, f flow, expires clock.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO identity_flow (state_hash, nonce_hash, slot, redirect_url, verifier, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		f.stateHash, f.nonceHash, f.slot, f.redirectURL, f.verifier, expires)
	if err != nil {
		return fmt.Errorf("insert identity flow: %w", err)
	}
	return nil
}

// findFlow completes an open flow that is known by its state.
func (s *store) findFlow(ctx context.Context, q database.Querier, f flow) (flow, bool, error) {
	err := q.QueryRow(ctx, `SELECT nonce_hash, verifier FROM identity_flow WHERE state_hash = $1 AND slot = $2 AND redirect_url = $3 AND expires_at > $4`,
		f.stateHash, f.slot, f.redirectURL, s.clock.Now()).Scan(&f.nonceHash, &f.verifier)
	if errors.Is(err, database.ErrNoRows) {
		return flow{}, false, nil
	}
	if err != nil {
		return flow{}, false, fmt.Errorf("read identity flow: %w", err)
	}
	return f, true, nil
}

// spendFlow takes an open flow away; of concurrent callers one gets it. A flow
// that is known by its nonce alone must be one without a verifier.
func (s *store) spendFlow(ctx context.Context, tx database.Tx, f flow) (bool, error) {
	where, key := `state_hash = $1`, f.stateHash
	if f.stateHash == nil {
		where, key = `nonce_hash = $1 AND verifier = ''`, f.nonceHash
	}
	n, err := tx.Exec(ctx, `DELETE FROM identity_flow WHERE `+where+` AND slot = $2 AND redirect_url = $3 AND expires_at > $4`,
		key, f.slot, f.redirectURL, s.clock.Now())
	if err != nil {
		return false, fmt.Errorf("spend identity flow: %w", err)
	}
	return n == 1, nil
}

func (s *store) sweepFlows(ctx context.Context, db *database.DB) error {
	err := db.Sweep(ctx, `DELETE FROM identity_flow WHERE state_hash IN (
		SELECT state_hash FROM identity_flow WHERE expires_at <= $1 LIMIT $2)`, s.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep identity flows: %w", err)
	}
	return nil
}

// byIdentity finds the user whom a provider's subject is linked to.
func (s *store) byIdentity(ctx context.Context, q database.Querier, issuer, subject string) (mailbox, bool, error) {
	return s.mailbox(ctx, q, `id = (SELECT user_id FROM identity_link WHERE issuer = $1 AND subject = $2)`, issuer, subject)
}

// addLink reports false when the identity is already linked.
func (s *store) addLink(ctx context.Context, tx database.Tx, issuer, subject string, user account.UserID) (bool, error) {
	n, err := tx.Exec(ctx, `INSERT INTO identity_link (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (issuer, subject) DO NOTHING`,
		issuer, subject, user, s.clock.Now())
	if err != nil {
		return false, fmt.Errorf("insert identity link: %w", err)
	}
	return n == 1, nil
}

// unlinkUnverified drops the links of a user whose address is not verified:
// whoever made them has not shown that the address is theirs.
func (s *store) unlinkUnverified(ctx context.Context, tx database.Tx, user account.UserID) error {
	err := tx.Queue(ctx, `DELETE FROM identity_link WHERE user_id IN (SELECT id FROM users WHERE id = $1 AND NOT is_verified)`, user)
	if err != nil {
		return fmt.Errorf("delete identity links: %w", err)
	}
	return nil
}

// nameUnnamed stores a name when it first comes. It replaces none, and an empty
// one changes nothing.
func (s *store) nameUnnamed(ctx context.Context, tx database.Tx, user account.UserID, first, last string) error {
	if first == "" && last == "" {
		return nil
	}
	err := tx.Queue(ctx, `UPDATE users SET first_name = $1, last_name = $2, updated_at = $3 WHERE id = $4 AND first_name = '' AND last_name = ''`,
		first, last, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("name user: %w", err)
	}
	return nil
}
