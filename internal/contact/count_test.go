package contact_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
)

// checkCounts compares every count that is kept with a count of what is stored.
func (f *fixture) checkCounts() {
	f.t.Helper()
	var (
		contacts = f.all(contact.Filter{}, 100)
		valid    int64
		optedOut int64
		byList   = map[contact.ListID]int64{}
		tags     = map[string]bool{}
	)
	for _, c := range contacts {
		if c.Phone.Network().Known() {
			valid++
		}
		if c.IsOptedOut {
			optedOut++
		}
		for _, list := range c.ListIDs {
			byList[list]++
		}
		for _, tag := range c.Tags {
			tags[tag] = true
		}
	}
	stats, err := f.store.Stats(f.test.Context(), f.org)
	f.must(err)
	got := fmt.Sprint(stats.Total, stats.Valid, stats.Invalid, stats.OptedOut)
	if want := fmt.Sprint(len(contacts), valid, int64(len(contacts))-valid, optedOut); got != want {
		f.t.Fatalf("total, valid, invalid, opted out: kept %s, counted %s", got, want)
	}
	var countries, operators int64
	for _, c := range stats.Countries {
		countries += c.Count
	}
	for _, o := range stats.Operators {
		operators += o.Count
	}
	if countries != stats.Total || operators != stats.Valid {
		f.t.Fatalf("by country %d of %d, by operator %d of %d", countries, stats.Total, operators, stats.Valid)
	}
	lists, err := f.store.Lists(f.test.Context(), f.org)
	f.must(err)
	for _, l := range lists {
		if l.ContactCount != byList[l.ID] {
			f.t.Fatalf("list %s: kept %d, counted %d", l.Name, l.ContactCount, byList[l.ID])
		}
		delete(byList, l.ID)
	}
	if len(byList) > 0 {
		f.t.Fatalf("contacts are in lists that are gone: %v", byList)
	}
	kept, err := f.store.TagNames(f.test.Context(), f.org)
	f.must(err)
	if !slices.Equal(kept, slices.Sorted(maps.Keys(tags))) {
		f.t.Fatalf("tags: kept %v, found %v", kept, tags)
	}
}

func TestCountsStayExactThroughEveryChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		base := newFixture(t, db)
		user := base.user()
		rapid.Check(t, func(r *rapid.T) {
			m := &model{fixture: base.elsewhere(r), user: user}
			m.lists = []contact.ListID{m.list("One"), m.list("Two")}
			r.Repeat(map[string]func(*rapid.T){
				"create":  m.create,
				"load":    m.loadChunk,
				"update":  m.update,
				"trash":   func(r *rapid.T) { m.trash(m.some(r)...) },
				"restore": func(r *rapid.T) { m.restore(m.some(r)...) },
				"purge": func(r *rapid.T) {
					_, err := m.store.Purge(t.Context(), account.Caller{Account: m.org, User: user}, m.some(r))
					m.must(err)
				},
				"add": func(r *rapid.T) {
					_, err := m.store.AddToList(t.Context(), m.org, m.someList(r), m.some(r))
					m.mayBeGone(err)
				},
				"remove": func(r *rapid.T) {
					_, err := m.store.RemoveFromList(t.Context(), m.org, m.someList(r), m.some(r))
					m.mayBeGone(err)
				},
				"delete a list": func(r *rapid.T) {
					m.mayBeGone(m.store.DeleteList(t.Context(), m.org, m.someList(r)))
					m.lists = append(m.lists, m.list("Another"))
				},
				"sweep": func(*rapid.T) {
					m.must(errors.Join(m.store.SweepLists(t.Context()), m.store.SweepNames(t.Context()), m.store.Recheck(t.Context())))
				},
				"": func(*rapid.T) { m.checkCounts() },
			})
		})
	})
}

// model makes random changes to one organization.
type model struct {
	*fixture
	user  account.UserID
	ids   []contact.ID
	lists []contact.ListID
}

func (m *model) some(r *rapid.T) []contact.ID {
	if len(m.ids) == 0 {
		return nil
	}
	return rapid.SliceOfN(rapid.SampledFrom(m.ids), 0, 6).Draw(r, "ids")
}

func (m *model) someList(r *rapid.T) contact.ListID {
	return rapid.SampledFrom(m.lists).Draw(r, "list")
}

func (m *model) mayBeGone(err error) {
	m.t.Helper()
	if err != nil && !fault.Is(err, fault.KindNotFound) && !fault.Is(err, fault.KindInvalid) {
		m.t.Fatal(err)
	}
}

