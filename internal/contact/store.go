package contact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
)

// Store keeps contacts and lists.
type Store struct {
	db    *database.DB
	clock clock.Clock
	trail *account.Trail
	known *memory
}

// NewStore returns the contacts of a database.
func NewStore(db *database.DB, c clock.Clock, trail *account.Trail) *Store {
	return &Store{db: db, clock: c, trail: trail, known: newMemory()}
}

var (
	errNoContact = fault.NotFound("contact_not_found", "There is no such contact in this organization. It may be in the trash.")
	errExists    = fault.Conflict("contact_exists", "A contact with this number already exists.")
)

// Find returns an active contact.
func (s *Store) Find(ctx context.Context, org account.ID, contact ID) (Contact, error) {
	found, err := contactOf(s.db.QueryRow(ctx, `SELECT `+rowColumns+` FROM contact c WHERE c.account_id = $1 AND c.id = $2`, org, contact))
	if errors.Is(err, database.ErrNoRows) {
		return Contact{}, errNoContact
	}
	if err != nil {
		return Contact{}, fmt.Errorf("read contact: %w", err)
	}
	all := []Contact{found}
	err = addLists(ctx, s.db, org, all)
	return all[0], err
}

// addLists fills in which lists contacts are in.
func addLists(ctx context.Context, q database.Querier, org account.ID, contacts []Contact) error {
	if len(contacts) == 0 {
		return nil
	}
	index := make(map[ID]int, len(contacts))
	ids := make([]ID, len(contacts))
	for i := range contacts {
		ids[i], index[contacts[i].ID] = contacts[i].ID, i
	}
	return eachMembership(ctx, q, org, ids, func(contact ID, list ListID) {
		c := &contacts[index[contact]]
		c.ListIDs = append(c.ListIDs, list)
	})
}

// eachMembership tells which lists contacts are in, lists in the order of their
// creation.
func eachMembership(ctx context.Context, q database.Querier, org account.ID, contacts []ID, f func(ID, ListID)) error {
	err := database.Each(ctx, q, func(found database.Row) error {
		var (
			contact ID
			list    ListID
		)
		err := found.Scan(&contact, &list)
		if err == nil {
			f(contact, list)
		}
		return err
	}, `SELECT contact_id, list_id FROM (`+probe(q.Engine(), "$2", "contact_id, list_id", "contact_list_member", "contact_id = uuid(s.key)")+`) m
		WHERE (SELECT l.deleted_at IS NULL FROM contact_list l WHERE l.account_id = $1 AND l.id = m.list_id)
		ORDER BY contact_id, list_id`, org, database.IDs(contacts))
	if err != nil {
		return fmt.Errorf("read memberships: %w", err)
	}
	return nil
}

// Create stores a new contact in lists. A number that had opted out in this
// organization starts opted out.
func (s *Store) Create(ctx context.Context, org account.ID, d Draft, lists []ListID) (Contact, error) {
	now := s.clock.Now()
	made := &row{Draft: d, id: id.New[Contact](), created: now, updated: now, lists: distinct(lists)}
	err := s.db.InTx(ctx, func(tx database.Tx) error {
		if err := lockLists(ctx, tx, org, made.lists); err != nil {
			return err
		}
		counted := changes{}
		stored, err := s.insert(ctx, tx, org, []*row{made}, counted)
		if err != nil {
			return err
		}
		if len(stored) == 0 {
			return errExists
		}
		counted.created(now, 1)
		return counted.apply(ctx, tx, org)
	})
	if errors.Is(err, database.ErrUnique) {
		err = errExists
	}
	return made.contact(), err
}

func distinct(lists []ListID) []ListID {
	lists = slices.Clone(lists)
	slices.SortFunc(lists, compareIDs)
	return slices.Compact(lists)
}

func compareIDs[T any](a, b id.Of[T]) int { return slices.Compare(a[:], b[:]) }

// insert stores rows as active contacts, all but those whose number an active
// contact has, and returns what it stored. Where another transaction takes a
// number between the look and the insert, the error is database.ErrUnique.
func (s *Store) insert(ctx context.Context, tx database.Tx, org account.ID, rows []*row, counted changes) ([]*row, error) {
	rows, err := withoutTaken(ctx, tx, org, inOrder(rows))
	if err != nil {
		return nil, err
	}
	return s.add(ctx, tx, org, rows, counted)
}

