// Package ratelimit counts events in the database, so that all nodes share one
// count. Keys are stored as hashes: no address or email lies in its table.
package ratelimit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
)

// Rule allows a number of events in a window that opens with the first of them.
type Rule struct {
	Name   string
	Events int64
	Window time.Duration
}

// Limiter applies rules. Switched off, it allows everything.
type Limiter struct {
	db    *database.DB
	clock clock.Clock
	on    bool
}

// New returns a limiter.
func New(db *database.DB, c clock.Clock, on bool) *Limiter {
	return &Limiter{db: db, clock: c, on: on}
}

// Check refuses when the events counted so far have used the rule up. It counts
// nothing.
func (l *Limiter) Check(ctx context.Context, rule Rule, about ...string) error {
	if !l.on {
		return nil
	}
	var (
		count int64
		reset clock.Time
	)
	err := l.db.QueryRow(ctx, `SELECT count, reset_at FROM rate_limit WHERE key = $1 AND reset_at > $2`, key(rule, about), l.clock.Now()).Scan(&count, &reset)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read rate limit: %w", err)
	}
	if count >= rule.Events {
		return l.refuse(reset)
	}
	return nil
}

// Count adds one event, and refuses it when the rule was already used up.
func (l *Limiter) Count(ctx context.Context, rule Rule, about ...string) error {
	if !l.on {
		return nil
	}
	var (
		count int64
		reset clock.Time
	)
	err := l.db.InTx(ctx, func(tx database.Tx) error {
		var err error
		count, reset, err = l.add(ctx, tx, rule, about)
		return err
	})
	if err != nil {
		return err
	}
	if count > rule.Events {
		return l.refuse(reset)
	}
	return nil
}

// Add counts one event with a transaction, and refuses nothing.
func (l *Limiter) Add(ctx context.Context, tx database.Tx, rule Rule, about ...string) error {
	if !l.on {
		return nil
	}
	_, _, err := l.add(ctx, tx, rule, about)
	return err
}

func (l *Limiter) add(ctx context.Context, tx database.Tx, rule Rule, about []string) (count int64, reset clock.Time, err error) {
	now := l.clock.Now()
	err = tx.QueryRow(ctx, `INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, $2)
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN rate_limit.reset_at <= $3 THEN 1 ELSE rate_limit.count + 1 END,
			reset_at = CASE WHEN rate_limit.reset_at <= $3 THEN excluded.reset_at ELSE rate_limit.reset_at END
		RETURNING count, reset_at`, key(rule, about), now.Add(rule.Window), now).Scan(&count, &reset)
	if err != nil {
		return 0, 0, fmt.Errorf("count rate limit: %w", err)
	}
	return count, reset, nil
}

// Forget starts the count anew.
func (l *Limiter) Forget(ctx context.Context, rule Rule, about ...string) error {
	_, err := l.db.Exec(ctx, `DELETE FROM rate_limit WHERE key = $1`, key(rule, about))
	if err != nil {
		return fmt.Errorf("forget rate limit: %w", err)
	}
	return nil
}

// Sweep deletes counters whose window is over.
func (l *Limiter) Sweep(ctx context.Context) error {
	_, err := l.db.Exec(ctx, `DELETE FROM rate_limit WHERE reset_at <= $1`, l.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep rate limits: %w", err)
	}
	return nil
}

func (l *Limiter) refuse(reset clock.Time) error {
	wait := max(reset.Sub(l.clock.Now()), time.Second)
	return fault.TooMany("rate_limited", fmt.Sprintf("Too many attempts. Try again in %s.", words(wait)), wait)
}

func words(wait time.Duration) string {
	if wait <= 90*time.Second {
		return fmt.Sprintf("%d seconds", int(wait.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(wait.Round(time.Minute).Minutes()))
}

func key(rule Rule, about []string) []byte {
	sum := sha256.Sum256([]byte(rule.Name + "\x00" + strings.Join(about, "\x00")))
	return sum[:]
}