// draw makes a contact with one of a few numbers, valid ones and others.
func draw(r *rapid.T) contact.Draft {
	return contact.Draft{
		Phone:     number(rapid.IntRange(0, 12).Draw(r, "number")) - 12_000_000*phoneOf(rapid.Bool().Draw(r, "fixed line")),
		FirstName: rapid.SampledFrom(firstNames[:3]).Draw(r, "name"),
		Tags:      rapid.SampledFrom([]contact.Tags{"", "a", "a;b", "b;c"}).Draw(r, "tags"),
	}
}

func (m *model) create(r *rapid.T) {
	c, err := m.store.Create(m.test.Context(), m.org, draw(r), []contact.ListID{m.someList(r)})
	if fault.Is(err, fault.KindConflict) || fault.Is(err, fault.KindInvalid) {
		return
	}
	m.must(err)
	m.ids = append(m.ids, c.ID)
}

func (m *model) loadChunk(r *rapid.T) {
	drafts := rapid.SliceOfN(rapid.Custom(draw), 0, 8).Draw(r, "drafts")
	loader, err := m.store.NewLoader(m.test.Context(), m.org, &m.lists[len(m.lists)-1], nil)
	m.must(err)
	loaded, err := loader.Load(m.test.Context(), drafts, nil)
	m.must(err)
	if loaded.Valid+loaded.Invalid+len(loaded.Duplicates) != len(drafts) {
		m.t.Fatalf("of %d drafts: %+v", len(drafts), loaded)
	}
	m.ids = idsOf(m.all(contact.Filter{}, 100))
}

func (m *model) update(r *rapid.T) {
	ids := m.some(r)
	if len(ids) == 0 {
		return
	}
	d := draw(r)
	ch := contact.Change{FirstName: sent(d.FirstName), Tags: sent(d.Tags.Split())}
	if rapid.Bool().Draw(r, "new number") {
		ch.Phone = sent(d.Phone.String())
	}
	if rapid.Bool().Draw(r, "new lists") {
		ch.ListIDs = sent(rapid.SliceOfN(rapid.SampledFrom(m.lists), 0, 2).Draw(r, "lists"))
	}
	if rapid.Bool().Draw(r, "opt") {
		ch.IsOptedOut = sent(rapid.Bool().Draw(r, "out"))
	}
	_, err := m.store.Update(m.test.Context(), m.org, ids[0], ch)
	if !fault.Is(err, fault.KindConflict) {
		m.mayBeGone(err)
	}
}

func TestCountsStayExactUnderConcurrentChanges(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		lists := []contact.ListID{f.list("One"), f.list("Two")}
		f.load(&lists[0], draftsOf(upTo(60)...)...)
		ids := idsOf(f.all(contact.Filter{}, 100))
		var wg sync.WaitGroup
		for i := range 200 {
			// Overlapping sets in different orders, as several people would send.
			from := i * 7 % 40
			some := slices.Clone(ids[from : from+20])
			if i%2 == 0 {
				slices.Reverse(some)
			}
			list := lists[i/6%2]
			wg.Go(func() {
				var err error
				switch i % 6 {
				case 0:
					_, err = f.store.AddToList(t.Context(), f.org, list, some)
				case 1:
					_, err = f.store.RemoveFromList(t.Context(), f.org, list, some)
				case 2:
					_, err = f.store.Trash(t.Context(), f.org, some)
				case 3:
					_, err = f.store.Restore(t.Context(), f.org, some)
				case 4:
					_, err = f.store.Update(t.Context(), f.org, some[0], contact.Change{
						ListIDs: sent(lists[:i%3]), Tags: sent([]string{fmt.Sprint("tag ", i%5)}), IsOptedOut: sent(i%4 == 0),
					})
				case 5:
					_, err = f.store.Create(t.Context(), f.org, contact.Draft{Phone: number(50 + i%30), Tags: "new"}, lists)
				}
				if err != nil && !fault.Is(err, fault.KindNotFound) && !fault.Is(err, fault.KindConflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		f.checkCounts()
	})
}

func TestANumberIsCreatedOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		var (
			wg   sync.WaitGroup
			made atomic.Int64
		)
		for range 50 {
			wg.Go(func() {
				switch _, err := f.store.Create(t.Context(), f.org, draftsOf(1)[0], nil); {
				case err == nil:
					made.Add(1)
				case !fault.Is(err, fault.KindConflict):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := made.Load(); n != 1 {
			t.Errorf("%d were told that they created it", n)
		}
		f.checkCounts()
	})
}

func TestManyWritersToOneList(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		list := f.list("Busy")
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				_, err := f.store.Create(t.Context(), f.org, contact.Draft{Phone: number(i), FirstName: "Asha"}, []contact.ListID{list})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := f.contactCount(list); n != 200 {
			t.Errorf("contactCount is %d, want 200", n)
		}
		f.checkCounts()
	})
}
