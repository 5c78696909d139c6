package staff

import (
	"context"
	"errors"
	"fmt"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// Guard admits staff to routes: a good staff token, an active member and, where
// asked for, a role or a level in a module. All but the token is read from the
// database on every request, so a deactivation or a lower level bites on the next
// one, on every node.
type Guard struct {
	signer   *token.Signer
	db       *database.DB
	sessions *session.Store
	owner    bool
	module   Module
	level    Level
}

// NewGuard returns the guard that admits every active member.
func NewGuard(signer *token.Signer, db *database.DB, sessions *session.Store) Guard {
	return Guard{signer: signer, db: db, sessions: sessions}
}

// OwnersOnly admits just owners.
func (g Guard) OwnersOnly() Guard {
	g.owner = true
	return g
}

// Needs admits those who have at least this level in a module.
func (g Guard) Needs(module Module, level Level) Guard {
	g.module, g.level = module, level
	return g
}

// Scheme is the staff's token.
func (Guard) Scheme() string { return httpapi.StaffToken }

var errOwnersOnly = fault.Forbidden("role_required", "Only owners may manage the staff.")

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
	level, err := g.standing(ctx, &caller)
	if err != nil {
		return nil, err
	}
	switch {
	case g.owner && caller.Role != RoleOwner:
		return nil, errOwnersOnly
	case g.module != "" && caller.Role != RoleOwner && !level.Includes(g.level):
		return nil, fault.Forbidden("permission_required",
			fmt.Sprintf("This needs level %s in the module %s. Ask an owner for it.", g.level, g.module))
	}
	return context.WithValue(ctx, callerKey{}, caller), nil
}

// standing completes the caller by what the database says of them now, and
// returns their level in the guard's module.
func (g Guard) standing(ctx context.Context, c *Caller) (Level, error) {
	var (
		active bool
		level  Level
	)
	err := g.db.QueryRow(ctx, `SELECT s.name, s.role, s.is_active, COALESCE(p.level, $3)
		FROM staff s LEFT JOIN staff_permission p ON p.staff_id = s.id AND p.module = $2 WHERE s.id = $1`,
		c.ID, g.module, LevelNone).Scan(&c.Name, &c.Role, &active, &level)
	if errors.Is(err, database.ErrNoRows) || err == nil && !active {
		return "", errInvalidToken
	}
	if err != nil {
		return "", fmt.Errorf("read standing: %w", err)
	}
	open, err := g.sessions.IsOpen(ctx, g.db, c.Session)
	if err == nil && !open {
		err = errInvalidToken
	}
	return level, err
}

// Caller is who acts: a signed-in member, or the Operator.
type Caller struct {
	ID      ID
	Name    string
	Role    Role
	Session session.ID
}

// Operator is whoever has the command line: above every role.
var Operator = Caller{Name: "operator"}

func callerOf(c token.Claims) (Caller, error) {
	member, errMember := id.Parse[Member](c.Subject)
	sid, errSession := id.Parse[session.Session](c.SessionID)
	if errMember != nil || errSession != nil {
		return Caller{}, errInvalidToken
	}
	return Caller{ID: member, Session: sid}, nil
}

// did is the trail's entry for a deed of the caller.
func (c Caller) did(action, target string) audit.Entry {
	if c.ID.IsZero() {
		return audit.Entry{ActorKind: audit.System, Actor: c.Name, Action: action, Target: target}
	}
	being := id.Of[audit.Being](c.ID)
	return audit.Entry{ActorKind: audit.Staff, ActorID: &being, Actor: c.Name, Action: action, Target: target}
}

type callerKey struct{}

// Authorized is embedded in the input of every guarded operation.
type Authorized struct {
	Caller Caller `json:"-"`
}

// Resolve fills the caller in before the operation is called.
func (a *Authorized) Resolve(ctx huma.Context) []error {
	a.Caller, _ = ctx.Context().Value(callerKey{}).(Caller)
	return nil
}
