package auth

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/field"
	"ujumbe/internal/team"
)

// Registration is what a new customer says of themselves.
type Registration struct {
	AccountName string
	FirstName   string
	LastName    string
	Email       string
	Password    string
}

func (r *Registration) check() error {
	var c field.Checks
	r.AccountName = c.Text("body.accountName", r.AccountName, 1, account.NameMax)
	r.FirstName = c.Text("body.firstName", r.FirstName, 1, field.NameMax)
	r.LastName = c.Text("body.lastName", r.LastName, 1, field.NameMax)
	r.Email = c.Email("body.email", r.Email)
	c.Password("body.password", r.Password)
	return c.Err()
}

// Register makes a user with an organization of their own and mails them a link
// to verify their address. All of it is there, or none.
func (s *Service) Register(ctx context.Context, r Registration) (team.User, account.Account, error) {
	if err := r.check(); err != nil {
		return team.User{}, account.Account{}, err
	}
	if err := s.Limiter.Count(ctx, registrations, place(ctx)); err != nil {
		return team.User{}, account.Account{}, err
	}
	taken, err := s.Users.EmailTaken(ctx, s.DB, r.Email)
	if err != nil {
		return team.User{}, account.Account{}, err
	}
	if taken {
		return team.User{}, account.Account{}, team.ErrEmailTaken
	}
	hash, err := s.Hasher.Hash(ctx, r.Password)
	if err != nil {
		return team.User{}, account.Account{}, err
	}
	var (
		user team.User
		org  account.Account
	)
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		user, org, err = s.enroll(ctx, tx, r.AccountName, team.Person{FirstName: r.FirstName, LastName: r.LastName, Email: r.Email, PasswordHash: hash})
		if err != nil {
			return err
		}
		return s.Links.Send(ctx, tx, verifyEmail, user.Email)
	})
	return user, org, err
}

// enroll makes a new person the owner of a new organization.
func (s *Service) enroll(ctx context.Context, tx database.Tx, orgName string, p team.Person) (team.User, account.Account, error) {
	user, err := s.Users.Insert(ctx, tx, p)
	if err != nil {
		return team.User{}, account.Account{}, err
	}
	org, err := s.Accounts.Create(ctx, tx, orgName, user.ID)
	if err != nil {
		return team.User{}, account.Account{}, err
	}
	user.AccountID, user.Role = org.ID, account.Owner
	owner := account.Member{User: user.ID, Account: org.ID, Role: account.Owner}
	return user, org, s.record(ctx, tx, owner, user.Email, audit.Registered, org.Name)
}
