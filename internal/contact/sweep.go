package contact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/phone"
)

// sweepGrace is how long a name that was given up is kept at least. It is longer
// than any transaction and than what memory remembers.
const sweepGrace = time.Hour

// Schedule adds the background work: what Settle asks for is done, the trash is
// emptied of what is too old, deleted lists and unused names are cleared away, and
// numbers are checked again when the operator prefix registry has changed.
func (s *Store) Schedule(queue *job.Queue) {
	job.HandleLong(queue, s.settle)
	queue.Every("contact-trash", 15*time.Minute, s.EmptyTrash)
	queue.Every("contact-lists", time.Minute, s.SweepLists)
	queue.Every("contact-names", time.Hour, s.SweepNames)
	queue.Every("contact-registry", time.Minute, s.Recheck)
}

// EmptyTrash deletes what has been in the trash for 90 days, and the daily
// counts that no statistic shows any more.
func (s *Store) EmptyTrash(ctx context.Context) error {
	now := s.clock.Now()
	err := s.db.Sweep(ctx, `DELETE FROM contact_trash WHERE (account_id, id) IN (
		SELECT account_id, id FROM contact_trash WHERE deleted_at <= $1 ORDER BY deleted_at LIMIT $2)`, now.Add(-Retention))
	if err != nil {
		return fmt.Errorf("empty trash: %w", err)
	}
	oldest := countDay + dayOf(now.Add(-(statsDays+1)*24*time.Hour))
	err = s.db.Sweep(ctx, `DELETE FROM contact_count WHERE (account_id, key, shard) IN (
		SELECT account_id, key, shard FROM contact_count WHERE key >= 'day:' AND key < 'day;' AND key < $1 LIMIT $2)`, oldest)
	if err != nil {
		return fmt.Errorf("delete old daily counts: %w", err)
	}
	return nil
}

// SweepLists deletes the memberships of deleted lists, then the lists.
func (s *Store) SweepLists(ctx context.Context) error {
	type deleted struct {
		org  account.ID
		list ListID
	}
	lists, err := database.Collect(ctx, s.db, func(found database.Row) (deleted, error) {
		var d deleted
		err := found.Scan(&d.org, &d.list)
		return d, err
	}, `SELECT account_id, id FROM contact_list WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT $1`, database.SweepBatch)
	if err != nil {
		return fmt.Errorf("read deleted lists: %w", err)
	}
	for _, d := range lists {
		err := s.db.Sweep(ctx, `DELETE FROM contact_list_member WHERE account_id = $1 AND list_id = $2 AND contact_id IN (
			SELECT contact_id FROM contact_list_member WHERE account_id = $1 AND list_id = $2 ORDER BY contact_id LIMIT $3)`, d.org, d.list)
		if err != nil {
			return fmt.Errorf("sweep memberships: %w", err)
		}
		err = s.db.InTx(ctx, func(tx database.Tx) error {
			err := tx.Queue(ctx, `DELETE FROM contact_count WHERE account_id = $1 AND key = $2`, d.org, countList+d.list.String())
			if err != nil {
				return err
			}
			err = tx.Queue(ctx, `DELETE FROM contact_list WHERE account_id = $1 AND id = $2`, d.org, d.list)
			return err
		})
		if err != nil {
			return fmt.Errorf("sweep list: %w", err)
		}
	}
	return nil
}

// SweepNames deletes names that no contact has any more. A name is looked at
// only long after it was given up: whoever wants it again meanwhile clears the
// mark, and whoever wants it just now holds it by a lock.
func (s *Store) SweepNames(ctx context.Context) error {
	before := s.clock.Now().Add(-sweepGrace)
	for n := int64(database.SweepBatch); n == database.SweepBatch; {
		err := s.db.InTx(ctx, func(tx database.Tx) (err error) {
			n, err = sweepNames(ctx, tx, before)
			return err
		})
		if err != nil {
			return fmt.Errorf("sweep names: %w", err)
		}
	}
	return nil
}

// sweepNames handles one batch of names and returns how many it looked at.
func sweepNames(ctx context.Context, tx database.Tx, before clock.Time) (n int64, err error) {
	suspects := map[account.ID][]int64{}
	err = database.Each(ctx, tx, func(found database.Row) error {
		var (
			org account.ID
			key int64
		)
		err := found.Scan(&org, &key)
		suspects[org] = append(suspects[org], key)
		n++
		return err
	}, `SELECT account_id, key FROM contact_name WHERE suspect_at > 0 AND suspect_at < $1 LIMIT $2`+database.Locking(tx.Engine(), "FOR UPDATE SKIP LOCKED"), before, database.SweepBatch)
	for org, keys := range suspects {
		if err == nil {
			err = clearNames(ctx, tx, org, keys)
		}
	}
	return n, err
}

