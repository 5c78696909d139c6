package team

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
)

// Store keeps people.
type Store struct {
	db    *database.DB
	clock clock.Clock
}

// NewStore returns the people of a database.
func NewStore(db *database.DB, c clock.Clock) *Store { return &Store{db: db, clock: c} }

// Person is what is needed to make a new user. PasswordHash is empty for someone
// who signs in by other means.
type Person struct {
	FirstName, LastName, Email, PasswordHash string
	IsVerified                               bool
	// PasswordGiven says that somebody else chose the password.
	PasswordGiven bool
}

// ErrEmailTaken is the answer to an address that another user has.
var ErrEmailTaken = fault.Conflict("email_registered", "This email address is already registered. Sign in, or use another address.")

// Insert makes a new user, who belongs nowhere yet.
func (s *Store) Insert(ctx context.Context, tx database.Tx, p Person) (User, error) {
	now := s.clock.Now()
	u := User{
		ID: id.New[account.Member](), FirstName: p.FirstName, LastName: p.LastName, Email: p.Email,
		IsVerified: p.IsVerified, IsActive: true, CreatedAt: now, UpdatedAt: now,
	}
	n, err := tx.Exec(ctx, `INSERT INTO users (id, email, email_key, password_hash, first_name, last_name, is_verified, password_given, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) ON CONFLICT (email_key) DO NOTHING`,
		u.ID, u.Email, mail.AddressKey(u.Email), database.OrNull(p.PasswordHash), u.FirstName, u.LastName, u.IsVerified, p.PasswordGiven, now)
	if err != nil {
		return User{}, fmt.Errorf("insert user: %w", err)
	}
	if n == 0 {
		return User{}, ErrEmailTaken
	}
	return u, nil
}

// EmailTaken reports whether some user has the address.
func (s *Store) EmailTaken(ctx context.Context, q database.Querier, email string) (bool, error) {
	var taken bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE email_key = $1)`, mail.AddressKey(email)).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("look for email: %w", err)
	}
	return taken, nil
}

const userColumns = `u.id, m.account_id, u.first_name, u.last_name, u.email, u.phone, m.role, u.is_verified, m.is_active,
	u.photo_key, u.last_login_at, u.created_at, u.updated_at`

func scanUser(row database.Row) (User, error) {
	var u User
	err := row.Scan(&u.ID, &u.AccountID, &u.FirstName, &u.LastName, &u.Email, &u.Phone, &u.Role, &u.IsVerified, &u.IsActive,
		&u.PhotoKey, &u.LastLoginAt, &u.CreatedAt, &u.UpdatedAt)
	return u, err
}

var errNotFound = fault.NotFound("user_not_found", "There is no such user in this organization.")

// Find returns a user of an organization, active or not.
func (s *Store) Find(ctx context.Context, q database.Querier, org account.ID, user account.UserID) (User, error) {
	return findUser(ctx, q, errNotFound, `WHERE m.account_id = $1 AND m.user_id = $2`, org, user)
}

func findUser(ctx context.Context, q database.Querier, missing error, where string, args ...any) (User, error) {
	u, err := scanUser(q.QueryRow(ctx, `SELECT `+userColumns+` FROM users u JOIN membership m ON m.user_id = u.id `+where, args...))
	if errors.Is(err, database.ErrNoRows) {
		return User{}, missing
	}
	if err != nil {
		return User{}, fmt.Errorf("read user: %w", err)
	}
	return u, nil
}

// AtHome returns a user as a member of the organization they sign in to: the one
// they were in last, or else the first they joined. Who is active in none gets
// account.ErrNoMembership.
func (s *Store) AtHome(ctx context.Context, q database.Querier, user account.UserID) (User, error) {
	return findUser(ctx, q, account.ErrNoMembership, `WHERE u.id = $1 AND m.is_active`+account.HomeFirst+` LIMIT 1`, user)
}

// List returns the users of an organization in the order they joined, the
// deactivated ones only on demand.
func (s *Store) List(ctx context.Context, q database.Querier, org account.ID, includeInactive bool) ([]User, error) {
	users, err := database.Collect(ctx, q, scanUser, `SELECT `+userColumns+` FROM membership m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND (m.is_active OR $2) ORDER BY m.created_at, u.id`, org, includeInactive)
	if err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	return users, nil
}

// update writes what users may change of themselves, and the moment of it.
func (s *Store) update(ctx context.Context, tx database.Tx, u *User) error {
	u.UpdatedAt = s.clock.Now()
	_, err := tx.Exec(ctx, `UPDATE users SET first_name = $1, last_name = $2, email = $3, email_key = $4, phone = $5, is_verified = $6, updated_at = $7
		WHERE id = $8`, u.FirstName, u.LastName, u.Email, mail.AddressKey(u.Email), u.Phone, u.IsVerified, u.UpdatedAt, u.ID)
	if errors.Is(err, database.ErrUnique) {
		return ErrEmailTaken
	}
	if err != nil {
		return fmt.Errorf("update user: %w", err)
	}
	return nil
}

// passwordHash reads the hash of a password, "" for a user without one.
func (s *Store) passwordHash(ctx context.Context, q database.Querier, user account.UserID) (string, error) {
	var hash *string
	err := q.QueryRow(ctx, `SELECT password_hash FROM users WHERE id = $1`, user).Scan(&hash)
	if errors.Is(err, database.ErrNoRows) {
		return "", errNotFound
	}
	if err != nil {
		return "", fmt.Errorf("read password hash: %w", err)
	}
	if hash == nil {
		return "", nil
	}
	return *hash, nil
}

// replacePassword sets a new hash if the old one is still the same. Whether
// somebody else may know the password stays as it was: whoever knew the old one
// may be the one who changes it.
func (s *Store) replacePassword(ctx context.Context, tx database.Tx, user account.UserID, oldHash, hash string) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE users SET password_hash = $1, updated_at = $2 WHERE id = $3 AND password_hash = $4`, hash, s.clock.Now(), user, oldHash)
	if err != nil {
		return false, fmt.Errorf("replace password: %w", err)
	}
	return n > 0, nil
}

// givePassword replaces a password by one that somebody else chose.
func (s *Store) givePassword(ctx context.Context, tx database.Tx, user account.UserID, hash string) error {
	err := tx.Queue(ctx, `UPDATE users SET password_hash = $1, password_given = $2, updated_at = $3 WHERE id = $4`, hash, true, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("give password: %w", err)
	}
	return nil
}

// Delete removes a person with all their memberships and identity links.
func (s *Store) Delete(ctx context.Context, tx database.Tx, user account.UserID) error {
	if err := tx.Queue(ctx, `DELETE FROM users WHERE id = $1`, user); err != nil {
		return fmt.Errorf("delete user: %w", err)
	}
	return nil
}
