package contact_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/phone"
)

// fixture is a store with one organization.
type fixture struct {
	t     fataler
	test  testing.TB
	db    *database.DB
	clock *clock.Manual
	store *contact.Store
	org   account.ID
}

// fataler is what a test and a property check have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newStore(db *database.DB, c clock.Clock) *contact.Store {
	return contact.NewStore(db, c, account.NewTrail(audit.NewTrail(db, c)))
}

func newFixture(t testing.TB, db *database.DB) *fixture {
	c := clock.NewManual()
	return &fixture{t: t, test: t, db: db, clock: c, store: newStore(db, c), org: id.New[account.Account]()}
}

// elsewhere is the same store seen from a new organization.
func (f *fixture) elsewhere(t fataler) *fixture {
	other := *f
	other.t, other.org = t, id.New[account.Account]()
	return &other
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) create(number phone.Number, name string, lists ...contact.ListID) contact.Contact {
	f.t.Helper()
	first, last, _ := strings.Cut(name, " ")
	c, err := f.store.Create(f.test.Context(), f.org, contact.Draft{Phone: number, FirstName: first, LastName: last}, lists)
	f.must(err)
	return c
}

func (f *fixture) list(name string) contact.ListID {
	f.t.Helper()
	l, err := f.store.CreateList(f.test.Context(), f.org, contact.ListChange{Name: sent(name)})
	f.must(err)
	return l.ID
}

func (f *fixture) load(list *contact.ListID, drafts ...contact.Draft) contact.Loaded {
	f.t.Helper()
	loader, err := f.store.NewLoader(f.test.Context(), f.org, list, nil)
	f.must(err)
	loaded, err := loader.Load(f.test.Context(), drafts, nil)
	f.must(err)
	return loaded
}

func (f *fixture) page(filter contact.Filter, number, size int) ([]contact.Contact, int64) {
	f.t.Helper()
	found, total, err := f.store.Page(f.test.Context(), f.org, filter, httpapi.Page{Number: number, Size: size})
	f.must(err)
	return found, total
}

// all reads the contacts that a filter wants, page by page.
func (f *fixture) all(filter contact.Filter, size int) []contact.Contact {
	f.t.Helper()
	var found []contact.Contact
	for number := 1; ; number++ {
		page, total := f.page(filter, number, size)
		found = append(found, page...)
		if len(page) < size {
			if int64(len(found)) != total {
				f.t.Fatalf("the pages of %+v have %d contacts, total is %d", filter, len(found), total)
			}
			return found
		}
	}
}

func (f *fixture) contactCount(list contact.ListID) int64 {
	f.t.Helper()
	lists, err := f.store.Lists(f.test.Context(), f.org)
	f.must(err)
	at := slices.IndexFunc(lists, func(l contact.List) bool { return l.ID == list })
	if at < 0 {
		f.t.Fatalf("no list %v", list)
	}
	return lists[at].ContactCount
}

func sent[T any](value T) httpapi.Optional[T] { return httpapi.Optional[T]{Sent: true, Value: value} }

func wantFault(t *testing.T, err error, code string) {
	t.Helper()
	if fault.Code(err) != code {
		t.Fatalf("got %v, want the fault %s", err, code)
	}
}

func idsOf(contacts []contact.Contact) []contact.ID {
	ids := make([]contact.ID, len(contacts))
	for i := range contacts {
		ids[i] = contacts[i].ID
	}
	return ids
}

func number(n int) phone.Number { return phone.Number(254_712_000_000 + n) }

func draftsOf(numbers ...int) []contact.Draft {
	drafts := make([]contact.Draft, len(numbers))
	for i, n := range numbers {
		drafts[i] = contact.Draft{Phone: number(n), FirstName: "Person " + strconv.Itoa(n)}
	}
	return drafts
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// numbersOf lists the numbers of contacts in their order.
func numbersOf(contacts []contact.Contact) string {
	var numbers []string
	for _, c := range contacts {
		numbers = append(numbers, c.Phone.String())
	}
	slices.Sort(numbers)
	return strings.Join(numbers, " ")
}

// user makes a person to act as.
func (f *fixture) user() account.UserID {
	f.t.Helper()
	user := id.New[account.Member]()
	_, err := f.db.Exec(f.test.Context(), `INSERT INTO users (id, email, email_key, first_name, last_name, is_verified, created_at, updated_at)
		VALUES ($1, $2, $2, 'Asha', 'Juma', $3, $4, $4)`, user, user.String()+"@example.com", true, f.clock.Now())
	f.must(err)
	return user
}

func phoneOf(one bool) phone.Number {
	if one {
		return 1
	}
	return 0
}
