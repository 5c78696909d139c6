package contact

import (
	"context"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/phone"
)

// streamBatch is how many contacts are read at a time.
const streamBatch = 5000

// Stream calls f for every active contact, or those of a list, newest first. It
// reads in batches, each while f works on the one before, so that neither a slow
// receiver nor a large organization holds a connection for long: contacts added
// meanwhile do not appear, and each appears as it is when its batch is read. A
// list that does not exist is a fault.
func (s *Store) Stream(ctx context.Context, org account.ID, list *ListID, f func(*Contact) error) error {
	read := func(ctx context.Context, last ID) ([]Contact, error) {
		contacts, err := readBatch(ctx, s.db, org, list, last, rowColumns, func(found database.Row, c *Contact) (err error) {
			*c, err = contactOf(found)
			return err
		})
		if err != nil {
			return nil, err
		}
		return contacts, addLists(ctx, s.db, org, contacts)
	}
	return stream(ctx, s, org, list, read, func(c *Contact) ID { return c.ID }, f)
}

// Line is a contact as a line of a table has it: texts, which are empty where
// there is nothing.
type Line struct {
	id                                ID
	FirstName, LastName, Email, Notes string
	Phone                             phone.Number
	Tags                              Tags
}

const lineColumns = `c.id, c.phone, COALESCE(c.first_name, ''), COALESCE(c.last_name, ''), COALESCE(c.email, ''), c.tags, COALESCE(c.notes, '')`

// StreamLines is Stream for lines, which are quicker to read.
func (s *Store) StreamLines(ctx context.Context, org account.ID, list *ListID, f func(*Line) error) error {
	read := func(ctx context.Context, last ID) ([]Line, error) {
		var number int64
		return readBatch(ctx, s.db, org, list, last, lineColumns, func(found database.Row, l *Line) error {
			err := found.Scan(&l.id, &number, &l.FirstName, &l.LastName, &l.Email, (*string)(&l.Tags), &l.Notes)
			l.Phone = phone.Number(number)
			return err
		})
	}
	return stream(ctx, s, org, list, read, func(l *Line) ID { return l.id }, f)
}

// lastID is after every id.
var lastID = func() (last ID) {
	for i := range last {
		last[i] = 0xff
	}
	return last
}()

func stream[T any](ctx context.Context, s *Store, org account.ID, list *ListID,
	read func(ctx context.Context, last ID) ([]T, error), idOf func(*T) ID, f func(*T) error,
) error {
	if list != nil {
		err := httpapi.Briefly(ctx, func(ctx context.Context) error {
			_, err := findList(ctx, s.db, org, *list, "")
			return err
		})
		if err != nil {
			return err
		}
	}
	type batch struct {
		rows []T
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	fetch := func(last ID) <-chan batch {
		coming := make(chan batch, 1)
		go func() {
			var got batch
			got.err = fault.Survive(func() error {
				return httpapi.Briefly(ctx, func(ctx context.Context) (err error) {
					got.rows, err = read(ctx, last)
					return err
				})
			})
			coming <- got
		}()
		return coming
	}
	for coming := fetch(lastID); coming != nil; {
		got := <-coming
		if got.err != nil {
			return got.err
		}
		coming = nil
		if n := len(got.rows); n == streamBatch {
			coming = fetch(idOf(&got.rows[n-1]))
		}
		for i := range got.rows {
			if err := f(&got.rows[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// readBatch reads the rows before the last one, each into its place: an export is
// long, and what is moved about is paid for each contact.
func readBatch[T any](ctx context.Context, q database.Querier, org account.ID, list *ListID, last ID, columns string, scan func(database.Row, *T) error) ([]T, error) {
	text := fmt.Sprintf(`SELECT %s FROM contact c WHERE c.account_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT %d`, columns, streamBatch)
	args := []any{org, last}
	if list != nil {
		text = contactsOf(q.Engine(), columns, fmt.Sprintf(`SELECT m.contact_id AS id FROM contact_list_member m
			WHERE m.account_id = $1 AND m.list_id = $3 AND m.contact_id < $2 ORDER BY m.contact_id DESC LIMIT %d`, streamBatch))
		args = append(args, *list)
	}
	rows := make([]T, 0, streamBatch)
	err := database.Each(ctx, q, func(found database.Row) error {
		rows = rows[:len(rows)+1]
		return scan(found, &rows[len(rows)-1])
	}, text, args...)
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	return rows, nil
}
