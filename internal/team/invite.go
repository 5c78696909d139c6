package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/field"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
)

// Invitee is a new user whom a colleague makes, password included.
type Invitee struct {
	FirstName, LastName, Email, Password string
	Role                                 account.Role
	// SendInvitation has them told by mail that they can sign in. The password is
	// never in it.
	SendInvitation bool
}

func (i *Invitee) check() error {
	var c field.Checks
	i.FirstName = c.Text("body.firstName", i.FirstName, 1, field.NameMax)
	i.LastName = c.Text("body.lastName", i.LastName, 1, field.NameMax)
	i.Email = c.Email("body.email", i.Email)
	c.Password("body.password", i.Password)
	checkRole(&c, i.Role)
	return c.Err()
}

// checkRole refuses every role that nobody can be given, an owner's above all.
func checkRole(c *field.Checks, role account.Role) {
	if role != account.Admin && role != account.PlainMember {
		c.Fail("body.role", "must be admin or member")
	}
}

// Invite makes a new user in the caller's organization, who can sign in at once.
func (s *Service) Invite(ctx context.Context, caller account.Caller, i Invitee) (User, error) {
	if err := i.check(); err != nil {
		return User{}, err
	}
	taken, err := s.Users.EmailTaken(ctx, s.DB, i.Email)
	if err != nil {
		return User{}, err
	}
	if taken {
		return User{}, ErrEmailTaken
	}
	hash, err := s.Hasher.Hash(ctx, i.Password)
	if err != nil {
		return User{}, err
	}
	var user User
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		// The hash may have waited for its turn.
		err := s.Sessions.Confirm(ctx, tx, caller)
		if err != nil {
			return err
		}
		user, err = s.enroll(ctx, tx, caller, i, hash)
		return err
	})
	return user, err
}

func (s *Service) enroll(ctx context.Context, tx database.Tx, caller account.Caller, i Invitee, hash string) (User, error) {
	user, err := s.Users.Insert(ctx, tx, Person{
		FirstName: i.FirstName, LastName: i.LastName, Email: i.Email, PasswordHash: hash, IsVerified: true, PasswordGiven: true,
	})
	if err != nil {
		return User{}, err
	}
	user.AccountID, user.Role = caller.Account, i.Role
	if err := s.Accounts.Join(ctx, tx, caller.Account, user.ID, i.Role); err != nil {
		return User{}, err
	}
	if err := s.Accounts.Remember(ctx, tx, user.ID, caller.Account); err != nil {
		return User{}, err
	}
	if i.SendInvitation {
		if err := s.announce(ctx, tx, caller, user); err != nil {
			return User{}, err
		}
	}
	return user, s.Trail.Record(ctx, tx, caller, audit.MemberInvited, user.Email+" as "+string(i.Role))
}

func (s *Service) announce(ctx context.Context, tx database.Tx, caller account.Caller, user User) error {
	err := s.Limiter.Take(ctx, tx, invitationsByOrg.On(caller.Account.String()), ratelimit.MailsByRecipient.On(accountReady, mail.AddressKey(user.Email)))
	if err != nil {
		return err
	}
	org, err := s.Accounts.Find(ctx, tx, caller.Account)
	if err != nil {
		return err
	}
	inviter, err := s.Users.Find(ctx, tx, caller.Account, caller.User)
	if err != nil {
		return err
	}
	return s.Notices.AccountReady(ctx, tx, user, org.Name, inviter.FirstName)
}
