package contact

import (
	"encoding/json"
	"strconv"
	"strings"

	"ujumbe/internal/database"
)

// numbersIn is the condition that a column is in a set of numbers, passed as
// the parameter of that position. PostgreSQL takes an array: unlike a subquery
// it leaves the planner no join to choose.
func numbersIn(e database.Engine, column string, position int, numbers []int64) (condition string, parameter any) {
	at := "$" + strconv.Itoa(position)
	if e == database.Postgres {
		return column + " = ANY(" + at + ")", numbers
	}
	return column + " IN (SELECT value FROM json_each(" + at + "))", jsonOf(numbers)
}

func jsonOf[T any](value T) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic("numbers and texts are always JSON: " + err.Error())
	}
	return string(raw)
}

// lock adds a locking clause where the engine has more than one writer.
func lock(e database.Engine, clause string) string {
	if e == database.Postgres {
		return " " + clause
	}
	return ""
}

// literal makes a text a pattern of LIKE … ESCAPE '\' that finds it anywhere,
// with no character having a special meaning.
func literal(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
