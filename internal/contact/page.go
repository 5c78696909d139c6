package contact

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
)

// Page returns one page of the contacts that a filter wants, newest first, and
// how many it wants in all.
func (s *Store) Page(ctx context.Context, org account.ID, f Filter, page httpapi.Page) (contacts []Contact, total int64, err error) {
	if f.isZero() && page.Offset() < farOffset {
		return readPage(ctx, s.db, org, f, page)
	}
	err = s.predictably(ctx, func(db database.Querier) error {
		contacts, total, err = readPage(ctx, db, org, f, page)
		return err
	})
	return contacts, total, err
}

// farOffset is from where on a page of all contacts is read predictably; nearer
// ones are so quick that nothing can go wrong with them.
const farOffset = 1000

// predictably reads where PostgreSQL plans every statement for its own
// parameters and on one processor. A filter's cost depends on how common what it
// asks for is, which a plan for all parameters can't know; and starting workers
// or compiling takes longer than any of these statements.
func (s *Store) predictably(ctx context.Context, f func(db database.Querier) error) error {
	if s.db.Engine() == database.SQLite {
		return f(s.db)
	}
	return s.db.InTx(ctx, func(tx database.Tx) error {
		if err := planAnew(ctx, tx); err != nil {
			return err
		}
		return f(tx)
	})
}

// planAnew makes PostgreSQL plan the statements of a transaction for their
// parameters and for the size that the tables have by now.
func planAnew(ctx context.Context, tx database.Tx) error {
	if tx.Engine() == database.SQLite {
		return nil
	}
	err := tx.Queue(ctx, `SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
		set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`)
	if err != nil {
		return fmt.Errorf("set planner: %w", err)
	}
	return nil
}

func readPage(ctx context.Context, db database.Querier, org account.ID, f Filter, page httpapi.Page) (contacts []Contact, total int64, err error) {
	q, err := newQuery(ctx, db, org, f)
	if err != nil {
		return nil, 0, err
	}
	if total, err = q.total(ctx, db); err != nil {
		return nil, 0, err
	}
	w, ok := windowOf(page, total)
	if !ok {
		return []Contact{}, total, nil
	}
	ids, inOrder := q.ids(w, total)
	if tx, ok := db.(database.Tx); ok && inOrder {
		if err := keepOrder(ctx, tx); err != nil {
			return nil, 0, err
		}
	}
	// SQLite would compile the statement anew for every LIMIT that is a bare
	// parameter.
	ids = fmt.Sprintf(`%s LIMIT %s + 0 OFFSET %s`, ids, q.arg(w.limit), q.arg(w.skip))
	text, args := q.bind(contactsOf(db.Engine(), rowColumns, ids))
	contacts, err = database.Collect(ctx, db, contactOf, text, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("read page: %w", err)
	}
	return contacts, total, addLists(ctx, db, org, contacts)
}

// keepOrder keeps PostgreSQL, as long as it knows little of a table, from fetching
// and sorting all contacts where it could stop after the first ones in order.
func keepOrder(ctx context.Context, tx database.Tx) error {
	if err := tx.Queue(ctx, `SELECT set_config('enable_bitmapscan', 'off', true)`); err != nil {
		return fmt.Errorf("set planner: %w", err)
	}
	return nil
}

// window is where a page lies, counted from the nearer end.
type window struct {
	order       string
	skip, limit int64
}

// windowOf is false for a page behind the last.
func windowOf(page httpapi.Page, total int64) (window, bool) {
	w := window{order: "ORDER BY id DESC", skip: int64(page.Offset()), limit: int64(page.Size)}
	if w.skip >= total {
		return window{}, false
	}
	w.limit = min(w.limit, total-w.skip)
	if behind := total - w.skip - w.limit; behind < w.skip {
		w.order, w.skip = "ORDER BY id", behind
	}
	return w, true
}

// total counts the contacts that meet all criteria, and puts the criterion with
// the fewest hits first.
func (q *query) total(ctx context.Context, db database.Querier) (int64, error) {
	if len(q.criteria) == 0 {
		return q.all, nil
	}
	slices.SortStableFunc(q.criteria, func(a, b criterion) int { return cmp.Compare(a.hits, b.hits) })
	if len(q.criteria) == 1 || q.criteria[0].hits == 0 {
		return q.criteria[0].hits, nil
	}
	return q.count(ctx, db, q.fetched())
}

// similarHits is up to how many times the fewest hits another criterion may have
// for its ids to be fetched as well; beyond, it is better to look at the contact
// behind each of the few.
const similarHits = 4

// fetched are the ids that meet all criteria, found by fetching those of the
// criterion with the fewest hits first, whatever the planner thinks of another
// order.
func (q *query) fetched() string {
	first := q.criteria[0]
	sets, tests := []string{first.ids}, []string{}
	for _, c := range q.criteria[1:] {
		if c.hits <= similarHits*first.hits {
			sets = append(sets, c.ids)
		} else {
			tests = append(tests, c.test)
		}
	}
	text := `WITH hits AS MATERIALIZED (` + strings.Join(sets, ` INTERSECT `) + `) SELECT hits.id AS id FROM hits`
	if len(tests) > 0 {
		// A subquery that yields one value can't become a join.
		text += ` WHERE (SELECT ` + strings.Join(tests, " AND ") + ` FROM contact c WHERE c.account_id = $1 AND c.id = hits.id)`
	}
	return text
}

// walked are the ids of contacts that meet all criteria, looked at one by one.
func (q *query) walked() string {
	tests := []string{`c.account_id = $1`}
	for _, c := range q.criteria {
		tests = append(tests, c.test)
	}
	return `SELECT c.id AS id FROM contact c WHERE ` + strings.Join(tests, ` AND `)
}

// walkCost is how much more it costs to test a contact on a walk, for which it
// has to be read, than to fetch and sort an id from an index.
const walkCost = 5

// ids chooses how the ids of a page are found, in their order, and tells whether
// that is how they are met. Where hits are common, a walk down the order of all
// contacts meets enough of them soon; where they are rare, fetching and sorting
// all of them is less work.
func (q *query) ids(w window, total int64) (text string, inOrder bool) {
	if len(q.criteria) == 0 {
		return `SELECT id FROM contact WHERE account_id = $1 ` + w.order, true
	}
	first := q.criteria[0]
	if len(q.criteria) == 1 && first.sorted != nil {
		return first.sorted(w.order), true
	}
	if steps := (w.skip + w.limit) * q.all / total; steps*walkCost < first.hits {
		return q.walked() + ` ` + w.order, true
	}
	return q.fetched() + ` ` + w.order, false
}
