package contact_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/phone"
)

func (f *fixture) count(table string) (n int) {
	f.t.Helper()
	f.must(f.db.QueryRow(f.test.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n))
	return n
}

func TestNamesThatNobodyHasAreForgotten(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		asha, juma, twin := f.create(number(1), "Asha"), f.create(number(2), "Juma"), f.create(number(3), "Juma")
		_, err := f.store.Update(t.Context(), f.org, asha.ID, contact.Change{FirstName: sent("Amina")})
		f.must(err)
		f.trash(juma.ID)
		f.must(f.store.SweepNames(t.Context()))
		if n := f.count("contact_name"); n != 3 {
			t.Errorf("%d names before the time, want 3", n)
		}
		f.clock.Advance(2 * time.Hour)
		f.must(f.store.SweepNames(t.Context()))
		if n := f.count("contact_name"); n != 2 {
			t.Errorf("%d names, want those of Amina and Juma", n)
		}
		// A process that started later knows nothing of the names stored before.
		f.store = newStore(db, f.clock)
		f.trash(twin.ID)
		f.clock.Advance(2 * time.Hour)
		f.restore(juma.ID)
		f.must(f.store.SweepNames(t.Context()))
		for term, want := range map[string]int64{"asha": 0, "amina": 1, "juma": 1} {
			if _, total := f.page(contact.Filter{Search: term}, 1, 10); total != want {
				t.Errorf("%s finds %d, want %d", term, total, want)
			}
		}
		f.trash(juma.ID)
		f.clock.Advance(2 * time.Hour)
		f.must(f.store.SweepNames(t.Context()))
		f.store = newStore(db, f.clock)
		f.restore(juma.ID)
		if _, total := f.page(contact.Filter{Search: "juma"}, 1, 10); total != 1 {
			t.Errorf("a name that was swept and came back finds %d", total)
		}
	})
}

func TestDeletedListsAreCleared(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		gone, kept := f.list("Gone"), f.list("Kept")
		f.load(&gone, draftsOf(upTo(2500)...)...)
		f.create(number(9999), "Asha", kept)
		f.must(f.store.DeleteList(t.Context(), f.org, gone))
		f.trash(idsOf(f.all(contact.Filter{}, 100))[:10]...)
		f.must(f.store.SweepLists(t.Context()))
		if lists, members := f.count("contact_list"), f.count("contact_list_member"); lists != 1 || members != 0 {
			t.Errorf("%d lists and %d memberships are left", lists, members)
		}
		f.checkCounts()
	})
}

func TestNumbersAreCheckedAgainWhenTheRegistryChanges(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.must(f.store.Recheck(t.Context()))
		f.load(nil, draftsOf(upTo(2500)...)...)
		other := f.elsewhere(t)
		other.load(nil, draftsOf(1, 2, 3)...)
		// As if an older registry had known another operator for these.
		f.must(f.pretend(`UPDATE contact SET status = 'invalid', invalid_reason = 'unknown_network', operator = '' WHERE phone % 2 = 0`))
		f.must(f.pretend(`UPDATE contact_count SET key = 'net:KE:', count = 1250 WHERE key LIKE 'net:%' AND count > 2000`))
		f.must(f.pretend(`INSERT INTO contact_count (account_id, key, shard, count) SELECT account_id, 'net:KE:Safaricom', 99, 1250 FROM contact_count WHERE key = 'net:KE:'`))
		f.must(f.pretend(`UPDATE contact_count SET count = 2 WHERE key LIKE 'net:%' AND count = 3`))
		f.must(f.pretend(`INSERT INTO contact_count (account_id, key, shard, count) SELECT account_id, 'net:KE:', 99, 1 FROM contact_count WHERE key LIKE 'net:%' AND count = 2`))
		f.must(f.store.Recheck(t.Context()))
		if n := f.count(`contact WHERE status = 'invalid'`); n != 1251 {
			t.Errorf("%d are invalid although the version is the same; want them left alone", n)
		}
		for _, newer := range []string{phone.Version() + "0", phone.Version() + ".1", "10000.1"} {
			f.must(f.pretend(`UPDATE contact_registry SET done_at = NULL, version = '` + newer + `'`))
			f.must(f.store.Recheck(t.Context()))
			if n := f.count(`contact WHERE status = 'invalid'`); n != 1251 {
				t.Errorf("%d are invalid; want what a newer program does by version %s left alone", n, newer)
			}
		}
		f.must(f.pretend(`UPDATE contact_registry SET version = '999.12'`))
		before := f.all(contact.Filter{}, 100)
		f.must(f.store.Recheck(t.Context()))
		if n := f.count(`contact WHERE status = 'invalid' OR invalid_reason IS NOT NULL OR operator = ''`); n != 0 {
			t.Errorf("%d are still invalid", n)
		}
		var version string
		f.must(db.QueryRow(t.Context(), `SELECT version FROM contact_registry WHERE done_at IS NOT NULL`).Scan(&version))
		if version != phone.Version() {
			t.Errorf("version %s is noted", version)
		}
		if after := f.all(contact.Filter{}, 100); !reflect.DeepEqual(before, after) {
			t.Error("the contacts changed for their owner")
		}
		f.checkCounts()
		other.checkCounts()
	})
}

// pretend changes what is stored behind the store's back.
func (f *fixture) pretend(statement string) error {
	_, err := f.db.Exec(f.test.Context(), statement)
	return err
}

func TestDailyCountsAreKeptFor90Days(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		f.create(number(1), "Asha")
		f.load(nil, draftsOf(2, 3)...)
		first := f.clock.Now().Std().Format(time.DateOnly)
		f.clock.Advance(24 * time.Hour)
		c := f.create(number(4), "Juma")
		f.trash(c.ID)
		f.restore(c.ID)
		stats, err := f.store.Stats(t.Context(), f.org)
		f.must(err)
		if n := len(stats.Days); n != 90 {
			t.Fatalf("%d days", n)
		}
		if got := fmt.Sprint(stats.Days[88:]); got != fmt.Sprintf("[{%s 3} {%s 1}]", first, f.clock.Now().Std().Format(time.DateOnly)) {
			t.Errorf("the last two days: %s", got)
		}
		f.clock.Advance(100 * 24 * time.Hour)
		f.must(f.store.EmptyTrash(t.Context()))
		if n := f.count(`contact_count WHERE key LIKE 'day:%'`); n != 0 {
			t.Errorf("%d daily counts are left", n)
		}
		f.checkCounts()
	})
}
