package contact_test

import (
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
)

func TestOptOutIsRememberedByNumber(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		optOut := func(id contact.ID, out bool) contact.Contact {
			t.Helper()
			c, err := f.store.Update(t.Context(), f.org, id, contact.Change{IsOptedOut: sent(out)})
			f.must(err)
			return c
		}
		c := f.create(number(1), "Asha")
		if c.IsOptedOut {
			t.Error("a new number starts opted out")
		}
		if !optOut(c.ID, true).IsOptedOut {
			t.Error("not opted out")
		}
		f.trash(c.ID)
		again := f.create(number(1), "Asha again")
		if !again.IsOptedOut {
			t.Error("created anew after trash, it is not opted out")
		}
		f.trash(again.ID)
		_, err := f.store.Purge(t.Context(), account.Caller{Account: f.org, User: f.user()}, []contact.ID{c.ID, again.ID})
		f.must(err)
		if loaded := f.load(nil, draftsOf(1, 2)...); loaded.Valid != 2 {
			t.Fatalf("loaded %+v", loaded)
		}
		out, in := true, false
		stillOut := f.all(contact.Filter{OptedOut: &out}, 10)
		if got := numbersOf(stillOut); got != number(1).String() {
			t.Fatalf("loaded after a purge, these are opted out: %s", got)
		}
		if got := numbersOf(f.all(contact.Filter{OptedOut: &in}, 10)); got != number(2).String() {
			t.Errorf("and these are not: %s", got)
		}
		if f.elsewhere(t).create(number(1), "Asha elsewhere").IsOptedOut {
			t.Error("opted out in another organization")
		}
		optOut(stillOut[0].ID, false)
		f.trash(stillOut[0].ID)
		if f.create(number(1), "Asha").IsOptedOut {
			t.Error("opted in again, yet a new contact is opted out")
		}
	})
}

func TestANewNumberDoesNotUndoAnOptOut(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		update := func(id contact.ID, ch contact.Change) contact.Contact {
			t.Helper()
			c, err := f.store.Update(t.Context(), f.org, id, ch)
			f.must(err)
			return c
		}
		c := f.create(number(1), "Asha")
		update(c.ID, contact.Change{IsOptedOut: sent(true)})
		if !update(c.ID, contact.Change{Phone: sent("+254712000002")}).IsOptedOut {
			t.Error("a new number opted the contact in")
		}
		if !f.create(number(1), "Other").IsOptedOut {
			t.Error("the old number is forgotten")
		}
		other := f.create(number(3), "Third")
		f.trash(c.ID)
		if !update(other.ID, contact.Change{Phone: sent("+254712000002")}).IsOptedOut {
			t.Error("a contact that takes an opted-out number is not opted out")
		}
		if update(other.ID, contact.Change{Phone: sent("+254712000004"), IsOptedOut: sent(false)}).IsOptedOut {
			t.Error("what is said does not count")
		}
	})
}

func TestRestoredContactIsOptedOutIfItsNumberIs(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		first := f.create(number(1), "First")
		f.trash(first.ID)
		second := f.create(number(1), "Second")
		_, err := f.store.Update(t.Context(), f.org, second.ID, contact.Change{IsOptedOut: sent(true)})
		f.must(err)
		f.trash(second.ID)
		f.restore(first.ID)
		found, err := f.store.Find(t.Context(), f.org, first.ID)
		f.must(err)
		if !found.IsOptedOut {
			t.Error("not opted out")
		}
	})
}
