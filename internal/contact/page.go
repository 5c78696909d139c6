package contact

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

// Filter says which contacts are wanted; the zero value wants all.
type Filter struct {
	// Search is a part of a name or of a phone number.
	Search string
	// List wants those in a list.
	List *ListID
	// OptedOut wants those who have opted out, or those who have not.
	OptedOut *bool
	// Tags wants those that have all of these.
	Tags []string
}

// criterion is one thing asked of contacts, in two forms: the ids of those that
// meet it, read from an index, and a test of one contact c, for a walk down the
// order of all.
type criterion struct {
	ids  string
	test string
	// ordered ids come from the index in their order.
	ordered bool
	hits    int64
}

// query is a filter made into SQL. $1 is always the organization.
type query struct {
	engine   database.Engine
	args     []any
	criteria []criterion
}

// arg adds a parameter and returns its placeholder.
func (q *query) arg(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}

// bind numbers the placeholders that a text has from $1 on, and returns their
// parameters: the forms of a criterion need not use the same ones.
func (q *query) bind(text string) (string, []any) {
	var (
		args []any
		seen = map[string]string{}
	)
	text = placeholder.ReplaceAllStringFunc(text, func(old string) string {
		if seen[old] == "" {
			at, _ := strconv.Atoi(old[1:])
			args = append(args, q.args[at-1])
			seen[old] = "$" + strconv.Itoa(len(args))
		}
		return seen[old]
	})
	return text, args
}

var placeholder = regexp.MustCompile(`\$\d+`)

func (q *query) count(ctx context.Context, db database.Querier, ids string) (n int64, err error) {
	text, args := q.bind(`SELECT COUNT(*) FROM (` + ids + `) hits`)
	if err := db.QueryRow(ctx, text, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count contacts: %w", err)
	}
	return n, nil
}

// add counts the hits of a criterion whose count nobody keeps.
func (q *query) add(ctx context.Context, db database.Querier, c criterion) error {
	var err error
	if c.hits, err = q.count(ctx, db, c.ids); err != nil {
		return err
	}
	q.criteria = append(q.criteria, c)
	return nil
}

// newQuery makes a filter into criteria and counts the hits of each.
func newQuery(ctx context.Context, db database.Querier, org account.ID, f Filter) (*query, error) {
	q := &query{engine: db.Engine(), args: []any{org}}
	for _, add := range []func() error{
		func() error { return q.inList(ctx, db, org, f.List) },
		func() error { return q.optedOut(ctx, db, org, f.OptedOut) },
		func() error { return q.tagged(ctx, db, org, f.Tags) },
		func() error { return q.searching(ctx, db, org, f.Search) },
	} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func (q *query) inList(ctx context.Context, db database.Querier, org account.ID, list *ListID) error {
	if list == nil {
		return nil
	}
	found, err := findList(ctx, db, org, *list, "")
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return err
	}
	at := q.arg(*list)
	q.criteria = append(q.criteria, criterion{
		ids:     `SELECT m.contact_id AS id FROM contact_list_member m WHERE m.account_id = $1 AND m.list_id = ` + at,
		test:    `(SELECT COUNT(*) FROM contact_list_member m WHERE m.account_id = c.account_id AND m.list_id = ` + at + ` AND m.contact_id = c.id) = 1`,
		ordered: true, hits: found.ContactCount,
	})
	return nil
}

func (q *query) optedOut(ctx context.Context, db database.Querier, org account.ID, want *bool) error {
	if want == nil {
		return nil
	}
	hits, err := countOf(ctx, db, org, countOptedOut)
	if err != nil {
		return err
	}
	if *want {
		q.criteria = append(q.criteria, criterion{ids: `SELECT id FROM contact WHERE account_id = $1 AND is_opted_out`, test: `c.is_opted_out`, ordered: true, hits: hits})
		return nil
	}
	all, err := countOf(ctx, db, org, countAll)
	q.criteria = append(q.criteria, criterion{ids: `SELECT id FROM contact WHERE account_id = $1 AND NOT is_opted_out`, test: `NOT c.is_opted_out`, ordered: true, hits: all - hits})
	return err
}

