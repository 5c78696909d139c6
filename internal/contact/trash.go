package contact

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/phone"
)

// Retention is how long a contact stays in the trash.
const Retention = 90 * 24 * time.Hour

// Delete puts one contact into the trash.
func (s *Store) Delete(ctx context.Context, org account.ID, contact ID) error {
	n, err := s.Trash(ctx, org, []ID{contact})
	if err == nil && n == 0 {
		return errNoContact
	}
	return err
}

// Trash puts contacts into the trash and returns how many it put there. Ids of
// no active contact are passed over.
func (s *Store) Trash(ctx context.Context, org account.ID, contacts []ID) (n int64, err error) {
	err = s.db.InTx(ctx, func(tx database.Tx) error {
		rows, err := takeOut(ctx, tx, org, contacts)
		if err != nil || len(rows) == 0 {
			n = 0
			return err
		}
		n = int64(len(rows))
		return s.throwAway(ctx, tx, org, rows)
	})
	return n, err
}

// takeOut deletes active contacts with their memberships and returns them, in
// the order of their ids.
func takeOut(ctx context.Context, tx database.Tx, org account.ID, contacts []ID) ([]*row, error) {
	among, set := idsIn(tx.Engine(), "id", 2, contacts)
	rows, err := database.Collect(ctx, tx, rowOf, `SELECT `+storedColumns+` FROM contact c
		WHERE c.account_id = $1 AND c.`+among+` ORDER BY c.id`+database.Locking(tx.Engine(), "FOR UPDATE"), org, set)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	// Only what is locked: others may just have been restored.
	among, set = idsIn(tx.Engine(), "id", 2, idsOf(rows))
	byID := make(map[ID]*row, len(rows))
	for _, r := range rows {
		byID[r.id] = r
	}
	err = database.Each(ctx, tx, func(found database.Row) error {
		var (
			contact ID
			list    ListID
		)
		err := found.Scan(&contact, &list)
		if r := byID[contact]; r != nil && err == nil {
			r.lists = append(r.lists, list)
		}
		return err
	}, `DELETE FROM contact_list_member WHERE account_id = $1 AND contact_`+among+` RETURNING contact_id, list_id`, org, set)
	if err != nil {
		return nil, fmt.Errorf("leave lists: %w", err)
	}
	err = tx.Queue(ctx, `DELETE FROM contact WHERE account_id = $1 AND `+among, org, set)
	if err != nil {
		return nil, fmt.Errorf("delete contacts: %w", err)
	}
	return rows, nil
}

// throwAway stores what was taken out in the trash.
func (s *Store) throwAway(ctx context.Context, tx database.Tx, org account.ID, rows []*row) error {
	now := s.clock.Now()
	counted := changes{}
	thrown := make([][]any, len(rows))
	names := make([]string, len(rows))
	for i, r := range rows {
		slices.SortFunc(r.lists, compareIDs)
		for _, list := range r.lists {
			counted.list(list, -1)
		}
		counted.contact(r, -1)
		names[i] = foldedName(r.FirstName, r.LastName)
		thrown[i] = []any{
			org, r.id, int64(r.Phone), int64(r.created), int64(r.updated), int64(now), r.imported,
			database.OrNull(r.FirstName), database.OrNull(r.LastName), database.OrNull(r.Email), string(r.Tags), database.OrNull(r.Notes), listsText(r.lists),
		}
	}
	_, err := tx.Copy(ctx, "contact_trash", []string{
		"account_id", "id", "phone", "created_at", "updated_at", "deleted_at", "import_id",
		"first_name", "last_name", "email", "tags", "notes", "list_ids",
	}, thrown)
	if err != nil {
		return fmt.Errorf("insert into trash: %w", err)
	}
	if err := suspect(ctx, tx, org, now, names); err != nil {
		return err
	}
	return counted.apply(ctx, tx, org)
}

func listsText(lists []ListID) string {
	if lists == nil {
		lists = []ListID{}
	}
	return jsonOf(lists)
}

// trashed is a contact in the trash.
type trashed struct {
	row
	deleted clock.Time
}

const trashedQuery = `SELECT c.id, c.phone, c.first_name, c.last_name, c.email, c.tags, c.notes,
	EXISTS (SELECT 1 FROM contact_opt_out o WHERE o.account_id = c.account_id AND o.phone = c.phone),
	c.created_at, c.updated_at, c.import_id, c.deleted_at, c.list_ids FROM contact_trash c WHERE c.account_id = $1`

func trashedOf(found database.Row) (trashed, error) {
	var (
		t                         trashed
		number                    int64
		first, last, email, notes *string
		lists                     string
	)
	err := found.Scan(&t.id, &number, &first, &last, &email, &t.Tags, &notes, &t.optedOut, &t.created, &t.updated, &t.imported, &t.deleted, &lists)
	if err != nil {
		return trashed{}, err
	}
	t.Phone = phone.Number(number)
	t.FirstName, t.LastName, t.Email, t.Notes = database.OrEmpty(first), database.OrEmpty(last), database.OrEmpty(email), database.OrEmpty(notes)
	return t, json.Unmarshal([]byte(lists), &t.lists)
}

