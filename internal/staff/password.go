package staff

import (
	"context"
	"errors"
	"strings"
	"time"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// What links are mailed for. Both lead to the page that sets a password.
const (
	reset      onetime.Purpose = "staff_reset"
	invitation onetime.Purpose = "staff_invitation"
)

const (
	resetLife      = time.Hour
	invitationLife = 24 * time.Hour
)

func (s *Service) addLinks() {
	s.Links.Add(onetime.Kind{
		Purpose: reset, Life: resetLife, Find: s.holder,
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			return mail.StaffReset{Link: s.Pages.StaffResetPassword(raw), ValidFor: resetLife}.Render(h.Recipient())
		},
	})
	s.Links.Add(onetime.Kind{
		Purpose: invitation, Life: invitationLife, Find: s.holder,
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			return mail.StaffInvitation{Link: s.Pages.StaffResetPassword(raw), ValidFor: invitationLife}.Render(h.Recipient())
		},
	})
}

// holder finds the active member with an address.
func (s *Service) holder(ctx context.Context, q database.Querier, email string) (onetime.Holder, error) {
	m, err := s.store.byEmail(ctx, q, email)
	if fault.Is(err, fault.KindNotFound) || err == nil && !m.IsActive {
		return onetime.Holder{}, onetime.ErrNobody
	}
	return holderOf(m), err
}

func holderOf(m Member) onetime.Holder {
	return onetime.Holder{Subject: id.Of[onetime.Subject](m.ID), Email: m.Email, Name: m.Name}
}

// ChangePassword replaces the caller's password and ends their other sessions. A
// wrong current password counts toward the lock, so a stolen access token is no
// way around it.
func (s *Service) ChangePassword(ctx context.Context, by Caller, current, next string) error {
	if !token.CheckPassword(next) {
		return token.ErrPasswordBounds
	}
	found, key, err := s.store.credentialsOf(ctx, s.DB, by.ID)
	if err != nil {
		return err
	}
	right, _, err := s.Hasher.Verify(ctx, current, found.hash)
	if err != nil {
		return err
	}
	hash := ""
	if right {
		if hash, err = s.Hasher.Hash(ctx, next); err != nil {
			return err
		}
	}
	admitted := false
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		if admitted, err = s.locks.admit(ctx, tx, key, right); err != nil || !admitted {
			return err
		}
		if _, err := s.store.exchangePassword(ctx, tx, found, hash); err != nil {
			return err
		}
		if err := s.endAccess(ctx, tx, by.ID, by.Session); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, by.did(audit.PasswordChanged, "own"))
	})
	if fault.Is(err, fault.KindNotFound) || err == nil && !admitted {
		return errPassword
	}
	return err
}

// RequestReset mails a link to set a new password. It does the same for every
// address; whether there is anybody to mail is found out by the job.
func (s *Service) RequestReset(ctx context.Context, email string) error {
	email = strings.TrimSpace(email)
	if !mail.ValidAddress(email) {
		return nil // nobody has it
	}
	from := ratelimit.Network(httpapi.ClientOf(ctx).IP)
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		err := s.Limiter.Take(ctx, tx, ratelimit.MailsByNetwork.On(from), ratelimit.MailsByRecipient.On(string(reset), mail.AddressKey(email)))
		if err != nil {
			return err
		}
		if err := s.Links.Send(ctx, tx, reset, email); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, audit.Entry{ActorKind: audit.Stranger, Actor: email, Action: audit.ResetRequested, Target: "staff"})
	})
}

// ResetPassword redeems a link of a reset or an invitation: the new password
// holds, every session and every other link ends, and a lock is lifted.
func (s *Service) ResetPassword(ctx context.Context, raw, password string) error {
	if !token.CheckPassword(password) {
		return token.ErrPasswordBounds
	}
	// Before a hash is spent on somebody without a link.
	err := s.Links.Check(ctx, s.DB, reset, raw)
	if errors.Is(err, onetime.ErrInvalid) {
		err = s.Links.Check(ctx, s.DB, invitation, raw)
	}
	if err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		member, key, err := s.redeem(ctx, tx, raw)
		if err != nil {
			return err
		}
		// Before the member, as in a login, so that the two never wait for each
		// other in a circle.
		if err := s.locks.forget(ctx, tx, key); err != nil {
			return err
		}
		m, err := s.store.setPassword(ctx, tx, member, key, hash)
		if err != nil {
			return err
		}
		if err := s.endAccess(ctx, tx, member, session.ID{}); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, callerFor(m).did(audit.PasswordReset, "by link"))
	})
	if fault.Is(err, fault.KindNotFound) { // deactivated meanwhile
		return onetime.ErrInvalid
	}
	return err
}

func (s *Service) redeem(ctx context.Context, tx database.Tx, raw string) (ID, string, error) {
	subject, key, err := s.Links.Redeem(ctx, tx, reset, raw)
	if errors.Is(err, onetime.ErrInvalid) {
		subject, key, err = s.Links.Redeem(ctx, tx, invitation, raw)
	}
	return ID(subject), key, err
}