func (q *query) tagged(ctx context.Context, db database.Querier, org account.ID, tags []string) error {
	if len(tags) == 0 {
		return nil
	}
	wanted := slices.Compact(slices.Sorted(slices.Values(tags)))
	sets, err := database.Collect(ctx, db, database.Column[int64], `SELECT tags_key FROM contact_tag
		WHERE account_id = $1 AND tag IN (SELECT key FROM json_each($2)) GROUP BY tags_key HAVING COUNT(*) = $3`,
		org, database.Texts(wanted), len(wanted))
	if err != nil {
		return fmt.Errorf("read sets of tags: %w", err)
	}
	among, parameter := numbersIn(q.engine, "tags_key", len(q.args)+1, sets)
	q.arg(parameter)
	c := criterion{
		ids:  `SELECT id FROM contact WHERE account_id = $1 AND ` + among,
		test: strings.Replace(among, "tags_key", "c.tags_key + 0", 1),
	}
	if len(wanted) > 1 {
		return q.add(ctx, db, c)
	}
	c.hits, err = countOf(ctx, db, org, countTag+wanted[0])
	q.criteria = append(q.criteria, c)
	return err
}

// Page returns one page of the contacts that a filter wants, newest first, and
// how many it wants in all.
func (s *Store) Page(ctx context.Context, org account.ID, f Filter, page httpapi.Page) (contacts []Contact, total int64, err error) {
	q, err := newQuery(ctx, s.db, org, f)
	if err != nil {
		return nil, 0, err
	}
	all, err := countOf(ctx, s.db, org, countAll)
	if err != nil {
		return nil, 0, err
	}
	total, err = q.total(ctx, s.db, all)
	if err != nil {
		return nil, 0, err
	}
	w, ok := windowOf(page, total)
	if !ok {
		return []Contact{}, total, nil
	}
	ids := q.ids(w, total, all)
	order := "ORDER BY id DESC"
	if w.fromOldest {
		order = "ORDER BY id"
	}
	text, args := q.bind(fmt.Sprintf(`SELECT %s FROM (%s %s LIMIT %s OFFSET %s) page
		JOIN contact c ON c.account_id = $1 AND c.id = page.id ORDER BY c.id DESC`, rowColumns, ids, order, q.arg(w.limit), q.arg(w.skip)))
	contacts, err = database.Collect(ctx, s.db, contactOf, text, args...)
	if err != nil {
		return nil, 0, fmt.Errorf("read page: %w", err)
	}
	return contacts, total, addLists(ctx, s.db, org, contacts)
}

// window is where a page lies, counted from the nearer end.
type window struct {
	fromOldest  bool
	skip, limit int64
}

func windowOf(page httpapi.Page, total int64) (window, bool) {
	w := window{skip: int64(page.Offset()), limit: int64(page.Size)}
	if w.skip >= total {
		return window{}, false
	}
	w.limit = min(w.limit, total-w.skip)
	if after := total - w.skip - w.limit; after < w.skip {
		w.fromOldest, w.skip = true, after
	}
	return w, true
}

// total counts the contacts that meet all criteria.
func (q *query) total(ctx context.Context, db database.Querier, all int64) (int64, error) {
	switch len(q.criteria) {
	case 0:
		return all, nil
	case 1:
		return q.criteria[0].hits, nil
	}
	slices.SortStableFunc(q.criteria, func(a, b criterion) int { return int(a.hits - b.hits) })
	if q.criteria[0].hits == 0 {
		return 0, nil
	}
	return q.count(ctx, db, q.fetched())
}

// fetched are the ids of the criterion with the fewest hits, held to the others.
func (q *query) fetched() string {
	if len(q.criteria) == 1 {
		return `SELECT id FROM (` + q.criteria[0].ids + `) hits`
	}
	return `SELECT c.id AS id FROM (` + q.criteria[0].ids + `) hits JOIN contact c ON c.account_id = $1 AND c.id = hits.id WHERE ` + tests(q.criteria[1:])
}

func tests(criteria []criterion) string {
	all := make([]string, len(criteria))
	for i, c := range criteria {
		all[i] = c.test
	}
	return strings.Join(all, " AND ")
}

// ids chooses how the ids of a page are found. Where hits are common, a walk
// down the order of all contacts meets enough of them soon; where they are rare,
// fetching and sorting all of them is less work.
func (q *query) ids(w window, total, all int64) string {
	if len(q.criteria) == 0 {
		return `SELECT id FROM contact WHERE account_id = $1`
	}
	first := q.criteria[0]
	if len(q.criteria) == 1 && first.ordered {
		return first.ids
	}
	walked := (w.skip + w.limit) * all / total
	if walked < first.hits {
		return `SELECT c.id AS id FROM contact c WHERE c.account_id = $1 AND ` + tests(q.criteria)
	}
	return q.fetched()
}
