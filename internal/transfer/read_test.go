package transfer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/transfer"
)

func TestReadingEndsSoonAfterWhoeverWaitedHasGone(t *testing.T) {
	const gone, soon = 1000, 500
	read, err := transfer.ReadAbandoned(t.TempDir(), numbers(0, 4000), gone)
	if !errors.Is(err, context.Canceled) || read > gone+soon {
		t.Errorf("%d rows read, %v", read, err)
	}
}

func TestPanicInAnImportIsItsFailureAlone(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if err := transfer.RunBroken(t.Context(), db); err == nil || !strings.Contains(err.Error(), "panic") {
			t.Errorf("%v", err)
		}
	})
}

func TestBulkBodyThatCantBeReadOnIsNoWholeOne(t *testing.T) {
	const contact = `{"phone":"254712345678","notes":"x"}`
	for name, body := range map[string]string{
		"in a contact":      `{"contacts":[` + strings.Repeat(contact+",", 5000) + contact + `]}`,
		"between contacts":  `{"contacts":[` + contact + strings.Repeat(" ", 100_000) + `,` + contact + `]}`,
		"before the end":    `{"contacts":[` + contact + strings.Repeat(" ", 100_000) + `]}`,
		"behind a contact ": `{"contacts":[` + contact + `,` + strings.Repeat(" ", 100_000) + contact + `]}`,
	} {
		if rows, err := transfer.ReadShortened(t.TempDir(), []byte(body)); err == nil {
			t.Errorf("%s: taken for whole after %d rows", name, rows)
		}
	}
}
