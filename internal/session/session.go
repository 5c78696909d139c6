// Package session keeps sign-ins: families of refresh tokens, each of which can
// be exchanged once. It serves customers and staff alike, by their Policy.
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
	_, err := tx.Exec(ctx, `INSERT INTO session (id, realm, subject_id, account_id, created_at, ends_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		begun.ID, s.policy.Realm, subject, account, now, now.Add(s.policy.Life))
	if err != nil {
		return Session{}, token.Opaque{}, fmt.Errorf("insert session: %w", err)
	}
	refresh, err := s.issue(ctx, tx, begun.ID, now.Add(s.policy.Life))
	return begun, refresh, err
}

func (s *Store) issue(ctx context.Context, tx database.Tx, session ID, ends clock.Time) (token.Opaque, error) {
	refresh := token.NewOpaque()
	expires := min(s.clock.Now().Add(s.policy.Idle), ends)
	_, err := tx.Exec(ctx, `INSERT INTO refresh_token (hash, session_id, expires_at) VALUES ($1, $2, $3)`, refresh.Hash(), session, expires)
	if err != nil {
		return token.Opaque{}, fmt.Errorf("insert refresh token: %w", err)
	}
	return refresh, nil
}

// Rotate exchanges a refresh token for the next one of its family. admit sees
// the session in the same transaction and may refuse it. A token that comes
// twice may have been stolen, so a late replay ends the whole family; that ending
// is kept although the answer is an error.
func (s *Store) Rotate(ctx context.Context, raw string, admit func(tx database.Tx, session Session) error) (token.Opaque, error) {
	given, ok := token.ParseOpaque(raw)
	if !ok {
		return token.Opaque{}, errRefused
	}
	var next token.Opaque
	won := false
	err := s.db.InTx(ctx, func(tx database.Tx) error {
		session, ends, err := s.spend(ctx, tx, given)
		won = err == nil
		if errors.Is(err, database.ErrNoRows) {
			return s.punishReplay(ctx, tx, given)
		}
		if err != nil {
			return err
		}
		if err := admit(tx, session); err != nil {
			return err
		}
		next, err = s.issue(ctx, tx, session.ID, ends)
		return err
	})
	if err == nil && !won {
		err = errRefused
	}
	return next, err
}

// spend marks the token used if it is good; one conditional update decides
// between concurrent callers.
func (s *Store) spend(ctx context.Context, tx database.Tx, given token.Opaque) (Session, clock.Time, error) {
	var (
		session Session
		ends    clock.Time
	)
	now := s.clock.Now()
	err := tx.QueryRow(ctx, `UPDATE refresh_token SET used_at = $1 WHERE hash = $2 AND used_at IS NULL AND expires_at > $1
		AND session_id IN (SELECT id FROM session WHERE realm = $3 AND revoked_at IS NULL AND ends_at > $1)
		RETURNING session_id`, now, given.Hash(), s.policy.Realm).Scan(&session.ID)
	if err != nil {
		return session, 0, fmt.Errorf("spend refresh token: %w", err)
	}
	err = tx.QueryRow(ctx, `SELECT subject_id, account_id, ends_at FROM session WHERE id = $1`, session.ID).Scan(&session.Subject, &session.Account, &ends)
	if err != nil {
		return session, 0, fmt.Errorf("read session: %w", err)
	}
	return session, ends, nil
}

func (s *Store) punishReplay(ctx context.Context, tx database.Tx, given token.Opaque) error {
	now := s.clock.Now()
	_, err := tx.Exec(ctx, `UPDATE session SET revoked_at = COALESCE(revoked_at, $1), ends_at = $1 WHERE realm = $2 AND ends_at > $1
		AND id IN (SELECT session_id FROM refresh_token WHERE hash = $3 AND used_at <= $4)`,
		now, s.policy.Realm, given.Hash(), now.Add(-s.policy.Grace))
	if err != nil {
		return fmt.Errorf("end replayed family: %w", err)
	}
	return nil
}

// End closes the session of a refresh token; an unknown token ends nothing.
// A spent token ends its family too: whoever logs out means it.
func (s *Store) End(ctx context.Context, raw string) error {
	given, ok := token.ParseOpaque(raw)
	if !ok {
		return nil
	}
	_, err := s.db.Exec(ctx, `UPDATE session SET revoked_at = COALESCE(revoked_at, $1), ends_at = $1 WHERE realm = $2 AND ends_at > $1
		AND id IN (SELECT session_id FROM refresh_token WHERE hash = $3)`, s.clock.Now(), s.policy.Realm, given.Hash())
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// EndAll closes every session of a subject but the one to keep, which may be
// the zero id.
func (s *Store) EndAll(ctx context.Context, tx database.Tx, subject id.Of[Owner], keep ID) error {
	_, err := tx.Exec(ctx, `UPDATE session SET revoked_at = COALESCE(revoked_at, $1), ends_at = $1
		WHERE realm = $2 AND subject_id = $3 AND id <> $4 AND ends_at > $1`, s.clock.Now(), s.policy.Realm, subject, keep)
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return nil
}

// EndIn makes the refresh tokens that a subject has in one organization
// worthless. The sign-ins themselves go on: see Goes.
func (s *Store) EndIn(ctx context.Context, tx database.Tx, subject id.Of[Owner], account id.Of[Scope]) error {
	_, err := tx.Exec(ctx, `UPDATE session SET revoked_at = $1 WHERE realm = $2 AND subject_id = $3 AND account_id = $4 AND revoked_at IS NULL`,
		s.clock.Now(), s.policy.Realm, subject, account)
	if err != nil {
		return fmt.Errorf("end sessions of an organization: %w", err)
	}
	return nil
}

// Goes reports whether a sign-in goes on: it may have been left for another
// organization by EndIn, but neither has anyone ended it nor is its time over.
// Who holds an access token of it may be given a new session.
func (s *Store) Goes(ctx context.Context, q database.Querier, session ID) (bool, error) {
	var goes bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM session WHERE id = $1 AND realm = $2 AND ends_at > $3)`,
		session, s.policy.Realm, s.clock.Now()).Scan(&goes)
	if err != nil {
		return false, fmt.Errorf("look for session: %w", err)
	}
	return goes, nil
}

// Sweep deletes sessions that nobody can use any more, with their tokens, at
// most limit of them. One that was left by EndIn is kept for a day, longer than
// its access tokens live, so that Goes knows it.
func (s *Store) Sweep(ctx context.Context, limit int) (int64, error) {
	now := s.clock.Now()
	n, err := s.db.Exec(ctx, `DELETE FROM session WHERE id IN (
		SELECT id FROM session WHERE ends_at < $1 OR revoked_at < $2 LIMIT $3)`, now, now.Add(-24*time.Hour), limit)
	if err != nil {
		return 0, fmt.Errorf("sweep sessions: %w", err)
	}
	return n, nil
}
