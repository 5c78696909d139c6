package contact

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
)

// SearchMax bounds a search term, in characters.
const SearchMax = 200

// searching adds the criterion that names or number contain the term.
func (q *query) searching(ctx context.Context, db database.Querier, org account.ID, term string) error {
	folded := fold(term)
	if folded == "" {
		return nil
	}
	byName, keys := q.namesLike(org, folded)
	digits := phoneDigits(term)
	if digits == "" || len(digits) > maxFragment {
		return q.add(ctx, db, byName)
	}
	matches, err := q.numbersLike(ctx, db, org, digits)
	if err != nil {
		return err
	}
	// Names with digits in them are rare; where there is none, nothing need be
	// put together.
	var named bool
	text, args := q.bind(`SELECT EXISTS (` + keys + `)`)
	if err := db.QueryRow(ctx, text, args...).Scan(&named); err != nil {
		return fmt.Errorf("look for names: %w", err)
	}
	if named {
		matches = either(byName, matches)
	}
	return q.add(ctx, db, matches)
}

func either(a, b criterion) criterion {
	return criterion{ids: union(a.ids, b.ids), test: "(" + a.test + " OR " + b.test + ")"}
}

// union is a plain UNION, which SQLite would carry out by walking both sides in
// order, through every contact there is.
func union(a, b string) string {
	return `SELECT DISTINCT id FROM (` + a + ` UNION ALL ` + b + `) either`
}

// namesLike matches contacts whose folded "first last" contains a text. It is
// looked for among the distinct names, whose keys are returned as well; how is
// the engine's own affair.
func (q *query) namesLike(org account.ID, folded string) (c criterion, keys string) {
	pattern := q.arg(literal(folded))
	keys = `SELECT key FROM contact_name WHERE account_id = $1 AND text LIKE ` + pattern + ` ESCAPE '\'`
	if q.engine == database.SQLite && utf8.RuneCountInString(folded) >= pieceLength {
		keys = `SELECT rowid FROM contact_name_fts WHERE contact_name_fts MATCH ` + q.arg(`"`+piecesOf(org, folded)+`"`)
	}
	c = criterion{
		ids: `SELECT id FROM contact WHERE account_id = $1 AND name_key IN (` + keys + `)`,
		// A subquery that yields one value can't become a join.
		test: `(SELECT n.text FROM contact_name n WHERE n.account_id = c.account_id AND n.key = c.name_key) LIKE ` + pattern + ` ESCAPE '\'`,
	}
	return c, keys
}

// A fragment is looked up by ranges of an index while they are few; beyond that
// the fragment is short, or the organization small, or its numbers are scattered
// over the world, and then it is better to read all numbers.
const (
	maxSpans        = 5000
	contactsPerSpan = 50
)

// numbersLike matches contacts whose number contains the digits, or begins with
// what follows a leading 00.
func (q *query) numbersLike(ctx context.Context, db database.Querier, org account.ID, digits string) (criterion, error) {
	heads, err := database.Collect(ctx, db, database.Column[int64], `SELECT head FROM contact_phone_head WHERE account_id = $1 ORDER BY head`, org)
	if err != nil {
		return criterion{}, fmt.Errorf("read heads of numbers: %w", err)
	}
	found := q.containing(digits, heads)
	if rest, ok := strings.CutPrefix(digits, "00"); ok && rest != "" && rest[0] != '0' {
		found = either(found, q.beginning(rest))
	}
	return found, nil
}

func (q *query) containing(digits string, heads []int64) criterion {
	pattern := q.arg("%" + digits + "%")
	read := criterion{
		ids:  `SELECT c.id FROM contact c WHERE c.account_id = $1 AND CAST(c.phone AS TEXT) LIKE ` + pattern,
		test: `CAST(c.phone AS TEXT) LIKE ` + pattern,
	}
	if len(digits) < 2 {
		return read
	}
	tails, numbers := tailSpans(digits), numberSpans(digits, heads)
	if n := len(tails) + len(numbers); n > maxSpans || int64(n)*contactsPerSpan > q.all {
		return read
	}
	return criterion{ids: union(q.inSpans("phone", numbers), q.inSpans("phone_tail", tails)), test: read.test}
}

func (q *query) beginning(digits string) criterion {
	var spans []span
	for more := max(0, 7-len(digits)); len(digits)+more <= maxFragment; more++ {
		from := mustNumber(digits) * pow10(more)
		spans = append(spans, span{from, from + pow10(more) - 1})
	}
	return criterion{ids: q.inSpans("phone", spans), test: `CAST(c.phone AS TEXT) LIKE ` + q.arg(digits+"%")}
}

// inSpans are the contacts with a column in one of the spans. The order of the
// join is fixed: from each span into the index.
func (q *query) inSpans(column string, spans []span) string {
	return `SELECT c.id FROM json_each(` + q.arg(spansParameter(spans)) + `) s CROSS JOIN contact c
		WHERE c.account_id = $1 AND c.` + column + ` BETWEEN CAST(s.key AS BIGINT) AND CAST(CAST(s.value AS TEXT) AS BIGINT)`
}
