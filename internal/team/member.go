package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/token"
)

var (
	errSelf   = fault.BadRequest("target_is_self", "You can't do this to yourself. Choose another user.")
	errOwner  = fault.BadRequest("target_is_owner", "You can't do this to an owner of the organization.")
	errShared = fault.BadRequest("user_is_shared",
		"This user belongs to another organization too, so only they can set their password. Ask them to use \"Forgot password\" on the sign-in page.")
)

// manage changes a user of the caller's organization, other than the caller and
// an owner.
func (s *Service) manage(ctx context.Context, caller account.Caller, target account.UserID, change func(tx database.Tx, user User) error) error {
	if target == caller.User {
		return errSelf
	}
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		user, err := s.hold(ctx, tx, caller, target)
		if err != nil {
			return err
		}
		if user.Role == account.Owner {
			return errOwner
		}
		return change(tx, user)
	})
}

// hold makes sure that the caller still may act, and returns a user of their
// organization. Both are held, so what is found of them stays true meanwhile.
func (s *Service) hold(ctx context.Context, tx database.Tx, caller account.Caller, target account.UserID) (User, error) {
	if err := s.Sessions.Confirm(ctx, tx, caller, target); err != nil {
		return User{}, err
	}
	return s.Users.Find(ctx, tx, caller.Account, target)
}

// SetRole makes a user an admin or a member.
func (s *Service) SetRole(ctx context.Context, caller account.Caller, target account.UserID, role account.Role) (User, error) {
	var c field.Checks
	checkRole(&c, role)
	if err := c.Err(); err != nil {
		return User{}, err
	}
	if target == caller.User {
		return User{}, errOwner // only owners get here
	}
	var user User
	err := s.manage(ctx, caller, target, func(tx database.Tx, found User) error {
		if err := s.Accounts.SetRole(ctx, tx, caller.Account, target, role); err != nil {
			return err
		}
		user = found
		user.Role = role
		if found.Role == role {
			return nil
		}
		return s.Trail.Record(ctx, tx, caller, audit.MemberRoleChanged, found.Email+" to "+string(role))
	})
	return user, err
}

// Deactivate keeps a user from acting in the caller's organization. In others
// they go on.
func (s *Service) Deactivate(ctx context.Context, caller account.Caller, target account.UserID) (User, error) {
	var user User
	err := s.manage(ctx, caller, target, func(tx database.Tx, found User) error {
		user = found
		user.IsActive = false
		if !found.IsActive {
			return nil
		}
		if err := s.Accounts.SetActive(ctx, tx, caller.Account, target, false); err != nil {
			return err
		}
		if err := s.Sessions.CloseIn(ctx, tx, target, caller.Account); err != nil {
			return err
		}
		return s.Trail.Record(ctx, tx, caller, audit.MemberDeactivated, found.Email)
	})
	return user, err
}

// Reactivate lets a user act in the caller's organization again. An owner, who
// can't have been deactivated, simply is active.
func (s *Service) Reactivate(ctx context.Context, caller account.Caller, target account.UserID) (User, error) {
	var user User
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		if user, err = s.hold(ctx, tx, caller, target); err != nil || user.IsActive {
			return err
		}
		user.IsActive = true
		if err := s.Accounts.SetActive(ctx, tx, caller.Account, target, true); err != nil {
			return err
		}
		return s.Trail.Record(ctx, tx, caller, audit.MemberReactivated, user.Email)
	})
	return user, err
}

// Remove takes a user out of the caller's organization. With their last
// membership the person goes too, and everything that is theirs alone.
func (s *Service) Remove(ctx context.Context, caller account.Caller, target account.UserID) error {
	return s.manage(ctx, caller, target, func(tx database.Tx, user User) error {
		if err := s.Accounts.Part(ctx, tx, caller.Account, target); err != nil {
			return err
		}
		if err := s.Sessions.CloseIn(ctx, tx, target, caller.Account); err != nil {
			return err
		}
		if err := s.Trail.Record(ctx, tx, caller, audit.MemberRemoved, user.Email); err != nil {
			return err
		}
		elsewhere, err := s.Accounts.Elsewhere(ctx, tx, caller.Account, target)
		if err != nil || elsewhere {
			return err
		}
		return s.erase(ctx, tx, user)
	})
}

func (s *Service) erase(ctx context.Context, tx database.Tx, user User) error {
	if err := s.Sessions.CloseAll(ctx, tx, user.ID, account.SessionID{}); err != nil {
		return err
	}
	if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](user.ID)); err != nil {
		return err
	}
	if err := s.dropPhoto(ctx, tx, user); err != nil {
		return err
	}
	return s.Users.Delete(ctx, tx, user.ID)
}

// ResetMemberPassword gives a user of the caller's organization alone another
// password. One who belongs elsewhere too is refused: the caller would get into
// the other organization by it.
func (s *Service) ResetMemberPassword(ctx context.Context, caller account.Caller, target account.UserID, password string) error {
	if !token.CheckPassword(password) {
		return token.ErrPasswordBounds
	}
	if target == caller.User {
		return errSelf
	}
	// Before a hash is spent on somebody who is not there.
	if _, err := s.Users.Find(ctx, s.DB, caller.Account, target); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.manage(ctx, caller, target, func(tx database.Tx, user User) error {
		elsewhere, err := s.Accounts.Elsewhere(ctx, tx, caller.Account, target)
		if err != nil {
			return err
		}
		if elsewhere {
			return errShared
		}
		if err := s.Users.givePassword(ctx, tx, target, hash); err != nil {
			return err
		}
		if err := s.Sessions.CloseAll(ctx, tx, target, account.SessionID{}); err != nil {
			return err
		}
		if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](target)); err != nil {
			return err
		}
		if err := s.tellOfPassword(ctx, tx, user); err != nil {
			return err
		}
		return s.Trail.Record(ctx, tx, caller, audit.PasswordReset, user.Email)
	})
}

// tellOfPassword mails that somebody else set the password, if that was not told
// too often just now.
func (s *Service) tellOfPassword(ctx context.Context, tx database.Tx, user User) error {
	err := s.Limiter.Take(ctx, tx, ratelimit.MailsByRecipient.On(passwordChanged, mail.AddressKey(user.Email)))
	if fault.Is(err, fault.KindTooMany) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.Notices.PasswordChanged(ctx, tx, user.Email, user.FirstName)
}
