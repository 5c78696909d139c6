// Package ratelimit counts events in the database, so that all nodes share one
// count. Keys are stored as hashes: no address or email lies in its table.
package ratelimit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"net/netip"
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

// The limits on mails that strangers can cause, counted together by all features:
// of each kind to a recipient, and of all kinds from a network.
var (
	MailsByRecipient = Rule{Name: "mail", Events: 5, Window: time.Hour}
	MailsByNetwork   = Rule{Name: "mail-ip", Events: 300, Window: time.Hour}
)

// Counter is a rule applied to something: an address, a recipient, both.
type Counter struct {
	rule  Rule
	about []string
}

// On returns the rule's counter of something.
func (r Rule) On(about ...string) Counter { return Counter{rule: r, about: about} }

func (c Counter) key() [sha256.Size]byte {
	return sha256.Sum256([]byte(c.rule.Name + "\x00" + strings.Join(c.about, "\x00")))
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

// Tally is how a counter stands at one moment.
type Tally struct {
	Count int64
	rule  Rule
	reset clock.Time
}

// Look returns how counters stand, in their order, by one query. It counts
// nothing.
func (l *Limiter) Look(ctx context.Context, q database.Querier, counters ...Counter) ([]Tally, error) {
	b := newBatch(counters)
	if !l.on {
		return b.tallies, nil
	}
	args, marks := []any{l.clock.Now()}, make([]string, len(counters))
	for i := range counters {
		args = append(args, b.keys[i][:])
		marks[i] = fmt.Sprintf("$%d", len(args))
	}
	err := database.Each(ctx, q, b.scan, `SELECT key, count, reset_at FROM rate_limit
		WHERE reset_at > $1 AND key IN (`+strings.Join(marks, ", ")+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("read rate limits: %w", err)
	}
	return b.tallies, nil
}

// Record adds one event to each counter by one statement, and returns how they
// stood before it. Everyone names counters in the same order of rules, so that no
// two transactions wait for each other in a ring.
func (l *Limiter) Record(ctx context.Context, tx database.Tx, counters ...Counter) ([]Tally, error) {
	b := newBatch(counters)
	if !l.on {
		return b.tallies, nil
	}
	text, args := l.counting(b, counters)
	err := database.Each(ctx, tx, b.scan, text+` RETURNING key, count, reset_at`, args...)
	if err != nil {
		return nil, fmt.Errorf("count rate limits: %w", err)
	}
	for i := range b.tallies {
		b.tallies[i].Count--
	}
	return b.tallies, nil
}

// counting is the statement that adds one event to each counter.
func (l *Limiter) counting(b *batch, counters []Counter) (text string, args []any) {
	now := l.clock.Now()
	args, rows := []any{now}, make([]string, len(counters))
	for i, c := range counters {
		args = append(args, b.keys[i][:], now.Add(c.rule.Window))
		rows[i] = fmt.Sprintf("($%d, 1, $%d)", len(args)-1, len(args))
	}
	return `INSERT INTO rate_limit (key, count, reset_at) VALUES ` + strings.Join(rows, ", ") + `
		ON CONFLICT (key) DO UPDATE SET
			count = CASE WHEN rate_limit.reset_at <= $1 THEN 1 ELSE rate_limit.count + 1 END,
			reset_at = CASE WHEN rate_limit.reset_at <= $1 THEN excluded.reset_at ELSE rate_limit.reset_at END`, args
}

// batch takes the rows of a statement about several counters apart.
type batch struct {
	keys    [][sha256.Size]byte
	tallies []Tally
}

func newBatch(counters []Counter) *batch {
	b := &batch{make([][sha256.Size]byte, len(counters)), make([]Tally, len(counters))}
	for i, c := range counters {
		b.keys[i], b.tallies[i].rule = c.key(), c.rule
	}
	return b
}

func (b *batch) scan(row database.Row) error {
	var (
		key   []byte
		found Tally
	)
	if err := row.Scan(&key, &found.Count, &found.reset); err != nil {
		return err
	}
	for i := range b.keys {
		if bytes.Equal(b.keys[i][:], key) {
			b.tallies[i].Count, b.tallies[i].reset = found.Count, found.reset
		}
	}
	return nil
}

// Refuse is the fault for those tallies that have used up their rules, or nil.
func (l *Limiter) Refuse(tallies ...Tally) error {
	var until clock.Time
	for _, t := range tallies {
		if t.rule.Events <= t.Count {
			until = max(until, t.reset)
		}
	}
	if until == 0 {
		return nil
	}
	wait := max(until.Sub(l.clock.Now()), time.Second)
	return fault.TooMany("rate_limited", fmt.Sprintf("Too many attempts. Try again in %s.", words(wait)), wait)
}

// Check refuses when the events counted so far have used the rule up. It counts
// nothing.
func (l *Limiter) Check(ctx context.Context, rule Rule, about ...string) error {
	tallies, err := l.Look(ctx, l.db, rule.On(about...))
	if err != nil {
		return err
	}
	return l.Refuse(tallies...)
}

// Take adds one event to each counter, or refuses it, when one of the rules was
// already used up; the caller's transaction then undoes it.
func (l *Limiter) Take(ctx context.Context, tx database.Tx, counters ...Counter) error {
	tallies, err := l.Record(ctx, tx, counters...)
	if err != nil {
		return err
	}
	return l.Refuse(tallies...)
}

// Count is Take in a transaction of its own.
func (l *Limiter) Count(ctx context.Context, rule Rule, about ...string) error {
	if !l.on {
		return nil
	}
	return l.db.InTx(ctx, func(tx database.Tx) error { return l.Take(ctx, tx, rule.On(about...)) })
}

// Add counts one event with a transaction, and refuses nothing.
func (l *Limiter) Add(ctx context.Context, tx database.Tx, rule Rule, about ...string) error {
	if !l.on {
		return nil
	}
	counters := []Counter{rule.On(about...)}
	text, args := l.counting(newBatch(counters), counters)
	if err := tx.Queue(ctx, text, args...); err != nil {
		return fmt.Errorf("count rate limit: %w", err)
	}
	return nil
}

// Sweep deletes counters whose window is over.
func (l *Limiter) Sweep(ctx context.Context) error {
	err := l.db.Sweep(ctx, `DELETE FROM rate_limit WHERE key IN (SELECT key FROM rate_limit WHERE reset_at <= $1 LIMIT $2)`, l.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep rate limits: %w", err)
	}
	return nil
}

func words(wait time.Duration) string {
	if wait <= 90*time.Second {
		return fmt.Sprintf("%d seconds", int(math.Ceil(wait.Seconds())))
	}
	return fmt.Sprintf("%d minutes", int(math.Ceil(wait.Minutes())))
}

// Network is what is counted as one place: an IPv4 address, or the network of an
// IPv6 address, of which a single customer has more addresses than anyone can
// count.
func Network(ip string) string {
	address, err := netip.ParseAddr(ip)
	if err != nil || !address.Is6() || address.Is4In6() {
		return ip
	}
	network, err := address.WithZone("").Prefix(64)
	if err != nil {
		return ip
	}
	return network.String()
}
