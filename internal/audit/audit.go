// Package audit keeps the trail of who did what, when and from where. An entry
// is written in the transaction of the deed, so neither exists without the other.
package audit

import (
	"context"
	"fmt"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// Actions are stable words. Add new ones here, so that the trail has one list.
const (
	Registered          = "user.registered"
	EmailVerified       = "user.email_verified"
	EmailChanged        = "user.email_changed"
	SignedIn            = "session.signed_in"
	SignInFailed        = "session.sign_in_failed"
	ReplayEndedSession  = "session.ended_by_replay"
	PasswordChanged     = "user.password_changed"
	PasswordReset       = "user.password_reset"
	ResetRequested      = "user.password_reset_requested"
	IdentityLinked      = "user.identity_linked"
	MemberInvited       = "member.invited"
	MemberJoined        = "member.joined"
	MemberRoleChanged   = "member.role_changed"
	MemberDeactivated   = "member.deactivated"
	MemberReactivated   = "member.reactivated"
	MemberRemoved       = "member.removed"
	InvitationWithdrawn = "member.invitation_withdrawn"
	AccountCreated      = "account.created"
	AccountUpdated      = "account.updated"
	AccountSwitched     = "account.switched"
	AccountStatus       = "account.status_changed"
	ContactsImported    = "contacts.imported"
	ImportUndone        = "contacts.import_undone"
	ContactsExported    = "contacts.exported"
	ContactsMailed      = "contacts.export_mailed"
	ContactsPurged      = "contacts.purged"
	StaffCreated        = "staff.created"
	StaffChanged        = "staff.changed"
	StaffPermissions    = "staff.permissions_changed"
	StaffActivity       = "staff.activity_changed"
	StaffUnlocked       = "staff.unlocked"
)

// ActorKind says what kind of being acted.
type ActorKind string

// The kinds of actors.
const (
	User     ActorKind = "user"
	Staff    ActorKind = "staff"
	Stranger ActorKind = "stranger" // someone who did not prove who they are
	System   ActorKind = "system"
)

// Organization stands for the account an entry belongs to; the zero id is the
// platform itself.
type Organization struct{}

// Being stands for the user or staff member who acted.
type Being struct{}

// EntryID names an entry.
type EntryID = id.Of[Entry]

// Entry is one line of the trail.
type Entry struct {
	ID        EntryID             `json:"id"`
	At        clock.Time          `json:"at"`
	ActorKind ActorKind           `json:"actorKind" enum:"user,staff,stranger,system"`
	ActorID   *id.Of[Being]       `json:"actorId" nullable:"true"`
	Actor     string              `json:"actor" doc:"Name or address of the actor when it happened."`
	Action    string              `json:"action" example:"session.signed_in"`
	Target    string              `json:"target" doc:"What or whom it was done to, in words."`
	IP        string              `json:"ip"`
	UserAgent string              `json:"userAgent"`
	Account   id.Of[Organization] `json:"-"`
}

const (
	maxText = 300
	// kept is how long the trail goes back.
	kept = 400 * 24 * time.Hour
)

// Trail writes and reads entries.
type Trail struct {
	db    *database.DB
	clock clock.Clock
}

// NewTrail returns the trail of a database.
func NewTrail(db *database.DB, c clock.Clock) *Trail { return &Trail{db: db, clock: c} }

// Write adds an entry to the transaction. Time, address and browser come from
// the request's context.
func (t *Trail) Write(ctx context.Context, tx database.Tx, e Entry) error {
	client := httpapi.ClientOf(ctx)
	err := tx.Queue(ctx, `INSERT INTO audit (account_id, id, at, actor_kind, actor_id, actor, action, target, ip, user_agent)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.Account, id.New[Entry](), t.clock.Now(), e.ActorKind, e.ActorID, cut(e.Actor), e.Action, cut(e.Target), client.IP, client.UserAgent)
	if err != nil {
		return fmt.Errorf("write audit entry: %w", err)
	}
	return nil
}

func cut(text string) string {
	runes := []rune(text)
	if len(runes) > maxText {
		return string(runes[:maxText])
	}
	return text
}

// Page reads the entries of one organization, newest first, and counts them.
func (t *Trail) Page(ctx context.Context, org id.Of[Organization], page httpapi.Page) (entries []Entry, total int64, err error) {
	err = t.db.QueryRow(ctx, `SELECT COUNT(*) FROM audit WHERE account_id = $1`, org).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count audit entries: %w", err)
	}
	entries, err = database.Collect(ctx, t.db, func(row database.Row) (Entry, error) {
		e := Entry{Account: org}
		err := row.Scan(&e.ID, &e.At, &e.ActorKind, &e.ActorID, &e.Actor, &e.Action, &e.Target, &e.IP, &e.UserAgent)
		return e, err
	}, `SELECT id, at, actor_kind, actor_id, actor, action, target, ip, user_agent FROM audit
		WHERE account_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3`, org, page.Size, page.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("read audit entries: %w", err)
	}
	return entries, total, nil
}

// Sweep deletes entries older than 400 days.
func (t *Trail) Sweep(ctx context.Context) error {
	before := id.Before[Entry](t.clock.Now().Add(-kept).Std())
	err := t.db.Sweep(ctx, `DELETE FROM audit WHERE (account_id, id) IN (SELECT account_id, id FROM audit WHERE id < $1 LIMIT $2)`, before)
	if err != nil {
		return fmt.Errorf("sweep audit trail: %w", err)
	}
	return nil
}
