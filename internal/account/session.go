package account

import (
	"context"

	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// SessionID names a sign-in.
type SessionID = session.ID

// Pair is what a signed-in customer holds.
type Pair struct {
	AccessToken  string `json:"accessToken" doc:"JWT, good for 15 minutes."`
	RefreshToken string `json:"refreshToken" doc:"Opaque, good for one refresh."`
}

// Sessions issues the token pairs of customers, each bound to one organization.
type Sessions struct {
	accounts *Store
	store    *session.Store
	signer   *token.Signer
}

// NewSessions returns the issuer of customers' pairs.
func NewSessions(accounts *Store, store *session.Store, signer *token.Signer) *Sessions {
	return &Sessions{accounts: accounts, store: store, signer: signer}
}

// Open signs a member in.
func (s *Sessions) Open(ctx context.Context, tx database.Tx, m Member) (Pair, error) {
	org := id.Of[session.Scope](m.Account)
	begun, refresh, err := s.store.Begin(ctx, tx, id.Of[session.Owner](m.User), &org)
	if err != nil {
		return Pair{}, err
	}
	return s.pair(ctx, m, begun.ID, refresh)
}

func (s *Sessions) pair(ctx context.Context, m Member, sid SessionID, refresh token.Opaque) (Pair, error) {
	access, err := s.signer.Sign(ctx, token.Claims{
		Subject: m.User.String(), AccountID: m.Account.String(), Role: string(m.Role), SessionID: sid.String(),
	})
	return Pair{AccessToken: access, RefreshToken: refresh.Reveal()}, err
}

// Refresh exchanges a refresh token for a new pair of the same organization,
// with the role of this moment. Replayed hears of a member whose session was just
// ended because a token of it came twice.
func (s *Sessions) Refresh(ctx context.Context, raw string, replayed func(tx database.Tx, whose Member) error) (Pair, error) {
	found, refresh, err := s.store.Rotate(ctx, raw, session.Rules{
		Standing: roleOfSession,
		Replayed: func(tx database.Tx, ended session.Session) error {
			s.accounts.Forget(tx, UserID(ended.Subject))
			return replayed(tx, memberOf(ended))
		},
	})
	if err != nil {
		return Pair{}, err
	}
	return s.pair(ctx, memberOf(found), found.ID, refresh)
}

func memberOf(s session.Session) Member {
	m := Member{User: UserID(s.Subject), Role: Role(s.Role)}
	if s.Account != nil {
		m.Account = ID(*s.Account)
	}
	return m
}

// Confirm makes sure, for what would outlive an access token, that its holder
// still may act as the guard found: their membership is active and of the same
// role, and nobody has ended their session. It holds their row, and those of
// others whom the deed concerns, until the transaction ends (see Store.Hold).
func (s *Sessions) Confirm(ctx context.Context, tx database.Tx, caller Caller, others ...UserID) error {
	if err := s.accounts.Hold(ctx, tx, append(others, caller.User)...); err != nil {
		return err
	}
	member, err := s.accounts.MemberOf(ctx, tx, caller.Account, caller.User)
	switch {
	case fault.Is(err, fault.KindForbidden):
		return errInvalidToken
	case err != nil:
		return err
	case member.Role != caller.Role:
		return errRole
	}
	open, err := s.store.IsOpen(ctx, tx, caller.Session)
	if err == nil && !open {
		err = errInvalidToken
	}
	return err
}

// Move leaves the caller's organization for another: the refresh tokens of the
// one left are worth nothing any more, the target is the one signed in to next,
// and a new pair of the same sign-in is bound to it. The access token in hand
// lives on, bound to the organization left.
func (s *Sessions) Move(ctx context.Context, tx database.Tx, from Caller, to Member) (Pair, error) {
	if err := s.CloseIn(ctx, tx, from.User, from.Account); err != nil {
		return Pair{}, err
	}
	if err := s.accounts.Remember(ctx, tx, to.User, to.Account); err != nil {
		return Pair{}, err
	}
	next, refresh, err := s.store.Follow(ctx, tx, from.Session, id.Of[session.Scope](to.Account))
	if err != nil {
		return Pair{}, err
	}
	return s.pair(ctx, to, next, refresh)
}

// Close ends the session of a refresh token.
func (s *Sessions) Close(ctx context.Context, raw string) error {
	subject, err := s.store.End(ctx, raw)
	if !subject.IsZero() {
		s.accounts.seen.drop(UserID(subject))
	}
	return err
}

// CloseAll ends every session of a person but the one to keep.
func (s *Sessions) CloseAll(ctx context.Context, tx database.Tx, user UserID, keep SessionID) error {
	s.accounts.Forget(tx, user)
	return s.store.EndAll(ctx, tx, id.Of[session.Owner](user), keep)
}

// CloseIn ends every session that a person has in one organization: their
// refresh tokens at once, their access tokens when they expire.
func (s *Sessions) CloseIn(ctx context.Context, tx database.Tx, user UserID, org ID) error {
	return s.store.EndIn(ctx, tx, id.Of[session.Owner](user), id.Of[session.Scope](org))
}
