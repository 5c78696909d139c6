package audit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

func write(t *testing.T, db *database.DB, trail *audit.Trail, e audit.Entry) {
	t.Helper()
	if err := db.InTx(t.Context(), func(tx database.Tx) error { return trail.Write(t.Context(), tx, e) }); err != nil {
		t.Fatal(err)
	}
}

func TestTheTrailIsPagedNewestFirstForOneOrganization(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		trail := audit.NewTrail(db, c)
		mine, theirs := id.New[audit.Organization](), id.New[audit.Organization]()
		actor := id.New[audit.Being]()
		for i := range 5 {
			write(t, db, trail, audit.Entry{Account: mine, ActorKind: audit.User, ActorID: &actor, Actor: "asha@example.com", Action: audit.SignedIn, Target: fmt.Sprint(i)})
			write(t, db, trail, audit.Entry{Account: theirs, ActorKind: audit.Stranger, Action: audit.SignInFailed})
		}
		var targets string
		for page := 1; page <= 4; page++ {
			entries, total, err := trail.Page(t.Context(), mine, httpapi.Page{Number: page, Size: 2})
			if err != nil || total != 5 || entries == nil {
				t.Fatalf("page %d: %v of %d, %v", page, entries, total, err)
			}
			for _, e := range entries {
				if e.At != c.Now() || *e.ActorID != actor || e.Actor != "asha@example.com" || e.ActorKind != audit.User || e.Action != audit.SignedIn {
					t.Errorf("entry %+v", e)
				}
				targets += e.Target
			}
		}
		if targets != "43210" {
			t.Errorf("read in the order %s", targets)
		}
	})
}

func TestAnEntryIsUndoneWithItsDeed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		trail := audit.NewTrail(db, clock.NewManual())
		undone := errors.New("undone")
		err := db.InTx(t.Context(), func(tx database.Tx) error {
			if err := trail.Write(t.Context(), tx, audit.Entry{ActorKind: audit.System, Action: audit.AccountCreated}); err != nil {
				return err
			}
			return undone
		})
		entries, total, _ := trail.Page(t.Context(), id.Of[audit.Organization]{}, httpapi.Page{Number: 1, Size: 10})
		if !errors.Is(err, undone) || total != 0 || len(entries) != 0 {
			t.Errorf("%v: %d entries", err, total)
		}
	})
}

func TestLongTextsAreCutBetweenCharacters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		trail := audit.NewTrail(db, clock.NewManual())
		write(t, db, trail, audit.Entry{ActorKind: audit.System, Actor: strings.Repeat("é", 1000), Action: audit.AccountCreated, Target: strings.Repeat("界", 300)})
		entries, _, err := trail.Page(t.Context(), id.Of[audit.Organization]{}, httpapi.Page{Number: 1, Size: 10})
		if err != nil || len(entries) != 1 || entries[0].Actor != strings.Repeat("é", 300) || entries[0].Target != strings.Repeat("界", 300) {
			t.Errorf("%v, %v", entries, err)
		}
	})
}

func TestSweepDeletesWhatIsOlderThan400Days(t *testing.T) {
	const day = 24 * time.Hour
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		trail := audit.NewTrail(db, c)
		write(t, db, trail, audit.Entry{ActorKind: audit.System, Action: audit.AccountCreated, Target: "old"})
		c.Advance(399 * day)
		if err := trail.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		count := func() int64 {
			_, total, err := trail.Page(t.Context(), id.Of[audit.Organization]{}, httpapi.Page{Number: 1, Size: 10})
			if err != nil {
				t.Fatal(err)
			}
			return total
		}
		if count() != 1 {
			t.Error("swept too early")
		}
		c.Advance(2 * day)
		if err := trail.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if count() != 0 {
			t.Error("not swept")
		}
	})
}
