package staff

import (
	"context"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/mail"
)

var errNoSuchEmail = fault.NotFound("staff_not_found", "There is no staff member with this email.")

// Unlock lets a member sign in again at once after too many failures.
func (s *Service) Unlock(ctx context.Context, by Caller, email string) (Member, error) {
	return s.about(ctx, email, func(tx database.Tx, m Member) error {
		if err := s.locks.forget(ctx, tx, mail.AddressKey(m.Email)); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, by.did(audit.StaffUnlocked, m.Email))
	})
}

// ResetLink makes a link to set a member's password, for the operator to hand
// over where mail is no way. It ends links that were mailed before.
func (s *Service) ResetLink(ctx context.Context, by Caller, email string) (mail.Link, error) {
	var link mail.Link
	_, err := s.about(ctx, email, func(tx database.Tx, m Member) error {
		if !m.IsActive {
			return errInactive
		}
		raw, err := s.Links.Mint(ctx, tx, reset, holderOf(m))
		if err != nil {
			return err
		}
		link = s.Pages.StaffResetPassword(raw.Reveal())
		return s.Trail.Write(ctx, tx, by.did(audit.ResetRequested, m.Email))
	})
	return link, err
}

// about runs f for the member with an address, in one transaction.
func (s *Service) about(ctx context.Context, email string, f func(tx database.Tx, m Member) error) (Member, error) {
	var m Member
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		m, err = s.store.byEmail(ctx, tx, email)
		if fault.Is(err, fault.KindNotFound) {
			return errNoSuchEmail
		}
		if err != nil {
			return err
		}
		return f(tx, m)
	})
	return m, err
}
