package team

import (
	"context"
	"strings"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/phone"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/token"
)

// Change is what a user wants otherwise in their profile. What was not sent
// stays.
type Change struct {
	FirstName httpapi.Optional[string] `json:"firstName" required:"false" doc:"1 to 100 characters."`
	LastName  httpapi.Optional[string] `json:"lastName" required:"false" doc:"1 to 100 characters."`
	Email     httpapi.Optional[string] `json:"email" required:"false" doc:"A new address counts as unverified until the link mailed there is followed."`
	Phone     httpapi.Optional[string] `json:"phone" required:"false" doc:"In international form; null removes it."`
}

// check tidies what was sent, in place, and finds what can't be accepted.
func (c *Change) check() error {
	var checks field.Checks
	required := func(location string, o *httpapi.Optional[string], tidy func(location, value string) string) {
		switch {
		case o.Null:
			checks.Fail(location, "must not be null")
		case o.Sent:
			o.Value = tidy(location, o.Value)
		}
	}
	name := func(location, value string) string { return checks.Text(location, value, 1, field.NameMax) }
	required("body.firstName", &c.FirstName, name)
	required("body.lastName", &c.LastName, name)
	required("body.email", &c.Email, checks.Email)
	if c.Phone.Value = strings.TrimSpace(c.Phone.Value); c.Phone.Value == "" {
		c.Phone.Null = true // no number has one form
		return checks.Err()
	}
	number, err := phone.Parse(c.Phone.Value)
	if err != nil {
		checks.Fail("body.phone", "must be a phone number in international form, like +254712345678")
	}
	c.Phone.Value = number.String()
	return checks.Err()
}

func (c *Change) apply(u *User) {
	if c.FirstName.Sent {
		u.FirstName = c.FirstName.Value
	}
	if c.LastName.Sent {
		u.LastName = c.LastName.Value
	}
	if c.Email.Sent {
		u.Email = c.Email.Value
	}
	if c.Phone.Sent {
		u.Phone = c.Phone.Pointer()
	}
}

// ChangeMe changes the caller's profile. Another spelling of the same address is
// no other address.
func (s *Service) ChangeMe(ctx context.Context, caller account.Caller, change Change) (Profile, error) {
	if err := change.check(); err != nil {
		return Profile{}, err
	}
	var user User
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Accounts.Hold(ctx, tx, caller.User); err != nil {
			return err
		}
		before, err := s.Users.Find(ctx, tx, caller.Account, caller.User)
		if err != nil {
			return err
		}
		user = before
		change.apply(&user)
		if mail.AddressKey(user.Email) != mail.AddressKey(before.Email) {
			user.IsVerified = false
			if err := s.moveMailbox(ctx, tx, caller, before, user.Email); err != nil {
				return err
			}
		}
		return s.Users.update(ctx, tx, &user)
	})
	if err != nil {
		return Profile{}, err
	}
	return user.Profile(s.Photos.URL), nil
}

// emailChanges bounds how many addresses somebody can have mailed by calling them
// their own.
var emailChanges = ratelimit.Rule{Name: "email-change", Events: 10, Window: time.Hour}

// moveMailbox does what goes with a new address: links that went to the old one
// are worth nothing, the old one is told, the new one is asked. It takes more
// than an access token whose session somebody has ended: with the address goes
// the way to reset the password.
func (s *Service) moveMailbox(ctx context.Context, tx database.Tx, caller account.Caller, before User, email string) error {
	if err := s.Sessions.Confirm(ctx, tx, caller); err != nil {
		return err
	}
	err := s.Limiter.Take(ctx, tx, emailChanges.On(caller.User.String()), ratelimit.MailsByRecipient.On(string(VerifyEmail), mail.AddressKey(email)))
	if err != nil {
		return err
	}
	if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](caller.User)); err != nil {
		return err
	}
	if err := s.Links.Send(ctx, tx, VerifyEmail, email); err != nil {
		return err
	}
	if err := s.Notices.EmailChanged(ctx, tx, before.Email, before.FirstName); err != nil {
		return err
	}
	return s.Trail.Record(ctx, tx, caller, audit.EmailChanged, before.Email+" to "+email)
}

// passwordTries bounds the guesses at a user's password by who holds an access
// token of theirs. Every try counts, so that parallel ones can't pass together.
var passwordTries = ratelimit.Rule{Name: "password-change", Events: 10, Window: 15 * time.Minute}

var errWrongPassword = fault.Unauthorized("wrong_password",
	"The current password is wrong. If you have none, or forgot it, sign out and use \"Forgot password\".")

// ChangePassword sets the caller's own password and ends all their other
// sessions. A user without a password has none that could be right.
func (s *Service) ChangePassword(ctx context.Context, caller account.Caller, current, next string) error {
	if !token.CheckPassword(next) {
		return token.ErrPasswordBounds
	}
	if err := s.Limiter.Count(ctx, passwordTries, caller.User.String()); err != nil {
		return err
	}
	old, err := s.Users.passwordHash(ctx, s.DB, caller.User)
	if err != nil {
		return err
	}
	right, _, err := s.Hasher.Verify(ctx, current, old)
	if err != nil {
		return err
	}
	if !right {
		return errWrongPassword
	}
	hash, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Sessions.Confirm(ctx, tx, caller); err != nil {
			return err
		}
		return s.replacePassword(ctx, tx, caller, old, hash)
	})
}

func (s *Service) replacePassword(ctx context.Context, tx database.Tx, caller account.Caller, old, hash string) error {
	// Another change may have been faster; then the current password is another.
	replaced, err := s.Users.replacePassword(ctx, tx, caller.User, old, hash)
	if err != nil {
		return err
	}
	if !replaced {
		return errWrongPassword
	}
	if err := s.Sessions.CloseAll(ctx, tx, caller.User, caller.Session); err != nil {
		return err
	}
	user, err := s.Users.Find(ctx, tx, caller.Account, caller.User)
	if err != nil {
		return err
	}
	if err := s.Notices.PasswordChanged(ctx, tx, user.Email, user.FirstName); err != nil {
		return err
	}
	return s.Trail.Record(ctx, tx, caller, audit.PasswordChanged, user.Email)
}
