// Package auth is how customers prove who they are: registration, password,
// mailed links, sessions and identity providers.
package auth

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/team"
	"ujumbe/internal/token"
)

// Needs are the parts that Service is made of.
type Needs struct {
	DB       *database.DB
	Clock    clock.Clock
	Hasher   *token.Hasher
	Accounts *account.Store
	Sessions *account.Sessions
	Users    *team.Store
	Notices  *team.Notices
	Links    *onetime.Links
	Pages    mail.Links
	Limiter  *ratelimit.Limiter
	Trail    *audit.Trail
}

// Service holds the rules of signing in.
type Service struct {
	Needs
	store *store
}

// NewService returns the rules, and makes the links they mail known.
func NewService(n Needs) *Service {
	s := &Service{Needs: n, store: &store{n.Clock}}
	s.addLinks()
	return s
}

// Result is what a successful sign-in answers.
type Result struct {
	account.Pair
	User team.Summary `json:"user"`
}

// open signs a person in to the organization they were in last.
func (s *Service) open(ctx context.Context, tx database.Tx, user account.UserID, how string) (Result, error) {
	found, err := s.Users.AtHome(ctx, tx, user)
	if err != nil {
		return Result{}, err
	}
	home := found.Member()
	pair, err := s.Sessions.Open(ctx, tx, home)
	if err != nil {
		return Result{}, err
	}
	err = s.record(ctx, tx, home, found.Email, audit.SignedIn, how)
	return Result{Pair: pair, User: found.Summary()}, err
}

// record writes what a person did into the trail of an organization of theirs.
func (s *Service) record(ctx context.Context, tx database.Tx, m account.Member, email, action, target string) error {
	return s.Trail.Write(ctx, tx, audit.Entry{
		Account: id.Of[audit.Organization](m.Account), ActorKind: audit.User, ActorID: being(m.User),
		Actor: email, Action: action, Target: target,
	})
}

func being(user account.UserID) *id.Of[audit.Being] {
	b := id.Of[audit.Being](user)
	return &b
}

// Refresh exchanges a refresh token for a new pair.
func (s *Service) Refresh(ctx context.Context, raw string) (account.Pair, error) {
	return s.Sessions.Refresh(ctx, raw, func(tx database.Tx, whose account.Member) error {
		email, err := s.store.emailOf(ctx, tx, whose.User)
		if err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, audit.Entry{
			Account: id.Of[audit.Organization](whose.Account), ActorKind: audit.System, Action: audit.ReplayEndedSession, Target: email,
		})
	})
}

// Logout ends the session of a refresh token, known or not.
func (s *Service) Logout(ctx context.Context, raw string) error { return s.Sessions.Close(ctx, raw) }
