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

func (f Filter) isZero() bool {
	return f.Search == "" && f.List == nil && f.OptedOut == nil && len(f.Tags) == 0
}

// criterion is one thing asked of contacts, in several forms.
type criterion struct {
	// ids is a query for the ids of those that meet it, answered by an index.
	ids string
	// test is a condition that a contact c meets it, which no index answers: for
	// contacts that are looked at one by one.
	test string
	// sorted is the query of ids with an ORDER BY that an index fulfils; nil
	// where the ids have to be sorted.
	sorted func(order string) string
	// hits is how many meet it.
	hits int64
}

// query is a filter made into SQL. $1 is always the organization.
type query struct {
	engine   database.Engine
	all      int64 // contacts of the organization
	args     []any
	criteria []criterion
}

// newQuery makes a filter into criteria and counts the hits of each.
func newQuery(ctx context.Context, db database.Querier, org account.ID, f Filter) (*query, error) {
	all, err := countOf(ctx, db, org, countAll)
	if err != nil {
		return nil, err
	}
	q := &query{engine: db.Engine(), all: all, args: []any{org}}
	if f.List != nil {
		err = q.inList(ctx, db, org, *f.List)
	}
	if err == nil && f.OptedOut != nil {
		err = q.optedOut(ctx, db, org, *f.OptedOut)
	}
	if err == nil && len(f.Tags) > 0 {
		err = q.tagged(ctx, db, org, f.Tags)
	}
	if err == nil && f.Search != "" {
		err = q.searching(ctx, db, org, f.Search)
	}
	return q, err
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

// add adds a criterion whose hits nobody keeps count of.
func (q *query) add(ctx context.Context, db database.Querier, c criterion) (err error) {
	c.hits, err = q.count(ctx, db, c.ids)
	q.criteria = append(q.criteria, c)
	return err
}

// addSorted adds a criterion whose ids an index has in their order.
func (q *query) addSorted(c criterion, hits int64) {
	c.hits = hits
	if c.sorted == nil {
		c.sorted = func(order string) string { return c.ids + " " + order }
	}
	q.criteria = append(q.criteria, c)
}

const selectIDs = `SELECT id FROM contact WHERE account_id = $1 AND `

// withKeys is a query for the ids of contacts that have one of the keys.
func (q *query) withKeys(column string, keys []int64) string {
	return probe(q.engine, q.arg(numberSet(keys)), "id", "contact", column+` = CAST(s.key AS BIGINT)`)
}

// inList finds nobody in a list that does not exist.
func (q *query) inList(ctx context.Context, db database.Querier, org account.ID, list ListID) error {
	found, err := findList(ctx, db, org, list, "")
	if err != nil && !fault.Is(err, fault.KindNotFound) {
		return err
	}
	members := ` FROM contact_list_member m WHERE m.account_id = $1 AND m.list_id = ` + q.arg(list)
	q.addSorted(criterion{
		ids:  `SELECT m.contact_id AS id` + members,
		test: `EXISTS (SELECT 1` + members + ` AND m.contact_id = c.id)`,
	}, found.ContactCount)
	return nil
}

func (q *query) optedOut(ctx context.Context, db database.Querier, org account.ID, want bool) error {
	hits, err := countOf(ctx, db, org, countOptedOut)
	switch {
	case err != nil:
		return err
	case want:
		q.addSorted(criterion{ids: selectIDs + `is_opted_out`, test: `c.is_opted_out`}, hits)
	case hits > 0: // else everybody meets it
		q.addSorted(criterion{ids: selectIDs + `NOT is_opted_out`, test: `NOT c.is_opted_out`}, q.all-hits)
	}
	return nil
}

func (q *query) tagged(ctx context.Context, db database.Querier, org account.ID, tags []string) error {
	wanted := slices.Compact(slices.Sorted(slices.Values(tags)))
	sets, err := database.Collect(ctx, db, database.Column[int64], `SELECT tags_key FROM contact_tag
		WHERE account_id = $1 AND tag IN (SELECT key FROM json_each($2)) GROUP BY tags_key HAVING COUNT(*) = $3`,
		org, database.Texts(wanted), len(wanted))
	if err != nil {
		return fmt.Errorf("read sets of tags: %w", err)
	}
	c := q.withTagSets(sets)
	if len(wanted) > 1 {
		return q.add(ctx, db, c)
	}
	c.hits, err = countOf(ctx, db, org, countTag+wanted[0])
	q.criteria = append(q.criteria, c)
	return err
}

// mergedSets is up to how many sets of tags are read side by side, each in the
// order of ids, so that nothing need be sorted.
const mergedSets = 16

func (q *query) withTagSets(sets []int64) criterion {
	among, parameter := numbersIn(q.engine, "c.tags_key + 0", len(q.args)+1, sets)
	q.arg(parameter)
	c := criterion{ids: q.withKeys("tags_key", sets), test: among}
	if len(sets) == 0 || len(sets) > mergedSets {
		return c
	}
	each := make([]string, len(sets))
	for i, set := range sets {
		each[i] = selectIDs + `tags_key = ` + q.arg(set)
	}
	c.sorted = func(order string) string {
		// PostgreSQL merges subqueries that are sorted themselves.
		parts := make([]string, len(each))
		for i, ids := range each {
			parts[i] = `SELECT id FROM (` + ids + ` ` + order + `) one`
		}
		return `SELECT id FROM (` + strings.Join(parts, " UNION ALL ") + `) sets ` + order
	}
	return c
}
