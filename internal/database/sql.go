package database

import (
	"fmt"
	"strings"
)

// Locking is a locking clause, like FOR UPDATE, where the engine has more than
// one writer; SQLite has one at a time anyway.
func Locking(e Engine, clause string) string {
	if e == Postgres {
		return " " + clause
	}
	return ""
}

// Containing makes a text a pattern of LIKE … ESCAPE '\' that finds it anywhere,
// with no character having a special meaning.
func Containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

// OrNull keeps an empty text as NULL.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// OrEmpty is the text of a column, and empty where it is NULL.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Text is a text column for long reads: it is scanned into the same place row
// after row, valid until the next one, and empty where it is NULL.
type Text []byte

// ScanBytes reads a text of PostgreSQL, which is not copied.
func (t *Text) ScanBytes(text []byte) error {
	*t = text
	return nil
}

// Scan reads a text of SQLite.
func (t *Text) Scan(src any) error {
	switch text := src.(type) {
	case nil:
		*t = (*t)[:0]
	case string:
		*t = append((*t)[:0], text...)
	default:
		return fmt.Errorf("text: can't scan %T", src)
	}
	return nil
}
