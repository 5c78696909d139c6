// Package team keeps people and their place in an organization: profile,
// password, photo, and the team list with its roles.
package team

import (
	"ujumbe/internal/account"
	"ujumbe/internal/clock"
)

// User is a person as seen in one organization: role and activity are those of
// the membership there.
type User struct {
	ID          account.UserID
	AccountID   account.ID
	FirstName   string
	LastName    string
	Email       string
	Phone       *string
	Role        account.Role
	IsVerified  bool
	IsActive    bool
	PhotoKey    *string
	LastLoginAt *clock.Time
	CreatedAt   clock.Time
	UpdatedAt   clock.Time
}

// Summary is a user in lists and in the answers of register, login and invite.
type Summary struct {
	ID          account.UserID `json:"id"`
	AccountID   account.ID     `json:"accountId"`
	FirstName   string         `json:"firstName"`
	LastName    string         `json:"lastName"`
	Email       string         `json:"email"`
	Role        account.Role   `json:"role" enum:"owner,admin,member"`
	IsVerified  bool           `json:"isVerified"`
	IsActive    bool           `json:"isActive"`
	LastLoginAt *clock.Time    `json:"lastLoginAt" nullable:"true"`
	CreatedAt   clock.Time     `json:"createdAt"`
}

// Summary is what others see of a user.
func (u User) Summary() Summary {
	return Summary{
		ID: u.ID, AccountID: u.AccountID, FirstName: u.FirstName, LastName: u.LastName, Email: u.Email,
		Role: u.Role, IsVerified: u.IsVerified, IsActive: u.IsActive, LastLoginAt: u.LastLoginAt, CreatedAt: u.CreatedAt,
	}
}

// Member is the membership of a user, all but the status of the organization.
func (u User) Member() account.Member {
	return account.Member{User: u.ID, Account: u.AccountID, Role: u.Role}
}

// Profile is a user as they see themselves.
type Profile struct {
	Summary
	Phone           *string    `json:"phone,omitempty"`
	ProfilePhotoURL *string    `json:"profilePhotoUrl" doc:"Public address of the photo; null without one."`
	UpdatedAt       clock.Time `json:"updatedAt"`
}

// Profile is what a user sees of themselves; photoURL makes the address of a
// stored photo.
func (u User) Profile(photoURL func(key string) string) Profile {
	p := Profile{Summary: u.Summary(), Phone: u.Phone, UpdatedAt: u.UpdatedAt}
	if u.PhotoKey != nil {
		address := photoURL(*u.PhotoKey)
		p.ProfilePhotoURL = &address
	}
	return p
}
