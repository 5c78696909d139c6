// Package session keeps sign-ins: refresh tokens, each of which can be exchanged
// once, in families that end together. It serves customers and staff alike, by
// their Policy.
package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/token"
)

// ID names a session.
type ID = id.Of[Session]

// Owner stands for a user or a staff member, whichever the realm has.
type Owner struct{}

// Scope stands for the organization that a session is bound to.
type Scope struct{}

// Session is one sign-in of a subject, bound to an organization where the realm
// has them.
type Session struct {
	ID      ID
	Subject id.Of[Owner]
	Account *id.Of[Scope]
	// Role is what the subject may do, as found by Rotate.
	Role string
}

// Policy is how the sessions of a realm live.
type Policy struct {
	Realm token.Realm
	Idle  time.Duration // how long a refresh token is good for
	Life  time.Duration // how long a family is, from the sign-in
	// Grace is how long after its exchange a replayed token is taken for two
	// tabs racing. Later, or without grace, a replay ends the family.
	Grace time.Duration
}

// The policies of the two realms.
var (
	CustomerPolicy = Policy{Realm: token.Customer, Idle: 30 * 24 * time.Hour, Life: 90 * 24 * time.Hour, Grace: 10 * time.Second}
	StaffPolicy    = Policy{Realm: token.Staff, Idle: 7 * 24 * time.Hour, Life: 7 * 24 * time.Hour}
)

// errRefused is the one answer to a refresh token that is not good.
var errRefused = fault.Unauthorized("invalid_refresh_token", "The refresh token is unknown, used, revoked or expired. Sign in again.")

// Store keeps the sessions of one realm.
type Store struct {
	db     *database.DB
	clock  clock.Clock
	policy Policy
}

// NewStore returns the sessions of a realm.
func NewStore(db *database.DB, c clock.Clock, policy Policy) *Store {
	return &Store{db: db, clock: c, policy: policy}
}

// Begin opens a session and returns it with its first refresh token.
func (s *Store) Begin(ctx context.Context, tx database.Tx, subject id.Of[Owner], account *id.Of[Scope]) (Session, token.Opaque, error) {
	now := s.clock.Now()
	begun := Session{ID: id.New[Session](), Subject: subject, Account: account}
	err := tx.Queue(ctx, `INSERT INTO session (id, realm, subject_id, account_id, family, created_at, ends_at) VALUES ($1, $2, $3, $4, $1, $5, $6)`,
		begun.ID, s.policy.Realm, subject, account, now, now.Add(s.policy.Life))
	if err != nil {
		return Session{}, token.Opaque{}, fmt.Errorf("insert session: %w", err)
	}
	refresh, err := s.issue(ctx, tx, begun.ID, now.Add(s.policy.Life))
	return begun, refresh, err
}

// Follow opens a session of the same family in another organization: it lives no
// longer than the first one would, and a replay of any token of the family ends
// it too.
func (s *Store) Follow(ctx context.Context, tx database.Tx, from ID, account id.Of[Scope]) (ID, token.Opaque, error) {
	now, next := s.clock.Now(), id.New[Session]()
	var ends clock.Time
	err := tx.QueryRow(ctx, `INSERT INTO session (id, realm, subject_id, account_id, family, created_at, ends_at)
		SELECT $1, realm, subject_id, $2, family, $3, ends_at FROM session WHERE id = $4 AND realm = $5 AND ends_at > $3
		RETURNING ends_at`, next, account, now, from, s.policy.Realm).Scan(&ends)
	if err != nil {
		return ID{}, token.Opaque{}, fmt.Errorf("follow session: %w", err)
	}
	refresh, err := s.issue(ctx, tx, next, ends)
	return next, refresh, err
}