// Trashed returns one page of the trash, last deleted first, and how many there
// are in all.
func (s *Store) Trashed(ctx context.Context, org account.ID, page httpapi.Page) (contacts []Contact, total int64, err error) {
	oldest := s.clock.Now().Add(-Retention)
	err = s.db.QueryRow(ctx, `SELECT COUNT(*) FROM contact_trash WHERE account_id = $1 AND deleted_at > $2`, org, oldest).Scan(&total)
	if err != nil {
		return nil, 0, fmt.Errorf("count trash: %w", err)
	}
	rows, err := database.Collect(ctx, s.db, trashedOf, trashedQuery+` AND c.deleted_at > $2
		ORDER BY c.deleted_at DESC, c.id DESC LIMIT $3 OFFSET $4`, org, oldest, page.Size, page.Offset())
	if err != nil {
		return nil, 0, fmt.Errorf("read trash: %w", err)
	}
	alive, err := existingLists(ctx, s.db, org)
	if err != nil {
		return nil, 0, err
	}
	contacts = make([]Contact, len(rows))
	for i := range rows {
		rows[i].lists = slices.DeleteFunc(rows[i].lists, func(l ListID) bool { return !alive[l] })
		contacts[i] = rows[i].contact()
		contacts[i].DeletedAt = &rows[i].deleted
	}
	return contacts, total, nil
}

func existingLists(ctx context.Context, q database.Querier, org account.ID) (map[ListID]bool, error) {
	all, err := database.Collect(ctx, q, database.Column[ListID], `SELECT id FROM contact_list WHERE account_id = $1 AND deleted_at IS NULL`, org)
	if err != nil {
		return nil, fmt.Errorf("read lists: %w", err)
	}
	return setOf(all), nil
}

func setOf(lists []ListID) map[ListID]bool {
	set := make(map[ListID]bool, len(lists))
	for _, list := range lists {
		set[list] = true
	}
	return set
}

// Restore brings contacts back from the trash, into the lists they were in as
// far as those still exist, and returns how many it brought back. Passed over
// are ids that are not in the trash, contacts deleted too long ago, and those
// whose number an active contact has by now.
func (s *Store) Restore(ctx context.Context, org account.ID, contacts []ID) (n int64, err error) {
	err = s.retryTaken(ctx, func(tx database.Tx) error {
		rows, err := s.restorable(ctx, tx, org, contacts)
		if err != nil || len(rows) == 0 {
			n = 0
			return err
		}
		counted := changes{}
		stored, err := s.insert(ctx, tx, org, rows, counted)
		if err != nil {
			return err
		}
		n = int64(len(stored))
		among, set := idsIn(tx.Engine(), "id", 2, idsOf(stored))
		err = tx.Queue(ctx, `DELETE FROM contact_trash WHERE account_id = $1 AND `+among, org, set)
		if err != nil {
			return fmt.Errorf("delete from trash: %w", err)
		}
		return counted.apply(ctx, tx, org)
	})
	return n, err
}

// restorable reads what may come back, last deleted first, so that of two with
// the same number the later one does.
func (s *Store) restorable(ctx context.Context, tx database.Tx, org account.ID, contacts []ID) ([]*row, error) {
	now := s.clock.Now()
	among, set := idsIn(tx.Engine(), "c.id", 3, contacts)
	// The + keeps SQLite from reading the whole trash by its age.
	found, err := database.Collect(ctx, tx, trashedOf, trashedQuery+` AND +c.deleted_at > $2 AND `+among+`
		ORDER BY c.id`+database.Locking(tx.Engine(), "FOR UPDATE OF c"), org, now.Add(-Retention), set)
	if err != nil {
		return nil, fmt.Errorf("read trash: %w", err)
	}
	slices.SortStableFunc(found, func(a, b trashed) int { return cmp.Compare(b.deleted, a.deleted) })
	wanted := []ListID{}
	for i := range found {
		wanted = append(wanted, found[i].lists...)
	}
	shared, err := shareLists(ctx, tx, org, distinct(wanted))
	if err != nil {
		return nil, err
	}
	alive := setOf(shared)
	rows := make([]*row, len(found))
	for i := range found {
		rows[i] = &found[i].row
		rows[i].updated = now
		rows[i].lists = slices.DeleteFunc(rows[i].lists, func(l ListID) bool { return !alive[l] })
	}
	return rows, nil
}

// Purge deletes contacts in the trash for good and returns how many.
func (s *Store) Purge(ctx context.Context, caller account.Caller, contacts []ID) (n int64, err error) {
	err = s.db.InTx(ctx, func(tx database.Tx) error {
		among, set := idsIn(tx.Engine(), "id", 2, contacts)
		n, err = tx.Exec(ctx, `DELETE FROM contact_trash WHERE account_id = $1 AND id IN (
			SELECT id FROM contact_trash WHERE account_id = $1 AND `+among+` ORDER BY id`+database.Locking(tx.Engine(), "FOR UPDATE")+`)`, caller.Account, set)
		if err != nil {
			return fmt.Errorf("purge: %w", err)
		}
		if n == 0 {
			return nil
		}
		return s.trail.Record(ctx, tx, caller, audit.ContactsPurged, fmt.Sprintf("%d contacts", n))
	})
	return n, err
}

// takenAttempts bounds how often a transaction is run again because others took
// numbers it was about to store. Each time at least one of them has committed.
const takenAttempts = 20

// retryTaken runs a transaction again when a number was taken between its look
// and its insert: the next look sees it.
func (s *Store) retryTaken(ctx context.Context, f func(tx database.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.db.InTx(ctx, f)
		if !errors.Is(err, database.ErrUnique) || attempt == takenAttempts {
			return err
		}
	}
}
