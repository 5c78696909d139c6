package contact

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

// The keys of what is counted. A count is changed in the transaction that
// changes what it counts, so it is exact at every commit.
const (
	countAll      = "all"
	countOptedOut = "out"
	countTag      = "tag:"  // by tag
	countList     = "list:" // by list
	countNetwork  = "net:"  // by country and operator
	countDay      = "day:"  // by day of creation; trash takes nothing off it
)

// countShards is how many writers of one organization can be at the same count
// at once. SQLite has one writer anyway.
const countShards = 8

// changes are what a transaction adds to counts, or takes off.
type changes map[string]int64

// contact counts one contact in (n = 1) or out (n = -1).
func (c changes) contact(r *row, n int64) {
	c[countAll] += n
	c[countNetwork+r.network.key()] += n
	if r.optedOut {
		c[countOptedOut] += n
	}
	for tag := range r.Tags.All() {
		c[countTag+tag] += n
	}
}

func (c changes) list(list ListID, n int64) { c[countList+list.String()] += n }

func (c changes) created(at clock.Time, n int64) { c[countDay+dayOf(at)] += n }

func dayOf(at clock.Time) string { return at.Std().Format("2006-01-02") }

// apply writes the changes. It is the last thing a transaction does, so that the
// rows that everybody needs are held shortest, and it takes them in one order,
// so that writers queue and never deadlock.
func (c changes) apply(ctx context.Context, tx database.Tx, org account.ID) error {
	for key, n := range c {
		if n == 0 {
			delete(c, key)
		}
	}
	if len(c) == 0 {
		return nil
	}
	values, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	shard := 0
	if tx.Engine() == database.Postgres {
		shard = rand.IntN(countShards) //nolint:gosec // spreads writers, hides nothing
	}
	err = tx.Queue(ctx, `INSERT INTO contact_count (account_id, key, shard, count)
		SELECT $1, key, $2, CAST(CAST(value AS TEXT) AS BIGINT) FROM json_each($3) WHERE true ORDER BY key
		ON CONFLICT (account_id, key, shard) DO UPDATE SET count = contact_count.count + excluded.count`, org, shard, string(values))
	if err != nil {
		return fmt.Errorf("change counts: %w", err)
	}
	return nil
}

// countOf reads one count.
func countOf(ctx context.Context, q database.Querier, org account.ID, key string) (int64, error) {
	var n int64
	err := q.QueryRow(ctx, `SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM contact_count WHERE account_id = $1 AND key = $2`, org, key).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read count: %w", err)
	}
	return n, nil
}

// countsWith reads the counts whose keys begin with a prefix, without it, in the
// order of their keys. Counts of nothing are left out.
func countsWith(ctx context.Context, q database.Querier, org account.ID, prefix string, f func(key string, n int64)) error {
	// The prefixes end with ":"; ";" is the character after it.
	end := strings.TrimSuffix(prefix, ":") + ";"
	err := database.Each(ctx, q, func(found database.Row) error {
		var (
			key string
			n   int64
		)
		if err := found.Scan(&key, &n); err != nil {
			return err
		}
		f(key[len(prefix):], n)
		return nil
	}, `SELECT key, CAST(SUM(count) AS BIGINT) FROM contact_count WHERE account_id = $1 AND key >= $2 AND key < $3
		GROUP BY key HAVING SUM(count) > 0 ORDER BY key`, org, prefix, end)
	if err != nil {
		return fmt.Errorf("read counts: %w", err)
	}
	return nil
}