func (s *Store) issue(ctx context.Context, tx database.Tx, session ID, ends clock.Time) (token.Opaque, error) {
	refresh := token.NewOpaque()
	expires := min(s.clock.Now().Add(s.policy.Idle), ends)
	err := tx.Queue(ctx, `INSERT INTO refresh_token (hash, session_id, expires_at) VALUES ($1, $2, $3)`, refresh.Hash(), session, expires)
	if err != nil {
		return token.Opaque{}, fmt.Errorf("insert refresh token: %w", err)
	}
	return refresh, nil
}

// Rules are what a realm knows of its sessions' subjects.
type Rules struct {
	// Standing is SQL that selects the role of a session's subject at this
	// moment. The session's row is s. Where it selects nothing, the subject may
	// not act any more.
	Standing string
	// Replayed hears of a session that was just ended because one of its tokens
	// came twice.
	Replayed func(tx database.Tx, ended Session) error
}

// Rotate exchanges a refresh token for the next one of its family. A token that
// comes twice may have been stolen, so a late replay ends the whole family; that
// ending is kept although the answer is an error.
func (s *Store) Rotate(ctx context.Context, raw string, rules Rules) (Session, token.Opaque, error) {
	given, ok := token.ParseOpaque(raw)
	if !ok {
		return Session{}, token.Opaque{}, errRefused
	}
	var (
		session Session
		next    token.Opaque
		won     bool
	)
	err := s.db.InTx(ctx, func(tx database.Tx) error {
		found, ends, err := s.spend(ctx, tx, given, rules.Standing)
		won = err == nil
		if errors.Is(err, database.ErrNoRows) {
			return s.punishReplay(ctx, tx, given, rules.Replayed)
		}
		if err != nil {
			return err
		}
		session = found
		next, err = s.issue(ctx, tx, session.ID, ends)
		return err
	})
	if err == nil && !won {
		err = errRefused
	}
	return session, next, err
}

// spend marks the token used if it is good; one conditional update decides
// between concurrent callers. It brings all that is needed of the session along,
// since every statement more is a way to the database and back.
func (s *Store) spend(ctx context.Context, tx database.Tx, given token.Opaque, standing string) (Session, clock.Time, error) {
	var (
		session Session
		ends    clock.Time
	)
	of := func(column string) string {
		return `(SELECT ` + column + ` FROM session s WHERE s.id = refresh_token.session_id)`
	}
	err := tx.QueryRow(ctx, `UPDATE refresh_token SET used_at = $1 WHERE hash = $2 AND used_at IS NULL AND expires_at > $1
		AND EXISTS (SELECT 1 FROM session s WHERE s.id = refresh_token.session_id
			AND s.realm = $3 AND s.revoked_at IS NULL AND s.ends_at > $1 AND EXISTS (`+standing+`))
		RETURNING session_id, `+of("s.subject_id")+`, `+of("s.account_id")+`, `+of("s.ends_at")+`, `+of("("+standing+")"),
		s.clock.Now(), given.Hash(), s.policy.Realm).Scan(&session.ID, &session.Subject, &session.Account, &ends, &session.Role)
	if err != nil {
		return Session{}, 0, fmt.Errorf("spend refresh token: %w", err)
	}
	return session, ends, nil
}

func (s *Store) punishReplay(ctx context.Context, tx database.Tx, given token.Opaque, heard func(database.Tx, Session) error) error {
	found, err := s.find(ctx, tx, given)
	if err != nil || found.used == nil || *found.used > s.clock.Now().Add(-s.policy.Grace) {
		return err
	}
	ended, err := s.end(ctx, tx, found.Subject, `family = $4`, found.family)
	if err != nil || ended == 0 {
		return err
	}
	return heard(tx, found.Session)
}

// found is the session of a token, and when that was exchanged.
type found struct {
	Session
	family ID
	used   *clock.Time
}

