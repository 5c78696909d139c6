package account

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
)

// Store keeps organizations and memberships.
type Store struct {
	db    *database.DB
	clock clock.Clock
	seen  *standings
}

// NewStore returns the organizations of a database.
func NewStore(db *database.DB, c clock.Clock) *Store {
	return &Store{db: db, clock: c, seen: newStandings()}
}

// Create makes an organization with its credit record and its first owner, and
// makes it the one the owner signs in to next.
func (s *Store) Create(ctx context.Context, tx database.Tx, name string, owner UserID) (Account, error) {
	now := s.clock.Now()
	a := Account{
		ID: id.New[Account](), Name: name, Type: firstType, Status: Active,
		Country: firstCountry, Timezone: firstTimezone, CreatedAt: now,
	}
	_, err := tx.Exec(ctx, `INSERT INTO account (id, name, type, status, country, timezone, billing_account_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $1, $7, $7)`, a.ID, a.Name, a.Type, a.Status, a.Country, a.Timezone, now)
	if err != nil {
		return Account{}, fmt.Errorf("insert account: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO credit (account_id, balance, currency, created_at) VALUES ($1, 0, $2, $3)`, a.ID, currency, now)
	if err != nil {
		return Account{}, fmt.Errorf("insert credit: %w", err)
	}
	if err := s.Join(ctx, tx, a.ID, owner, Owner); err != nil {
		return Account{}, err
	}
	return a, s.Remember(ctx, tx, owner, a.ID)
}

// Join adds a person to an organization.
func (s *Store) Join(ctx context.Context, tx database.Tx, org ID, user UserID, role Role) error {
	_, err := tx.Exec(ctx, `INSERT INTO membership (account_id, user_id, role, is_active, created_at) VALUES ($1, $2, $3, $4, $5)`,
		org, user, role, true, s.clock.Now())
	if err != nil {
		return fmt.Errorf("insert membership: %w", err)
	}
	s.Forget(tx, org, user)
	return nil
}

// Remember makes an organization the one a person signs in to next.
func (s *Store) Remember(ctx context.Context, tx database.Tx, user UserID, org ID) error {
	if _, err := tx.Exec(ctx, `UPDATE users SET active_account_id = $1 WHERE id = $2`, org, user); err != nil {
		return fmt.Errorf("remember organization: %w", err)
	}
	return nil
}

var errNoMembership = fault.Forbidden("no_membership", "You are not an active member of this organization.")

// MemberOf returns a person's active membership in an organization.
func (s *Store) MemberOf(ctx context.Context, q database.Querier, org ID, user UserID) (Member, error) {
	m := Member{User: user, Account: org}
	err := q.QueryRow(ctx, `SELECT m.role, m.is_active, a.status FROM membership m JOIN account a ON a.id = m.account_id
		WHERE m.account_id = $1 AND m.user_id = $2`, org, user).Scan(&m.Role, &m.IsActive, &m.Status)
	if errors.Is(err, database.ErrNoRows) {
		return Member{}, errNoMembership
	}
	if err != nil {
		return Member{}, fmt.Errorf("read membership: %w", err)
	}
	if !m.IsActive {
		return Member{}, errNoMembership
	}
	return m, nil
}

// HomeOf returns the membership a person signs in with: the organization they
// were in last, or else the first they joined.
func (s *Store) HomeOf(ctx context.Context, q database.Querier, user UserID) (Member, error) {
	m := Member{User: user, IsActive: true}
	err := q.QueryRow(ctx, `SELECT m.account_id, m.role, a.status FROM membership m
		JOIN users u ON u.id = m.user_id JOIN account a ON a.id = m.account_id
		WHERE m.user_id = $1 AND m.is_active
		ORDER BY CASE WHEN m.account_id = u.active_account_id THEN 0 ELSE 1 END, m.created_at, m.account_id LIMIT 1`, user).Scan(&m.Account, &m.Role, &m.Status)
	if errors.Is(err, database.ErrNoRows) {
		return Member{}, errNoMembership
	}
	if err != nil {
		return Member{}, fmt.Errorf("read memberships: %w", err)
	}
	return m, nil
}

// Find returns one organization.
func (s *Store) Find(ctx context.Context, q database.Querier, org ID) (Account, error) {
	var a Account
	err := q.QueryRow(ctx, `SELECT id, name, type, status, country, timezone, address, city, state, zip_code, created_at FROM account WHERE id = $1`, org).
		Scan(&a.ID, &a.Name, &a.Type, &a.Status, &a.Country, &a.Timezone, &a.Address, &a.City, &a.State, &a.ZipCode, &a.CreatedAt)
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return a, nil
}
