// Package staff is the platform's own namespace: its people, their sign-in and
// what each may do. Nothing here is reachable with a customer's token, and a
// staff token opens nothing of a customer's.
package staff

import (
	"fmt"
	"strings"

	"ujumbe/internal/clock"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/id"
)

// ID names a member of the staff.
type ID = id.Of[Member]

// Role is what a member is on the platform.
type Role string

// The roles. An owner has every permission and manages the staff.
const (
	RoleOwner Role = "owner"
	RoleStaff Role = "staff"
)

// Member is one of the platform's staff.
type Member struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Email     string     `json:"email" format:"email"`
	Role      Role       `json:"role" enum:"owner,staff"`
	Phone     *string    `json:"phone" doc:"Null without one."`
	IsActive  bool       `json:"isActive"`
	CreatedAt clock.Time `json:"createdAt"`
}

// Draft is what a new member is made of. Without a password they get an
// invitation by mail to set one.
type Draft struct {
	Name     string
	Email    string
	Role     Role
	Password *string
}

func (d *Draft) check() error {
	var c field.Checks
	d.Name = c.Text("body.name", d.Name, 1, field.NameMax)
	d.Email = c.Email("body.email", d.Email)
	if d.Role != RoleOwner && d.Role != RoleStaff {
		c.Fail("body.role", "must be owner or staff")
	}
	if d.Password != nil {
		c.Password("body.password", *d.Password)
	}
	return c.Err()
}

// Changes are the parts of a member that may be changed; nil leaves a part as it
// is.
type Changes struct {
	Name  *string
	Phone *PhoneChange
}

// PhoneChange replaces a phone; a nil Number removes it.
type PhoneChange struct{ Number *string }

func (ch *Changes) check() error {
	var c field.Checks
	if ch.Name != nil {
		*ch.Name = c.Text("body.name", *ch.Name, 1, field.NameMax)
	}
	if ch.Phone != nil && ch.Phone.Number != nil {
		*ch.Phone.Number = checkPhone(&c, *ch.Phone.Number)
	}
	return c.Err()
}

// The bounds of a phone: characters as typed, and digits among them.
const (
	phoneMax       = 32
	phoneMinDigits = 5
	phoneMaxDigits = 15
)

// checkPhone keeps a colleague's phone as typed: it is read by people, not sent
// messages to, so an extension or a local form is as good as any.
func checkPhone(c *field.Checks, typed string) string {
	typed = c.Text("body.phone", typed, 1, phoneMax)
	digits := 0
	for _, r := range typed {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case !strings.ContainsRune("+-./() ", r):
			c.Fail("body.phone", "must be a phone number like +254712345678")
			return typed
		}
	}
	if typed != "" && (digits < phoneMinDigits || digits > phoneMaxDigits) {
		c.Fail("body.phone", fmt.Sprintf("must have %d to %d digits", phoneMinDigits, phoneMaxDigits))
	}
	return typed
}

var (
	// errCredentials is the one answer to an unknown address, a wrong password,
	// a member without a password and a locked sign-in.
	errCredentials  = fault.Unauthorized("invalid_credentials", "Email or password is wrong, or sign-in is locked for a while after too many failures.")
	errInactive     = fault.Forbidden("staff_inactive", "This staff account is not active. Ask an owner to activate it.")
	errPassword     = fault.Unauthorized("wrong_password", "The current password is not right.")
	errInvalidToken = fault.Unauthorized("invalid_token", "This access token is no longer good. Sign in again.")
	errUnknown      = fault.NotFound("staff_not_found", "There is no staff member with this id.")
	errEmailTaken   = fault.Conflict("email_exists", "A staff member with this email already exists.")
	errSelf         = fault.BadRequest("own_account", "You can't deactivate yourself. Ask another owner.")
	errLastOwner    = fault.BadRequest("last_owner", "This is the last active owner. Make or activate another owner first.")
)
