package auth

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

// store has the SQL of signing in.
type store struct {
	clock clock.Clock
}

// credentials are what a login is checked against; empty for an unknown email.
type credentials struct {
	user     account.UserID
	account  *account.ID
	hash     string
	verified bool
	active   bool
}

func (s *store) credentials(ctx context.Context, q database.Querier, emailKey string) (credentials, error) {
	var (
		c    credentials
		hash *string
	)
	err := q.QueryRow(ctx, `SELECT id, active_account_id, password_hash, is_verified,
		EXISTS (SELECT 1 FROM membership m WHERE m.user_id = users.id AND m.is_active)
		FROM users WHERE email_key = $1`, emailKey).Scan(&c.user, &c.account, &hash, &c.verified, &c.active)
	if errors.Is(err, database.ErrNoRows) {
		return credentials{}, nil
	}
	if err != nil {
		return credentials{}, fmt.Errorf("read credentials: %w", err)
	}
	if hash != nil {
		c.hash = *hash
	}
	return c, nil
}

// recordLogin notes the moment and, if given, the password's new hash.
func (s *store) recordLogin(ctx context.Context, tx database.Tx, user account.UserID, rehash string) error {
	_, err := tx.Exec(ctx, `UPDATE users SET last_login_at = $1, password_hash = CASE WHEN $2 = '' THEN password_hash ELSE $2 END WHERE id = $3`,
		s.clock.Now(), rehash, user)
	if err != nil {
		return fmt.Errorf("record login: %w", err)
	}
	return nil
}

// mailbox is what a mailed link leads to.
type mailbox struct {
	user     account.UserID
	name     string
	email    string
	verified bool
}

// byEmail finds who has an address, with an active membership or not.
func (s *store) byEmail(ctx context.Context, q database.Querier, emailKey string) (mailbox, bool, error) {
	return s.mailbox(ctx, q, `email_key = $1`, emailKey)
}

// byLink finds whom a redeemed link is about, unless their address has changed
// since.
func (s *store) byLink(ctx context.Context, q database.Querier, user account.UserID, emailKey string) (mailbox, bool, error) {
	return s.mailbox(ctx, q, `id = $1 AND email_key = $2`, user, emailKey)
}

func (s *store) mailbox(ctx context.Context, q database.Querier, where string, args ...any) (mailbox, bool, error) {
	var m mailbox
	err := q.QueryRow(ctx, `SELECT id, first_name, email, is_verified FROM users WHERE `+where, args...).Scan(&m.user, &m.name, &m.email, &m.verified)
	if errors.Is(err, database.ErrNoRows) {
		return mailbox{}, false, nil
	}
	if err != nil {
		return mailbox{}, false, fmt.Errorf("read user: %w", err)
	}
	return m, true, nil
}

func (s *store) verify(ctx context.Context, tx database.Tx, user account.UserID) error {
	_, err := tx.Exec(ctx, `UPDATE users SET is_verified = $1, updated_at = $2 WHERE id = $3`, true, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("verify user: %w", err)
	}
	return nil
}

// setPassword replaces a password by one that the owner of the mailbox chose; an
// empty hash leaves none.
func (s *store) setPassword(ctx context.Context, tx database.Tx, user account.UserID, hash string) error {
	var value *string
	if hash != "" {
		value = &hash
	}
	_, err := tx.Exec(ctx, `UPDATE users SET password_hash = $1, password_given = $2, updated_at = $3 WHERE id = $4`, value, false, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	return nil
}

// emailOf is the address of a user, empty when they are gone.
func (s *store) emailOf(ctx context.Context, q database.Querier, user account.UserID) (string, error) {
	var email string
	err := q.QueryRow(ctx, `SELECT email FROM users WHERE id = $1`, user).Scan(&email)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return "", fmt.Errorf("read address: %w", err)
	}
	return email, nil
}
