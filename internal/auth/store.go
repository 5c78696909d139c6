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
	account  *account.ID // where the user belongs, active or not
	hash     string
	verified bool
	active   bool
}

func (s *store) credentials(ctx context.Context, q database.Querier, emailKey string) (credentials, error) {
	var (
		c    credentials
		hash *string
	)
	err := q.QueryRow(ctx, `SELECT u.id, u.password_hash, u.is_verified,
		EXISTS (SELECT 1 FROM membership m WHERE m.user_id = u.id AND m.is_active),
		(SELECT m.account_id FROM membership m WHERE m.user_id = u.id`+account.HomeFirst+` LIMIT 1)
		FROM users u WHERE u.email_key = $1`, emailKey).Scan(&c.user, &hash, &c.verified, &c.active, &c.account)
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

// recordLogin notes the moment.
func (s *store) recordLogin(ctx context.Context, tx database.Tx, user account.UserID) error {
	err := tx.Queue(ctx, `UPDATE users SET last_login_at = $1 WHERE id = $2`, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("record login: %w", err)
	}
	return nil
}

// recordPassword notes the moment of a login by password and keeps the hash
// given, unless the credentials are no longer what they were, or the user is not
// active any more in the organization they sign in to. It holds the user's row,
// as whoever changes any of that does: the change either comes first and is seen
// here, or comes after and ends the session that is opened now.
func (s *store) recordPassword(ctx context.Context, tx database.Tx, c credentials, hash string, home account.ID, now clock.Time) (current bool, err error) {
	err = tx.Queue(ctx, `UPDATE users SET last_login_at = $1, password_hash = $2 WHERE id = $3 AND password_hash = $4 AND is_verified`,
		now, hash, c.user, c.hash)
	if err != nil {
		return false, fmt.Errorf("record login: %w", err)
	}
	// A statement of its own: a part of the update would not see what was
	// committed while the update waited for the row.
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users u JOIN membership m ON m.user_id = u.id
		WHERE u.id = $1 AND u.password_hash = $2 AND u.is_verified AND m.account_id = $3 AND m.is_active)`, c.user, hash, home).Scan(&current)
	if err != nil {
		return false, fmt.Errorf("read login: %w", err)
	}
	return current, nil
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
	err := tx.Queue(ctx, `UPDATE users SET is_verified = $1, updated_at = $2 WHERE id = $3`, true, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("verify user: %w", err)
	}
	return nil
}

// takeOver gives a user to the owner of the mailbox: verified, with the password
// they chose; an empty hash leaves none.
func (s *store) takeOver(ctx context.Context, tx database.Tx, user account.UserID, hash string) error {
	err := tx.Queue(ctx, `UPDATE users SET password_hash = $1, password_given = $2, is_verified = $3, updated_at = $4 WHERE id = $5`,
		database.OrNull(hash), false, true, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("take user over: %w", err)
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
