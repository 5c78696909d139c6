package account

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// Guard admits customers to routes: a good access token of a session that nobody
// has ended, an active membership and, where named, a role. The role is the
// membership's of this moment, not the token's.
type Guard struct {
	signer    *token.Signer
	store     *Store
	sessions  *session.Store
	roles     []Role
	suspended bool
}

// NewGuard returns the guard that admits every active member.
func NewGuard(signer *token.Signer, store *Store, sessions *session.Store) Guard {
	return Guard{signer: signer, store: store, sessions: sessions}
}

// Only admits just these roles.
func (g Guard) Only(roles ...Role) Guard {
	g.roles = roles
	return g
}

// EvenSuspended admits members of a suspended organization too: they may look
// at their organizations and switch away.
func (g Guard) EvenSuspended() Guard {
	g.suspended = true
	return g
}

// Scheme is the customers' token.
func (Guard) Scheme() string { return httpapi.CustomerToken }

var (
	errInvalidToken = fault.Unauthorized("invalid_token", "This access token is no longer good for its organization. Sign in again.")
	errSuspended    = fault.Forbidden("account_suspended", "This organization is suspended. Ask support, or switch to another organization.")
	errRole         = fault.Forbidden("role_required", "Your role in this organization does not allow this. Ask an owner.")
)

// Admit puts the Caller of the request into its context.
func (g Guard) Admit(ctx context.Context, authorization string) (context.Context, error) {
	claims, err := g.signer.Verify(ctx, token.Bearer(authorization))
	if err != nil {
		return nil, err
	}
	caller, err := callerOf(claims)
	if err != nil {
		return nil, err
	}
	member, err := g.standing(ctx, caller)
	if err != nil {
		return nil, err
	}
	switch caller.Role = member.Role; {
	case member.Status != Active && !g.suspended:
		return nil, errSuspended
	case g.roles != nil && !slices.Contains(g.roles, member.Role):
		return nil, errRole
	}
	return context.WithValue(ctx, callerKey{}, caller), nil
}

func callerOf(c token.Claims) (Caller, error) {
	user, errUser := id.Parse[Member](c.Subject)
	org, errOrg := id.Parse[Account](c.AccountID)
	sid, errSession := id.Parse[session.Session](c.SessionID)
	if errUser != nil || errOrg != nil || errSession != nil {
		return Caller{}, errInvalidToken
	}
	return Caller{User: user, Account: org, Session: sid}, nil
}

type callerKey struct{}

// admitted returns the caller that a Guard admitted.
func admitted(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Authorized is embedded in the input of every guarded operation.
type Authorized struct {
	Caller Caller `json:"-"`
}

// Resolve fills the caller in before the operation is called.
func (a *Authorized) Resolve(ctx huma.Context) []error {
	a.Caller = admitted(ctx.Context())
	return nil
}

// standingLife is how long a membership that was looked up is believed. A change
// on this node is seen at once, one on another node after this time.
const standingLife = 250 * time.Millisecond

// standings remembers memberships just looked up, by user, so that a burst of
// requests costs one query.
type standings struct {
	mu  sync.RWMutex
	all map[UserID]map[standingKey]standing
	// changes counts what was forgotten. A look-up during which it moved may have
	// read what is no longer so, and is not remembered.
	changes uint64
}

type standingKey struct {
	org     ID
	session SessionID
}

type standing struct {
	member Member
	until  clock.Time
}

// What is remembered at most: users, and sessions of each.
const (
	maxStandings     = 20_000
	maxStandingsEach = 100
)

func newStandings() *standings { return &standings{all: map[UserID]map[standingKey]standing{}} }

func (s *standings) get(user UserID, key standingKey, now clock.Time) (m Member, ok bool, changes uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found, ok := s.all[user][key]
	return found.member, ok && now < found.until, s.changes
}

func (s *standings) put(key standingKey, m Member, until clock.Time, changes uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes != changes {
		return
	}
	if len(s.all) >= maxStandings {
		clear(s.all)
	}
	of := s.all[m.User]
	if of == nil || len(of) >= maxStandingsEach {
		of = map[standingKey]standing{}
		s.all[m.User] = of
	}
	of[key] = standing{m, until}
}

func (s *standings) drop(user UserID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	delete(s.all, user)
}

func (s *standings) dropAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	clear(s.all)
}

// standing is the live membership behind a token.
func (g Guard) standing(ctx context.Context, c Caller) (Member, error) {
	key, now := standingKey{c.Account, c.Session}, g.store.clock.Now()
	m, ok, changes := g.store.seen.get(c.User, key, now)
	if ok {
		return m, nil
	}
	m, err := g.store.MemberOf(ctx, g.store.db, c.Account, c.User)
	if fault.Is(err, fault.KindForbidden) {
		return Member{}, errInvalidToken
	}
	if err != nil {
		return Member{}, err
	}
	open, err := g.sessions.IsOpen(ctx, g.store.db, c.Session)
	if err != nil {
		return Member{}, err
	}
	if !open {
		return Member{}, errInvalidToken
	}
	g.store.seen.put(key, m, now.Add(standingLife), changes)
	return m, nil
}

// Forget makes this node look up again, once the transaction has committed, where
// a user belongs and which of their sessions go on.
func (s *Store) Forget(tx database.Tx, user UserID) {
	tx.OnCommit(func() { s.seen.drop(user) })
}

// forgetAll makes this node look every membership up again, as when an
// organization's status changes.
func (s *Store) forgetAll(tx database.Tx) {
	tx.OnCommit(s.seen.dropAll)
}