// find returns nothing, nobody's, for a token that is unknown.
func (s *Store) find(ctx context.Context, q database.Querier, given token.Opaque) (f found, err error) {
	err = q.QueryRow(ctx, `SELECT s.id, s.subject_id, s.account_id, s.family, t.used_at FROM refresh_token t JOIN session s ON s.id = t.session_id
		WHERE t.hash = $1 AND s.realm = $2`, given.Hash(), s.policy.Realm).Scan(&f.ID, &f.Subject, &f.Account, &f.family, &f.used)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return found{}, fmt.Errorf("look for session: %w", err)
	}
	return f, nil
}

// end ends those sessions of a subject that meet a condition, whose parameters
// are numbered from $4 on.
func (s *Store) end(ctx context.Context, q database.Querier, subject id.Of[Owner], condition string, args ...any) (int64, error) {
	n, err := q.Exec(ctx, `UPDATE session SET revoked_at = COALESCE(revoked_at, $1), ends_at = $1
		WHERE realm = $2 AND subject_id = $3 AND ends_at > $1 AND `+condition, append([]any{s.clock.Now(), s.policy.Realm, subject}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return n, nil
}

// End closes the session of a refresh token, and those of its family that were
// left for it. It returns whose it was; an unknown token ends nothing and is
// nobody's. A spent token does it too: whoever logs out means it.
func (s *Store) End(ctx context.Context, raw string) (subject id.Of[Owner], err error) {
	given, ok := token.ParseOpaque(raw)
	if !ok {
		return subject, nil
	}
	found, err := s.find(ctx, s.db, given)
	if err != nil || found.ID.IsZero() {
		return subject, err
	}
	_, err = s.end(ctx, s.db, found.Subject, `family = $4 AND (id = $5 OR revoked_at IS NOT NULL)`, found.family, found.ID)
	return found.Subject, err
}

// EndAll closes every session of a subject but the one to keep, which may be
// the zero id.
func (s *Store) EndAll(ctx context.Context, tx database.Tx, subject id.Of[Owner], keep ID) error {
	_, err := s.end(ctx, tx, subject, `id <> $4`, keep)
	return err
}

// EndIn makes the refresh tokens that a subject has in one organization
// worthless. The sign-ins themselves go on: see IsOpen.
func (s *Store) EndIn(ctx context.Context, tx database.Tx, subject id.Of[Owner], account id.Of[Scope]) error {
	err := tx.Queue(ctx, `UPDATE session SET revoked_at = $1 WHERE realm = $2 AND subject_id = $3 AND account_id = $4 AND revoked_at IS NULL`,
		s.clock.Now(), s.policy.Realm, subject, account)
	if err != nil {
		return fmt.Errorf("end sessions of an organization: %w", err)
	}
	return nil
}

// IsOpen reports whether a sign-in goes on: it may have been left for another
// organization by EndIn, but neither has anyone ended it nor is its time over.
// Who holds an access token of it may be given a new session.
func (s *Store) IsOpen(ctx context.Context, q database.Querier, session ID) (bool, error) {
	var open bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM session WHERE id = $1 AND realm = $2 AND ends_at > $3)`,
		session, s.policy.Realm, s.clock.Now()).Scan(&open)
	if err != nil {
		return false, fmt.Errorf("look for session: %w", err)
	}
	return open, nil
}

// Sweep deletes the sessions of all realms whose time is over, with their tokens.
// Until then spent tokens stay, also those of a session that was left: a replay is
// known by them.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.clock.Now()
	// A session may have thousands of spent tokens, so they go first.
	err := s.db.Sweep(ctx, `DELETE FROM refresh_token WHERE hash IN (
		SELECT t.hash FROM session s JOIN refresh_token t ON t.session_id = s.id WHERE s.ends_at <= $1 LIMIT $2)`, now)
	if err != nil {
		return fmt.Errorf("sweep refresh tokens: %w", err)
	}
	err = s.db.Sweep(ctx, `DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ends_at <= $1 LIMIT $2)`, now)
	if err != nil {
		return fmt.Errorf("sweep sessions: %w", err)
	}
	return nil
}