// clearNames deletes those of the names that are unused, and acquits the others.
func clearNames(ctx context.Context, tx database.Tx, org account.ID, keys []int64) error {
	among, set := numbersIn(tx.Engine(), "key", 2, keys)
	gone, err := database.Collect(ctx, tx, database.Column[int64], `DELETE FROM contact_name WHERE account_id = $1 AND `+among+`
		AND NOT EXISTS (SELECT 1 FROM contact c WHERE c.account_id = $1 AND c.name_key = contact_name.key) RETURNING key`, org, set)
	if err != nil {
		return err
	}
	if tx.Engine() == database.SQLite {
		if err := tx.Queue(ctx, `DELETE FROM contact_name_fts WHERE rowid IN (SELECT value FROM json_each($1))`, jsonOf(gone)); err != nil {
			return err
		}
	}
	err = tx.Queue(ctx, `UPDATE contact_name SET suspect_at = NULL WHERE account_id = $1 AND `+among, org, set)
	return err
}

// Recheck holds stored numbers to the registry when its version has changed. It
// goes through all contacts in batches and keeps its place, so that a restart
// goes on from there.
func (s *Store) Recheck(ctx context.Context) error {
	for {
		done, err := s.recheckBatch(ctx)
		if err != nil {
			return fmt.Errorf("recheck numbers: %w", err)
		}
		if done {
			return nil
		}
	}
}

// place is how far a recheck has come.
type place struct {
	version string
	org     account.ID
	contact ID
	done    bool
}

func (s *Store) recheckBatch(ctx context.Context) (done bool, err error) {
	at, err := s.place(ctx, s.db, "")
	if err != nil || at.done {
		return at.done, err
	}
	err = s.db.InTx(ctx, func(tx database.Tx) error {
		at, err := s.place(ctx, tx, "FOR UPDATE")
		if err != nil || at.done {
			done = at.done
			return err
		}
		done, err = s.recheckFrom(ctx, tx, at)
		return err
	})
	return done, err
}

// place reads how far the check against this program's version of the registry
// has come. What a newer program has begun is as good as done: while nodes of both
// run, the older one must not undo it.
func (s *Store) place(ctx context.Context, q database.Querier, locking string) (place, error) {
	var at place
	err := q.QueryRow(ctx, `SELECT version, account_id, contact_id, done_at IS NOT NULL FROM contact_registry WHERE id = 1`+database.Locking(q.Engine(), locking)).
		Scan(&at.version, &at.org, &at.contact, &at.done)
	if err != nil && !errors.Is(err, database.ErrNoRows) {
		return place{}, err
	}
	switch order := compareVersions(at.version, phone.Version()); {
	case order > 0:
		return place{done: true}, nil
	case order < 0:
		return place{version: phone.Version()}, nil
	}
	return at, nil
}

// compareVersions orders versions such as 2026.9 and 2026.10 by their numbers.
// What is no version is before all that are.
func compareVersions(a, b string) int { return slices.Compare(numbersOf(a), numbersOf(b)) }

func numbersOf(version string) []int {
	var numbers []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func (s *Store) recheckFrom(ctx context.Context, tx database.Tx, at place) (done bool, err error) {
	org, err := s.nextOrg(ctx, tx, at)
	if errors.Is(err, database.ErrNoRows) {
		return true, s.setPlace(ctx, tx, at, s.clock.Now())
	}
	if err != nil {
		return false, err
	}
	if org != at.org {
		at.org, at.contact = org, ID{}
	}
	rows, err := database.Collect(ctx, tx, rowOf, `SELECT `+storedColumns+` FROM contact c WHERE c.account_id = $1 AND c.id > $2 ORDER BY c.id LIMIT $3`+database.Locking(tx.Engine(), "FOR UPDATE"),
		at.org, at.contact, database.SweepBatch)
	if err != nil {
		return false, err
	}
	at.contact = lastID
	if len(rows) == database.SweepBatch {
		at.contact = rows[len(rows)-1].id
	}
	if err := s.setPlace(ctx, tx, at, nil); err != nil {
		return false, err
	}
	return false, recheckRows(ctx, tx, at.org, rows)
}

// nextOrg is the organization of the next contact to look at.
func (s *Store) nextOrg(ctx context.Context, tx database.Tx, at place) (org account.ID, err error) {
	err = tx.QueryRow(ctx, `SELECT account_id FROM contact WHERE (account_id, id) > ($1, $2) ORDER BY account_id, id LIMIT 1`, at.org, at.contact).Scan(&org)
	return org, err
}

func (s *Store) setPlace(ctx context.Context, tx database.Tx, at place, doneAt any) error {
	err := tx.Queue(ctx, `INSERT INTO contact_registry (id, version, account_id, contact_id, done_at) VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, account_id = excluded.account_id, contact_id = excluded.contact_id, done_at = excluded.done_at`,
		at.version, at.org, at.contact, doneAt)
	return err
}

// recheckRows stores what the registry says of rows by now. It is no change of
// the contact that its owner made, so updated_at stays.
func recheckRows(ctx context.Context, tx database.Tx, org account.ID, rows []*row) error {
	counted := changes{}
	for _, r := range rows {
		was := r.network
		r.network = networkOf(r.Phone)
		if r.network == was {
			continue
		}
		counted[countNetwork+was.key()]--
		counted[countNetwork+r.network.key()]++
		status, reason := r.network.status()
		err := tx.Queue(ctx, `UPDATE contact SET status = $3, invalid_reason = $4, country = $5, operator = $6 WHERE account_id = $1 AND id = $2`,
			org, r.id, status, reason, r.network.country, r.network.operator)
		if err != nil {
			return err
		}
	}
	return counted.apply(ctx, tx, org)
}
