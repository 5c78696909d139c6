package staff

import (
	"context"
	"strings"
	"time"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// TokenPair is what a signed-in member holds.
type TokenPair struct {
	AccessToken  string `json:"accessToken" doc:"JWT, good for 15 minutes."`
	RefreshToken string `json:"refreshToken" doc:"Opaque, good for one refresh."`
}

// SignedIn is the answer to a login.
type SignedIn struct {
	TokenPair
	Staff Member `json:"staff"`
}

// failuresByAddress stops whoever tries one password on many members. The lock
// sees to those who try many on one.
var failuresByAddress = ratelimit.Rule{Name: "staff-login-ip", Events: 300, Window: 15 * time.Minute}

// Login signs a member in by password. Unknown address, wrong password, no
// password and a locked address all cost one hash and the same writes, and have
// one answer. That a member is inactive is told only to whoever has the password.
func (s *Service) Login(ctx context.Context, email, password string) (SignedIn, error) {
	email = strings.TrimSpace(email)
	key := mail.AddressKey(email)
	network := ratelimit.Network(httpapi.ClientOf(ctx).IP)
	if err := s.Limiter.Check(ctx, failuresByAddress, network); err != nil {
		return SignedIn{}, err
	}
	found, err := s.store.credentials(ctx, s.DB, key)
	if err != nil {
		return SignedIn{}, err
	}
	right, rehash, err := s.compare(ctx, password, found.hash)
	if err != nil {
		return SignedIn{}, err
	}
	var (
		entered session.Session
		refresh token.Opaque
		member  Member
		refusal error
	)
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		admitted, err := s.locks.admit(ctx, tx, key, right)
		if err != nil {
			return err
		}
		if refusal = verdict(admitted, found); refusal != nil {
			// What is counted is kept although the answer is an error.
			return s.recordFailure(ctx, tx, email, network)
		}
		if member, err = s.store.enter(ctx, tx, found, rehash); err != nil {
			return err
		}
		if entered, refresh, err = s.Sessions.Begin(ctx, tx, id.Of[session.Owner](member.ID), nil); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, callerFor(member).did(audit.SignedIn, "by password"))
	})
	switch {
	case fault.Is(err, fault.KindNotFound): // deactivated, or given another password, meanwhile
		return SignedIn{}, errCredentials
	case err != nil:
		return SignedIn{}, err
	case refusal != nil:
		return SignedIn{}, refusal
	}
	pair, err := s.pair(ctx, member, entered.ID, refresh)
	return SignedIn{TokenPair: pair, Staff: member}, err
}

func (s *Service) recordFailure(ctx context.Context, tx database.Tx, email, network string) error {
	if err := s.Limiter.Add(ctx, tx, failuresByAddress, network); err != nil {
		return err
	}
	if !mail.ValidAddress(email) {
		email = "" // it may be a password in the wrong field
	}
	return s.Trail.Write(ctx, tx, audit.Entry{ActorKind: audit.Stranger, Actor: email, Action: audit.SignInFailed, Target: "staff"})
}

func verdict(admitted bool, c credentials) error {
	switch {
	case !admitted:
		return errCredentials
	case !c.active:
		return errInactive
	}
	return nil
}

// compare checks a password and, if it is right but its hash was made with older
// parameters, hashes it anew.
func (s *Service) compare(ctx context.Context, password, hash string) (right bool, rehash string, err error) {
	right, outdated, err := s.Hasher.Verify(ctx, password, hash)
	if err == nil && right && outdated {
		rehash, err = s.Hasher.Hash(ctx, password)
	}
	return right, rehash, err
}

func callerFor(m Member) Caller { return Caller{ID: m.ID, Name: m.Name, Role: m.Role} }

func (s *Service) pair(ctx context.Context, m Member, sid session.ID, refresh token.Opaque) (TokenPair, error) {
	access, err := s.Signer.Sign(ctx, token.Claims{Subject: m.ID.String(), Role: string(m.Role), SessionID: sid.String()})
	return TokenPair{AccessToken: access, RefreshToken: refresh.Reveal()}, err
}

// Refresh exchanges a refresh token for a new pair. A token that comes twice,
// however soon, ends its whole family.
func (s *Service) Refresh(ctx context.Context, raw string) (TokenPair, error) {
	found, refresh, err := s.Sessions.Rotate(ctx, raw, session.Rules{
		Standing: roleOfSession,
		Replayed: func(tx database.Tx, ended session.Session) error {
			member, err := s.store.find(ctx, tx, ID(ended.Subject))
			if err != nil {
				return err
			}
			return s.Trail.Write(ctx, tx, audit.Entry{ActorKind: audit.System, Action: audit.ReplayEndedSession, Target: member.Email})
		},
	})
	if err != nil {
		return TokenPair{}, err
	}
	return s.pair(ctx, Member{ID: ID(found.Subject), Role: Role(found.Role)}, found.ID, refresh)
}

// Logout ends the session of a refresh token, known or not.
func (s *Service) Logout(ctx context.Context, raw string) error {
	_, err := s.Sessions.End(ctx, raw)
	return err
}
