package staff

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

// The lock: as many wrong passwords within the window end sign-in for a while.
const (
	lockFailures = 10
	lockWindow   = 15 * time.Minute
	lockTime     = 15 * time.Minute
)

// lockout counts wrong passwords in the database, for all nodes together. It is
// kept by the address that was tried, known or not, so that a guess at a stranger
// costs the same work as one at a member.
type lockout struct {
	clock clock.Clock
}

// attempts are the wrong passwords of late for one address.
type attempts struct {
	failures    []clock.Time
	lockedUntil *clock.Time
}

// admit settles a guess in the transaction and reports whether it may count as
// right. It is asked after the password was compared: while an address is locked
// even a right password is refused, so that of any number of guesses sent at once
// only those before the tenth failure can succeed.
func (l lockout) admit(ctx context.Context, tx database.Tx, emailKey string, right bool) (bool, error) {
	now := l.clock.Now()
	state, err := l.hold(ctx, tx, emailKey, now)
	if err != nil || state.locked(now) {
		return false, err
	}
	if right {
		return true, l.forget(ctx, tx, emailKey)
	}
	return false, l.store(ctx, tx, emailKey, state.fail(now))
}

func (a attempts) locked(now clock.Time) bool { return a.lockedUntil != nil && now < *a.lockedUntil }

// fail adds a failure; those before the window no longer count.
func (a attempts) fail(now clock.Time) attempts {
	recent := slices.DeleteFunc(a.failures, func(at clock.Time) bool { return at <= now.Add(-lockWindow) })
	recent = append(recent, now)
	if len(recent) < lockFailures {
		return attempts{failures: recent}
	}
	until := now.Add(lockTime)
	return attempts{lockedUntil: &until}
}

// hold reads the attempts and keeps other guesses at the same address waiting
// until the transaction ends: the update that changes nothing takes the row's
// lock on PostgreSQL.
func (l lockout) hold(ctx context.Context, tx database.Tx, emailKey string, now clock.Time) (attempts, error) {
	var (
		a    attempts
		text string
	)
	err := tx.QueryRow(ctx, `INSERT INTO staff_lockout (address_hash, failures, forget_at) VALUES ($1, '[]', $2)
		ON CONFLICT (address_hash) DO UPDATE SET forget_at = staff_lockout.forget_at
		RETURNING failures, locked_until`, addressHash(emailKey), now.Add(lockWindow)).Scan(&text, &a.lockedUntil)
	if err != nil {
		return attempts{}, fmt.Errorf("read failed sign-ins: %w", err)
	}
	var moments []int64
	if err := json.Unmarshal([]byte(text), &moments); err != nil {
		return attempts{}, fmt.Errorf("read failed sign-ins: %w", err)
	}
	for _, at := range moments {
		a.failures = append(a.failures, clock.Time(at))
	}
	return a, nil
}

func (l lockout) store(ctx context.Context, tx database.Tx, emailKey string, a attempts) error {
	moments := make([]int64, len(a.failures))
	for i, at := range a.failures {
		moments[i] = int64(at)
	}
	text, err := json.Marshal(moments)
	if err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	forget := l.clock.Now().Add(max(lockWindow, lockTime))
	err = tx.Queue(ctx, `UPDATE staff_lockout SET failures = $1, locked_until = $2, forget_at = $3 WHERE address_hash = $4`,
		string(text), a.lockedUntil, forget, addressHash(emailKey))
	if err != nil {
		return fmt.Errorf("record failed sign-in: %w", err)
	}
	return nil
}

// forget opens sign-in at once.
func (l lockout) forget(ctx context.Context, tx database.Tx, emailKey string) error {
	if err := tx.Queue(ctx, `DELETE FROM staff_lockout WHERE address_hash = $1`, addressHash(emailKey)); err != nil {
		return fmt.Errorf("forget failed sign-ins: %w", err)
	}
	return nil
}

func (l lockout) sweep(ctx context.Context, db *database.DB) error {
	err := db.Sweep(ctx, `DELETE FROM staff_lockout WHERE address_hash IN (
		SELECT address_hash FROM staff_lockout WHERE forget_at <= $1 LIMIT $2)`, l.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep failed sign-ins: %w", err)
	}
	return nil
}

func addressHash(emailKey string) []byte {
	sum := sha256.Sum256([]byte(emailKey))
	return sum[:]
}
