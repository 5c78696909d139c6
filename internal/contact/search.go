package contact

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
)

// searching adds the criterion that names or number contain the term.
func (q *query) searching(ctx context.Context, db database.Querier, org account.ID, term string) error {
	folded := fold(term)
	if folded == "" {
		return nil
	}
	keys, err := q.namesLike(ctx, db, org, folded)
	if err != nil {
		return err
	}
	byName := criterion{
		ids: q.withKeys("name_key", keys),
		test: `(SELECT n.text FROM contact_name n WHERE n.account_id = $1 AND n.key = c.name_key) LIKE ` +
			q.arg(database.Containing(folded)) + ` ESCAPE '\'`,
	}
	digits := phoneDigits(term)
	if digits == "" || len(digits) > maxFragment {
		return q.add(ctx, db, byName)
	}
	byNumber, err := q.numbersLike(ctx, db, org, digits)
	if err != nil {
		return err
	}
	// Names with digits in them are rare; where there is none, nothing need be
	// put together.
	if len(keys) > 0 {
		byNumber = either(byName, byNumber)
	}
	return q.add(ctx, db, byNumber)
}

func either(a, b criterion) criterion {
	return criterion{ids: union(a.ids, b.ids), test: "(" + a.test + " OR " + b.test + ")"}
}

// union is a plain UNION, which SQLite would carry out by walking both sides in
// order, through every contact there is.
func union(a, b string) string {
	return `SELECT DISTINCT id FROM (` + a + ` UNION ALL ` + b + `) either`
}

// namesLike returns the keys of the names that contain a text. It is looked for
// among the distinct names; how is the engine's own affair.
func (q *query) namesLike(ctx context.Context, db database.Querier, org account.ID, folded string) ([]int64, error) {
	text, args := `SELECT key FROM contact_name WHERE account_id = $1 AND text LIKE $2 ESCAPE '\'`, []any{org, database.Containing(folded)}
	if q.engine == database.SQLite && utf8.RuneCountInString(folded) >= pieceLength {
		text, args = `SELECT rowid FROM contact_name_fts WHERE contact_name_fts MATCH $1`, []any{`"` + piecesOf(org, folded) + `"`}
	}
	keys, err := database.Collect(ctx, db, database.Column[int64], text, args...)
	if err != nil {
		return nil, fmt.Errorf("look for names: %w", err)
	}
	return keys, nil
}

// A fragment is looked up by ranges of an index while they are few; beyond that
// the fragment is short, or the organization small, or its numbers are scattered
// over the world, and then it is better to read all numbers.
const (
	maxHeads        = 20_000
	maxSpans        = 5000
	contactsPerSpan = 50
)

// numbersLike matches contacts whose number contains the digits, or begins with
// what follows a leading 00.
func (q *query) numbersLike(ctx context.Context, db database.Querier, org account.ID, digits string) (criterion, error) {
	heads, err := database.Collect(ctx, db, database.Column[int64], `SELECT head FROM contact_phone_head WHERE account_id = $1 LIMIT $2`, org, maxHeads+1)
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
	test := `CAST(c.phone AS TEXT) LIKE ` + pattern
	read := criterion{ids: `SELECT c.id FROM contact c WHERE c.account_id = $1 AND ` + test, test: test}
	if len(digits) < 2 || len(heads) > maxHeads {
		return read
	}
	tails, numbers := tailSpans(digits), numberSpans(digits, heads)
	if n := len(tails) + len(numbers); n > maxSpans || int64(n)*contactsPerSpan > q.all {
		return read
	}
	read.ids = union(q.inSpans("phone", numbers), q.inSpans("phone_tail", tails))
	return read
}

func (q *query) beginning(digits string) criterion {
	var spans []span
	for more := max(0, 7-len(digits)); len(digits)+more <= maxFragment; more++ {
		from := mustNumber(digits) * pow10(more)
		spans = append(spans, span{from, from + pow10(more) - 1})
	}
	test := `CAST(c.phone AS TEXT) LIKE ` + q.arg(digits+"%")
	return criterion{ids: q.inSpans("phone", spans), test: test}
}

// inSpans is a query for the ids of contacts with a column in one of the spans.
func (q *query) inSpans(column string, spans []span) string {
	return probe(q.engine, q.arg(spansParameter(spans)), "id", "contact",
		column+` BETWEEN CAST(s.key AS BIGINT) AND CAST(CAST(s.value AS TEXT) AS BIGINT)`)
}