// inOrder puts rows in the order of their numbers and keeps the first of those
// that have the same.
func inOrder(rows []*row) []*row {
	slices.SortStableFunc(rows, byPhone)
	return slices.CompactFunc(rows, func(a, b *row) bool { return a.Phone == b.Phone })
}

// add stores rows that are in order and whose numbers seem to be free; where one
// is not, the error is database.ErrUnique. Numbers come first and each kind of
// thing in its own order, so that writers of the same queue and never deadlock;
// names, which writers share most, come late and are held shortly.
func (s *Store) add(ctx context.Context, tx database.Tx, org account.ID, rows []*row, counted changes) ([]*row, error) {
	if len(rows) == 0 {
		return rows, nil
	}
	if err := markOptedOut(ctx, tx, org, rows); err != nil {
		return nil, err
	}
	shared := newShared()
	contacts := make([][]any, len(rows))
	joined := []membership{}
	for i, r := range rows {
		r.network = networkOf(r.Phone)
		nameKey, tagsKey := shared.refer(org, r)
		contacts[i] = r.values(org, nameKey, tagsKey)
		counted.contact(r, 1)
		for _, list := range r.lists {
			joined = append(joined, membership{list, r.id})
			counted.list(list, 1)
		}
	}
	if _, err := tx.Copy(ctx, "contact", storedAs, contacts); err != nil {
		return nil, fmt.Errorf("insert contacts: %w", err)
	}
	if err := join(ctx, tx, org, joined); err != nil {
		return nil, err
	}
	return rows, shared.store(ctx, tx, org, s.known)
}

// membership is a contact's place in a list.
type membership struct {
	list    ListID
	contact ID
}

// join stores memberships in the order of their index, which is quicker than any
// other.
func join(ctx context.Context, tx database.Tx, org account.ID, all []membership) error {
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b membership) int {
		return cmp.Or(compareIDs(a.list, b.list), compareIDs(a.contact, b.contact))
	})
	rows := make([][]any, len(all))
	for i, m := range all {
		rows[i] = []any{org, m.list, m.contact}
	}
	if _, err := tx.Copy(ctx, "contact_list_member", []string{"account_id", "list_id", "contact_id"}, rows); err != nil {
		return fmt.Errorf("insert memberships: %w", err)
	}
	return nil
}

// storedAs are the columns of values.
var storedAs = []string{
	"account_id", "id", "phone", "phone_tail", "name_key", "tags_key", "created_at", "updated_at", "import_id", "is_opted_out",
	"status", "invalid_reason", "country", "operator", "first_name", "last_name", "email", "tags", "notes",
}

func (r *row) values(org account.ID, nameKey, tagsKey *int64) []any {
	status, reason := r.network.status()
	return []any{
		org, r.id, int64(r.Phone), int64(r.Phone) % tailSpan, nameKey, tagsKey, int64(r.created), int64(r.updated), r.imported, r.optedOut,
		status, reason, r.network.country, r.network.operator,
		database.OrNull(r.FirstName), database.OrNull(r.LastName), database.OrNull(r.Email), string(r.Tags), database.OrNull(r.Notes),
	}
}

func withoutTaken(ctx context.Context, tx database.Tx, org account.ID, rows []*row) ([]*row, error) {
	taken, err := phonesIn(ctx, tx, org, "contact", rows)
	if err != nil || len(taken) == 0 {
		return rows, err
	}
	return slices.DeleteFunc(rows, func(r *row) bool { return taken[int64(r.Phone)] }), nil
}

func markOptedOut(ctx context.Context, tx database.Tx, org account.ID, rows []*row) error {
	out, err := phonesIn(ctx, tx, org, "contact_opt_out", rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		r.optedOut = out[int64(r.Phone)]
	}
	return nil
}

// phonesIn returns which of the rows' numbers are in a table.
func phonesIn(ctx context.Context, tx database.Tx, org account.ID, table string, rows []*row) (map[int64]bool, error) {
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = int64(r.Phone)
	}
	var found map[int64]bool
	err := database.Each(ctx, tx, func(r database.Row) error {
		var number int64
		err := r.Scan(&number)
		if found == nil {
			found = map[int64]bool{}
		}
		found[number] = true
		return err
	}, probe(tx.Engine(), "$2", "phone", table, "phone = CAST(s.key AS BIGINT)"), org, numberSet(numbers))
	if err != nil {
		return nil, fmt.Errorf("look numbers up: %w", err)
	}
	return found, nil
}
