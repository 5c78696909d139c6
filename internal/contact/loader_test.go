package contact_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
	"ujumbe/internal/phone"
)

func TestLoaderTellsWhatTheDatabaseDid(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		list := f.list("Imported")
		f.create(number(2), "There already")
		trashed := f.create(number(3), "In the trash")
		f.trash(trashed.ID)
		drafts := append(draftsOf(1, 2, 3, 1, 4), contact.Draft{Phone: 12025550123})
		loaded := f.load(&list, drafts...)
		if loaded.Valid != 3 || loaded.Invalid != 1 || !slices.Equal(loaded.Duplicates, []int{1, 3}) {
			t.Errorf("loaded %+v", loaded)
		}
		again := f.load(&list, drafts...)
		if again.Valid != 0 || again.Invalid != 0 || len(again.Duplicates) != len(drafts) {
			t.Errorf("loaded again: %+v", again)
		}
		if none := f.load(&list); none.Valid+none.Invalid != 0 {
			t.Errorf("of nothing: %+v", none)
		}
		if got, want := numbersOf(f.all(contact.Filter{List: &list}, 10)), "+12025550123 +254712000001 +254712000003 +254712000004"; got != want {
			t.Errorf("in the list: %s, want %s", got, want)
		}
		if n := f.contactCount(list); n != 4 {
			t.Errorf("contactCount is %d", n)
		}
		f.checkCounts()
	})
}

func TestLoaderStoresAChunkWholeOrNotAtAll(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		loader, err := f.store.NewLoader(t.Context(), f.org, nil, nil)
		f.must(err)
		stop := errors.New("stop")
		_, err = loader.Load(t.Context(), draftsOf(1, 2, 3), func(_ database.Tx, loaded contact.Loaded) error {
			if loaded.Valid != 3 {
				t.Errorf("the hook hears of %+v", loaded)
			}
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatalf("got %v", err)
		}
		if _, total := f.page(contact.Filter{}, 1, 1); total != 0 {
			t.Errorf("%d were stored", total)
		}
		// What the failed attempt would have remembered is not taken for stored.
		f.load(nil, draftsOf(1, 2, 3)...)
		if _, total := f.page(contact.Filter{Search: "person"}, 1, 1); total != 3 {
			t.Errorf("%d can be found", total)
		}
	})
}

func TestLoaderNeedsAListThatExists(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		unknown, foreign := id.New[contact.List](), f.elsewhere(t).list("Theirs")
		for _, list := range []contact.ListID{unknown, foreign} {
			_, err := f.store.NewLoader(t.Context(), f.org, &list, nil)
			wantFault(t, err, "unknown_list")
		}
		list := f.list("Going")
		loader, err := f.store.NewLoader(t.Context(), f.org, &list, nil)
		f.must(err)
		f.must(f.store.DeleteList(t.Context(), f.org, list))
		_, err = loader.Load(t.Context(), draftsOf(1), nil)
		wantFault(t, err, "unknown_list")
	})
}

// Two people import the same file at the same moment: every row is stored once
// and told as stored to exactly one of them.
func TestTwoLoadersOfTheSameNumbers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		list := f.list("Both")
		const rows, chunk, loaders = 3000, 250, 4
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			stored int
		)
		for i := range loaders {
			loader, err := f.store.NewLoader(t.Context(), f.org, &list, nil)
			f.must(err)
			drafts := draftsOf(upTo(rows)...)
			for j := range drafts {
				drafts[j].FirstName, drafts[j].Tags = firstNames[j%len(firstNames)], tagSets[j%len(tagSets)]
			}
			if i%2 == 1 {
				slices.Reverse(drafts)
			}
			wg.Go(func() {
				for part := range slices.Chunk(drafts, chunk+i) {
					loaded, err := loader.Load(t.Context(), part, nil)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					stored += loaded.Valid + loaded.Invalid
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if n := f.contactCount(list); stored != rows || n != rows {
			t.Errorf("told %d stored, contactCount is %d, want %d", stored, n, rows)
		}
		f.checkCounts()
	})
}

func TestStreamYieldsEveryContactOnceNewestFirst(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		list := f.list("Half")
		f.load(nil, draftsOf(upTo(6000)...)...)
		f.load(&list, draftsOf(upTo(12_000)[6000:]...)...)
		f.elsewhere(t).load(nil, draftsOf(1, 2, 3)...)
		for name, of := range map[string]*contact.ListID{"all": nil, "of a list": &list} {
			var got []contact.ID
			var numbers, lines []phone.Number
			var all, allLines bytes.Buffer
			f.must(f.store.Stream(t.Context(), f.org, of, func(part []byte, c *contact.Contact) ([]byte, error) {
				got, numbers = append(got, c.ID), append(numbers, c.Phone)
				if inList := c.Phone >= number(6000); inList != (len(c.ListIDs) == 1) {
					return nil, fmt.Errorf("%v is in %v", c.Phone, c.ListIDs)
				}
				return append(c.Phone.Append(part), database.OrEmpty(c.FirstName)+"\n"...), nil
			}, sendTo(&all)))
			f.must(f.store.StreamLines(t.Context(), f.org, of, func(part []byte, l *contact.Line) []byte {
				lines = append(lines, l.Phone)
				return append(append(l.Phone.Append(part), l.FirstName...), '\n')
			}, sendTo(&allLines)))
			if all.String() != allLines.String() || strings.Count(all.String(), "\n") != len(got) {
				t.Errorf("%s: contacts and lines differ", name)
			}
			if want := idsOf(f.all(contact.Filter{List: of}, 100)); !slices.Equal(got, want) || !slices.Equal(lines, numbers) {
				t.Errorf("%s: %d contacts, %d lines, want %d in the order of the pages", name, len(got), len(lines), len(want))
			}
		}
		unknown := id.New[contact.List]()
		wantFault(t, f.store.Stream(t.Context(), f.org, &unknown, nil, nil), "list_not_found")
		stop := errors.New("stop")
		fine := func(part []byte, _ *contact.Contact) ([]byte, error) { return part, nil }
		if err := f.store.Stream(t.Context(), f.org, nil, fine, func([]byte) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("whoever can't send gets %v", err)
		}
		broken := func([]byte, *contact.Contact) ([]byte, error) { return nil, stop }
		if err := f.store.Stream(t.Context(), f.org, nil, broken, func([]byte) error { return nil }); !errors.Is(err, stop) {
			t.Errorf("whoever can't write gets %v", err)
		}
		parts := 0
		f.must(f.elsewhere(t).store.Stream(t.Context(), id.New[account.Account](), nil, fine, func([]byte) error {
			parts++
			return nil
		}))
		if parts != 1 {
			t.Errorf("nothing is sent in %d parts", parts)
		}
	})
}

func sendTo(out *bytes.Buffer) func([]byte) error {
	return func(part []byte) error {
		out.Write(part)
		return nil
	}
}
