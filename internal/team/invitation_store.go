package team

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
)

func (s *Store) insertInvitation(ctx context.Context, tx database.Tx, by account.Caller, email string, role account.Role) (Invitation, error) {
	now := s.clock.Now()
	i := Invitation{ID: id.New[Invitation](), Email: email, Role: role, CreatedAt: now, ExpiresAt: now.Add(invitationLife)}
	err := tx.Queue(ctx, `INSERT INTO invitation (account_id, id, email, email_key, role, invited_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (account_id, email_key) DO UPDATE SET id = excluded.id, email = excluded.email, role = excluded.role,
			invited_by = excluded.invited_by, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		by.Account, i.ID, email, mail.AddressKey(email), role, by.User, i.CreatedAt, i.ExpiresAt)
	if err != nil {
		return Invitation{}, fmt.Errorf("insert invitation: %w", err)
	}
	err = tx.QueryRow(ctx, `SELECT email FROM users WHERE id = $1`, by.User).Scan(&i.InvitedBy)
	if err != nil {
		return Invitation{}, fmt.Errorf("read inviter: %w", err)
	}
	return i, nil
}

func (s *Store) invitations(ctx context.Context, q database.Querier, org account.ID) ([]Invitation, error) {
	all, err := database.Collect(ctx, q, func(row database.Row) (Invitation, error) {
		var i Invitation
		err := row.Scan(&i.ID, &i.Email, &i.Role, &i.InvitedBy, &i.CreatedAt, &i.ExpiresAt)
		return i, err
	}, `SELECT i.id, i.email, i.role, u.email, i.created_at, i.expires_at FROM invitation i LEFT JOIN users u ON u.id = i.invited_by
		WHERE i.account_id = $1 AND i.expires_at > $2 ORDER BY i.id DESC`, org, s.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("read invitations: %w", err)
	}
	return all, nil
}

// withdrawInvitation deletes an open invitation and returns whom it was for.
func (s *Store) withdrawInvitation(ctx context.Context, tx database.Tx, org account.ID, invitation InvitationID) (email string, err error) {
	err = tx.QueryRow(ctx, `DELETE FROM invitation WHERE account_id = $1 AND id = $2 AND expires_at > $3 RETURNING email`,
		org, invitation, s.clock.Now()).Scan(&email)
	if errors.Is(err, database.ErrNoRows) {
		return "", errNoInvitation
	}
	if err != nil {
		return "", fmt.Errorf("delete invitation: %w", err)
	}
	return email, nil
}

// invitationHolder finds, when the mail is sent, the verified user whom an
// invitation is for.
func (s *Store) invitationHolder(ctx context.Context, q database.Querier, about string) (onetime.Holder, error) {
	invitation, err := id.Parse[Invitation](about)
	if err != nil {
		return onetime.Holder{}, err
	}
	h, l := onetime.Holder{Subject: id.Of[onetime.Subject](invitation)}, letter{}
	err = q.QueryRow(ctx, `SELECT u.email, u.first_name, i.role, a.name, COALESCE(b.first_name, '') FROM invitation i
		JOIN users u ON u.email_key = i.email_key AND u.is_verified
		JOIN account a ON a.id = i.account_id LEFT JOIN users b ON b.id = i.invited_by
		WHERE i.id = $1 AND i.expires_at > $2`, invitation, s.clock.Now()).Scan(&h.Email, &h.Name, &l.role, &l.organization, &l.inviter)
	if errors.Is(err, database.ErrNoRows) {
		return onetime.Holder{}, onetime.ErrNobody
	}
	if err != nil {
		return onetime.Holder{}, fmt.Errorf("read invitation: %w", err)
	}
	h.Details = l
	return h, nil
}

// spendInvitation deletes an open invitation and returns what it was to.
func (s *Store) spendInvitation(ctx context.Context, tx database.Tx, invitation InvitationID, emailKey string) (account.ID, account.Role, error) {
	var (
		org  account.ID
		role account.Role
	)
	err := tx.QueryRow(ctx, `DELETE FROM invitation WHERE id = $1 AND email_key = $2 AND expires_at > $3 RETURNING account_id, role`,
		invitation, emailKey, s.clock.Now()).Scan(&org, &role)
	if errors.Is(err, database.ErrNoRows) {
		return org, role, onetime.ErrInvalid
	}
	if err != nil {
		return org, role, fmt.Errorf("spend invitation: %w", err)
	}
	return org, role, nil
}

// holdInvited finds the verified user of an address and holds their row (see
// account.Store.Hold).
func (s *Store) holdInvited(ctx context.Context, tx database.Tx, emailKey string) (invited, error) {
	var who invited
	err := tx.QueryRow(ctx, `UPDATE users SET updated_at = updated_at WHERE email_key = $1 AND is_verified RETURNING id, email, password_given`,
		emailKey).Scan(&who.user, &who.email, &who.passwordGiven)
	if errors.Is(err, database.ErrNoRows) {
		return invited{}, onetime.ErrInvalid
	}
	if err != nil {
		return invited{}, fmt.Errorf("hold invited user: %w", err)
	}
	return who, nil
}

// belongs reports whether the user of an address has a membership in an
// organization, and whether it is active.
func (s *Store) belongs(ctx context.Context, q database.Querier, org account.ID, emailKey string) (belongs, active bool, err error) {
	err = q.QueryRow(ctx, `SELECT m.is_active FROM membership m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND u.email_key = $2`, org, emailKey).Scan(&active)
	if errors.Is(err, database.ErrNoRows) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("look for membership: %w", err)
	}
	return true, active, nil
}

// dropPassword leaves a user without the password that somebody else chose.
func (s *Store) dropPassword(ctx context.Context, tx database.Tx, user account.UserID) error {
	err := tx.Queue(ctx, `UPDATE users SET password_hash = NULL, password_given = $1, updated_at = $2 WHERE id = $3`, false, s.clock.Now(), user)
	if err != nil {
		return fmt.Errorf("drop password: %w", err)
	}
	return nil
}

func (s *Store) sweepInvitations(ctx context.Context) error {
	err := s.db.Sweep(ctx, `DELETE FROM invitation WHERE (account_id, id) IN (
		SELECT account_id, id FROM invitation WHERE expires_at <= $1 LIMIT $2)`, s.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep invitations: %w", err)
	}
	return nil
}
