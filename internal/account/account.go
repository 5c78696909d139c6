// Package account keeps organizations and who belongs to them. A membership is
// the source of everything a customer may do: its role and activity are looked
// up on every request.
package account

import (
	"ujumbe/internal/clock"
	"ujumbe/internal/id"
)

// ID names an organization.
type ID = id.Of[Account]

// UserID names a person, who may belong to several organizations.
type UserID = id.Of[Member]

// Account is an organization.
type Account struct {
	ID        ID         `json:"id"`
	Name      string     `json:"name"`
	Type      string     `json:"type" example:"direct"`
	Status    Status     `json:"status"`
	Country   string     `json:"country" doc:"ISO 3166-1 alpha-2" example:"KE"`
	Timezone  string     `json:"timezone" doc:"IANA name" example:"Africa/Nairobi"`
	Address   *string    `json:"address"`
	City      *string    `json:"city"`
	State     *string    `json:"state"`
	ZipCode   *string    `json:"zipCode"`
	CreatedAt clock.Time `json:"createdAt"`
}

// Status says whether an organization may be used.
type Status string

// The statuses; staff suspend and reactivate.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
)

// What a new organization starts with, until its owner says otherwise.
const (
	firstType     = "direct"
	firstCountry  = "KE"
	firstTimezone = "Africa/Nairobi"
	currency      = "KES"
)

// NameMax bounds an organization's name, in characters.
const NameMax = 100

// Role is what a member may do.
type Role string

// The roles of a membership.
const (
	Owner       Role = "owner"
	Admin       Role = "admin"
	PlainMember Role = "member"
)

// Member is a person's active place in one organization.
type Member struct {
	User    UserID
	Account ID
	Role    Role
	// Status is that of the organization.
	Status Status
}

// Caller is who makes a request: a person acting in one organization.
type Caller struct {
	User    UserID
	Account ID
	Role    Role
	Session SessionID
}

// Belonging is an organization in the list of those a person belongs to.
type Belonging struct {
	UserID        UserID `json:"userId"`
	AccountID     ID     `json:"accountId"`
	AccountName   string `json:"accountName"`
	AccountStatus Status `json:"accountStatus" enum:"active,suspended"`
	Role          Role   `json:"role" enum:"owner,admin,member"`
	IsCurrent     bool   `json:"isCurrent" doc:"Whether the access token is bound to this organization."`
}

// ReducedUser is a person in the answers of switch and create.
type ReducedUser struct {
	ID        UserID `json:"id"`
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Role      Role   `json:"role" enum:"owner,admin,member"`
}
