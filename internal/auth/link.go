package auth

import (
	"context"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/team"
	"ujumbe/internal/token"
)

// What links are mailed for.
const (
	verifyEmail                   = team.VerifyEmail
	resetPassword                 = team.ResetPassword
	magicLink     onetime.Purpose = "magic_link"
)

const (
	verifyLife = 24 * time.Hour
	resetLife  = time.Hour
	magicLife  = 15 * time.Minute
)

func (s *Service) addLinks() {
	s.Links.Add(onetime.Kind{
		Purpose: verifyEmail, Life: verifyLife,
		Find: s.holder(func(m mailbox) bool { return !m.verified }),
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			return mail.VerifyEmail{Link: s.Pages.VerifyEmail(raw), ValidFor: verifyLife}.Render(h.Recipient())
		},
	})
	s.Links.Add(onetime.Kind{
		Purpose: resetPassword, Life: resetLife,
		Find: s.holder(func(mailbox) bool { return true }),
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			return mail.ResetPassword{Link: s.Pages.ResetPassword(raw), ValidFor: resetLife}.Render(h.Recipient())
		},
	})
	s.Links.Add(onetime.Kind{
		Purpose: magicLink, Life: magicLife,
		Find: s.holder(func(mailbox) bool { return true }),
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			return mail.MagicLink{Link: s.Pages.MagicLink(raw), ValidFor: magicLife}.Render(h.Recipient())
		},
	})
}

// holder finds who has the address that a link was asked for, if it suits them.
func (s *Service) holder(suits func(mailbox) bool) func(context.Context, database.Querier, string) (onetime.Holder, error) {
	return func(ctx context.Context, q database.Querier, email string) (onetime.Holder, error) {
		m, ok, err := s.store.byEmail(ctx, q, mail.AddressKey(email))
		if err != nil {
			return onetime.Holder{}, err
		}
		if !ok || !suits(m) {
			return onetime.Holder{}, onetime.ErrNobody
		}
		return onetime.Holder{Subject: id.Of[onetime.Subject](m.user), Email: m.email, Name: m.name}, nil
	}
}

// request asks for a link by mail. It does the same for every address; whether
// there is anybody to mail is found out by the job.
func (s *Service) request(ctx context.Context, purpose onetime.Purpose, email string) error {
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		err := s.Limiter.Take(ctx, tx, ratelimit.MailsByNetwork.On(place(ctx)), ratelimit.MailsByRecipient.On(string(purpose), mail.AddressKey(email)))
		if err != nil {
			return err
		}
		return s.Links.Send(ctx, tx, purpose, email)
	})
}

// RequestVerification mails another verification link.
func (s *Service) RequestVerification(ctx context.Context, email string) error {
	return s.request(ctx, verifyEmail, email)
}

// RequestReset mails a link to set a new password.
func (s *Service) RequestReset(ctx context.Context, email string) error {
	return s.request(ctx, resetPassword, email)
}

// RequestMagicLink mails a link to sign in with.
func (s *Service) RequestMagicLink(ctx context.Context, email string) error {
	return s.request(ctx, magicLink, email)
}

// redeem spends a link and returns whom it is about, if the address it went to
// is still theirs.
func (s *Service) redeem(ctx context.Context, tx database.Tx, purpose onetime.Purpose, raw string) (mailbox, error) {
	subject, emailKey, err := s.Links.Redeem(ctx, tx, purpose, raw)
	if err != nil {
		return mailbox{}, err
	}
	m, ok, err := s.store.byLink(ctx, tx, account.UserID(subject), emailKey)
	if err != nil {
		return mailbox{}, err
	}
	if !ok {
		return mailbox{}, onetime.ErrInvalid
	}
	return m, nil
}

// Verify redeems a verification link and signs the user in.
func (s *Service) Verify(ctx context.Context, raw string) (Result, error) {
	return s.enter(ctx, verifyEmail, raw, "by verification link", func(tx database.Tx, m mailbox) error {
		return s.store.verify(ctx, tx, m.user)
	})
}

// EnterByMagicLink redeems a magic link and signs the user in. Whoever holds the
// link holds the mailbox; if the address was never verified, they need not be who
// registered it, so that person's password and sessions go first.
func (s *Service) EnterByMagicLink(ctx context.Context, raw string) (Result, error) {
	return s.enter(ctx, magicLink, raw, "by magic link", func(tx database.Tx, m mailbox) error {
		if !m.verified {
			if err := s.dispossess(ctx, tx, m.user); err != nil {
				return err
			}
		}
		return s.store.recordLogin(ctx, tx, m.user)
	})
}

func (s *Service) enter(ctx context.Context, purpose onetime.Purpose, raw, how string, before func(database.Tx, mailbox) error) (Result, error) {
	var result Result
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		m, err := s.redeem(ctx, tx, purpose, raw)
		if err != nil {
			return err
		}
		if err := before(tx, m); err != nil {
			return err
		}
		if !m.verified {
			if err := s.recordHome(ctx, tx, m, audit.EmailVerified, how); err != nil {
				return err
			}
		}
		result, err = s.open(ctx, tx, m.user, how)
		return err
	})
	// Somebody without an active membership has nowhere to sign in to.
	if fault.Is(err, fault.KindForbidden) {
		return Result{}, onetime.ErrInvalid
	}
	return result, err
}

// dispossess hands a user whose address was never verified over to whoever has
// just proved to own it. What somebody else set before is worth nothing then.
func (s *Service) dispossess(ctx context.Context, tx database.Tx, user account.UserID) error {
	return s.handOver(ctx, tx, user, "")
}

// handOver gives a user, with the password of this hash or none, to the owner of
// their mailbox: every session and every open link ends.
func (s *Service) handOver(ctx context.Context, tx database.Tx, user account.UserID, hash string) error {
	if err := s.store.unlinkUnverified(ctx, tx, user); err != nil {
		return err
	}
	if err := s.store.takeOver(ctx, tx, user, hash); err != nil {
		return err
	}
	if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](user)); err != nil {
		return err
	}
	return s.Sessions.CloseAll(ctx, tx, user, account.SessionID{})
}

// ResetPassword redeems a reset link: the new password holds, every session
// ends, and the address counts as verified, since the link arrived there.
func (s *Service) ResetPassword(ctx context.Context, raw, password string) error {
	if !token.CheckPassword(password) {
		return token.ErrPasswordBounds
	}
	// Before a hash is spent on somebody without a link.
	if err := s.Links.Check(ctx, s.DB, resetPassword, raw); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		m, err := s.redeem(ctx, tx, resetPassword, raw)
		if err != nil {
			return err
		}
		if err := s.handOver(ctx, tx, m.user, hash); err != nil {
			return err
		}
		if err := s.Notices.PasswordChanged(ctx, tx, m.email, m.name); err != nil {
			return err
		}
		return s.recordHome(ctx, tx, m, audit.PasswordReset, "by mailed link")
	})
}

// recordHome writes into the trail of the organization a user is at home in, or
// the platform's if they are active in none.
func (s *Service) recordHome(ctx context.Context, tx database.Tx, m mailbox, action, target string) error {
	found, err := s.Users.AtHome(ctx, tx, m.user)
	if err != nil && !fault.Is(err, fault.KindForbidden) {
		return err
	}
	home := found.Member()
	home.User = m.user
	return s.record(ctx, tx, home, m.email, action, target)
}
