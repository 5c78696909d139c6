package contact

import (
	"encoding/json"
	"strconv"

	"ujumbe/internal/database"
	"ujumbe/internal/id"
)

// PostgreSQL plans for the number of rows it expects, and what it knows of an
// organization may be days old: one that it takes for small, it would rather
// read whole than look some rows up in. So sets are passed in ways that leave it
// little to choose.

// numbersIn is the condition that a column is in a set of numbers, passed as
// the parameter of that position.
func numbersIn(e database.Engine, column string, position int, numbers []int64) (condition string, parameter any) {
	at := "$" + strconv.Itoa(position)
	if e == database.Postgres {
		return column + " = ANY(" + at + ")", numbers
	}
	return column + " IN (SELECT value FROM json_each(" + at + "))", jsonOf(numbers)
}

// idsIn is the condition that a column is in a set of ids, passed as the
// parameter of that position.
func idsIn[T any](e database.Engine, column string, position int, ids []id.Of[T]) (condition string, parameter any) {
	at := "$" + strconv.Itoa(position)
	if e == database.Postgres {
		return column + " = ANY(" + at + ")", ids
	}
	return column + " IN (SELECT uuid(key) FROM json_each(" + at + "))", database.IDs(ids)
}

// probe is a query for columns of a table of the organization $1, by a
// condition that is looked up in an index once for each row s of a JSON object.
func probe(e database.Engine, object, columns, table, condition string) string {
	if e == database.Postgres {
		return `SELECT probed.* FROM json_each(` + object + `) s CROSS JOIN LATERAL (
			SELECT ` + columns + ` FROM ` + table + ` WHERE account_id = $1 AND ` + condition + ` OFFSET 0) probed`
	}
	// SQLite keeps the order of a CROSS JOIN. Its json_each has an id too.
	return `SELECT ` + columns + ` FROM (SELECT key, value FROM json_each(` + object + `)) s CROSS JOIN ` + table + ` WHERE account_id = $1 AND ` + condition
}

// contactsOf is a query for columns of the contacts c whose ids a query yields,
// newest first, each looked up by its id.
func contactsOf(e database.Engine, columns, ids string) string {
	one := `contact c WHERE c.account_id = $1 AND c.id = page.id`
	if e == database.Postgres {
		one = `LATERAL (SELECT * FROM ` + one + ` OFFSET 0) c`
	}
	return `SELECT ` + columns + ` FROM (` + ids + `) page CROSS JOIN ` + one + ` ORDER BY c.id DESC`
}

// numberSet writes numbers as the keys of a JSON object.
func numberSet(numbers []int64) string {
	buf := append(make([]byte, 0, 2+20*len(numbers)), '{')
	for i, n := range numbers {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = strconv.AppendInt(append(buf, '"'), n, 10)
		buf = append(buf, `":0`...)
	}
	return string(append(buf, '}'))
}

func jsonOf[T any](value T) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("numbers and texts are always JSON: " + err.Error())
	}
	return string(raw)
}
