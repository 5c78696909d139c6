package account

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

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
	err := tx.Queue(ctx, `INSERT INTO account (id, name, type, status, country, timezone, billing_account_id, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $1, $7, $7)`, a.ID, a.Name, a.Type, a.Status, a.Country, a.Timezone, now)
	if err != nil {
		return Account{}, fmt.Errorf("insert account: %w", err)
	}
	err = tx.Queue(ctx, `INSERT INTO credit (account_id, balance, currency, created_at) VALUES ($1, 0, $2, $3)`, a.ID, currency, now)
	if err != nil {
		return Account{}, fmt.Errorf("insert credit: %w", err)
	}
	if err := s.Join(ctx, tx, a.ID, owner, Owner); err != nil {
		return Account{}, err
	}
	return a, s.Remember(ctx, tx, owner, a.ID)
}

// Hold keeps people's rows until the transaction ends, so that changes of their
// memberships and sign-ins happen one after the other: without it someone could
// be removed with the last membership while they make an organization of their
// own, which would then have no owner. Rows are taken in the order of their ids,
// so that nobody waits for ever for another.
func (s *Store) Hold(ctx context.Context, tx database.Tx, users ...UserID) error {
	slices.SortFunc(users, func(a, b UserID) int { return bytes.Compare(a[:], b[:]) })
	for _, user := range users {
		if _, err := tx.Exec(ctx, `UPDATE users SET updated_at = updated_at WHERE id = $1`, user); err != nil {
			return fmt.Errorf("hold user: %w", err)
		}
	}
	return nil
}

// Join adds a person to an organization.
func (s *Store) Join(ctx context.Context, tx database.Tx, org ID, user UserID, role Role) error {
	err := tx.Queue(ctx, `INSERT INTO membership (account_id, user_id, role, is_active, created_at) VALUES ($1, $2, $3, $4, $5)`,
		org, user, role, true, s.clock.Now())
	if err != nil {
		return fmt.Errorf("insert membership: %w", err)
	}
	s.Forget(tx, user)
	return nil
}

// Remember makes an organization the one a person signs in to next.
func (s *Store) Remember(ctx context.Context, tx database.Tx, user UserID, org ID) error {
	if err := tx.Queue(ctx, `UPDATE users SET active_account_id = $1 WHERE id = $2`, org, user); err != nil {
		return fmt.Errorf("remember organization: %w", err)
	}
	return nil
}

// ErrNoMembership is the answer to somebody who is in no organization, or not in
// this one.
var ErrNoMembership = fault.Forbidden("no_membership", "You are not an active member of this organization.")

// MemberOf returns a person's active membership in an organization.
func (s *Store) MemberOf(ctx context.Context, q database.Querier, org ID, user UserID) (Member, error) {
	m := Member{User: user, Account: org}
	err := q.QueryRow(ctx, `SELECT m.role, a.status FROM membership m JOIN account a ON a.id = m.account_id
		WHERE m.account_id = $1 AND m.user_id = $2 AND m.is_active`, org, user).Scan(&m.Role, &m.Status)
	if errors.Is(err, database.ErrNoRows) {
		return Member{}, ErrNoMembership
	}
	if err != nil {
		return Member{}, fmt.Errorf("read membership: %w", err)
	}
	return m, nil
}

// roleOfSession selects the role of the active membership that a session s is
// bound to.
const roleOfSession = `SELECT m.role FROM membership m WHERE m.account_id = s.account_id AND m.user_id = s.subject_id AND m.is_active`

// HomeFirst is the order of the memberships m of a person u by which the first is
// where they sign in to: the organization they were in last, or else the first
// they joined.
const HomeFirst = ` ORDER BY CASE WHEN m.account_id = u.active_account_id THEN 0 ELSE 1 END, m.created_at, m.account_id`

// Find returns one organization.
func (s *Store) Find(ctx context.Context, q database.Querier, org ID) (Account, error) {
	var a Account
	err := q.QueryRow(ctx, `SELECT id, name, type, status, country, timezone, address, city, state, zip_code, created_at
		FROM account WHERE id = $1`, org).Scan(&a.ID, &a.Name, &a.Type, &a.Status, &a.Country, &a.Timezone, &a.Address, &a.City, &a.State, &a.ZipCode, &a.CreatedAt)
	if err != nil {
		return Account{}, fmt.Errorf("read account: %w", err)
	}
	return a, nil
}

// update writes the fields that customers may change.
func (s *Store) update(ctx context.Context, tx database.Tx, a Account) error {
	err := tx.Queue(ctx, `UPDATE account SET name = $1, country = $2, timezone = $3, address = $4, city = $5, state = $6, zip_code = $7, updated_at = $8
		WHERE id = $9`, a.Name, a.Country, a.Timezone, a.Address, a.City, a.State, a.ZipCode, s.clock.Now(), a.ID)
	if err != nil {
		return fmt.Errorf("update account: %w", err)
	}
	return nil
}

// hold is Hold for an organization's own row.
func (s *Store) hold(ctx context.Context, tx database.Tx, org ID) error {
	if _, err := tx.Exec(ctx, `UPDATE account SET updated_at = updated_at WHERE id = $1`, org); err != nil {
		return fmt.Errorf("hold account: %w", err)
	}
	return nil
}

// belongings lists the organizations in which a person is an active member, in
// the order they joined them.
func (s *Store) belongings(ctx context.Context, q database.Querier, user UserID) ([]Belonging, error) {
	entries, err := database.Collect(ctx, q, func(row database.Row) (Belonging, error) {
		e := Belonging{UserID: user}
		err := row.Scan(&e.AccountID, &e.AccountName, &e.AccountStatus, &e.Role)
		return e, err
	}, `SELECT a.id, a.name, a.status, m.role FROM membership m JOIN account a ON a.id = m.account_id
		WHERE m.user_id = $1 AND m.is_active ORDER BY m.created_at, a.id`, user)
	if err != nil {
		return nil, fmt.Errorf("read organizations of a user: %w", err)
	}
	return entries, nil
}

// reduced reads a person as a switch of organization answers them.
func (s *Store) reduced(ctx context.Context, q database.Querier, m Member) (ReducedUser, error) {
	u := ReducedUser{ID: m.User, Role: m.Role}
	err := q.QueryRow(ctx, `SELECT first_name, last_name, email FROM users WHERE id = $1`, m.User).Scan(&u.FirstName, &u.LastName, &u.Email)
	if err != nil {
		return ReducedUser{}, fmt.Errorf("read user: %w", err)
	}
	return u, nil
}
