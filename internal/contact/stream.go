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

// How many contacts are read at a time: few at first and where they are long, so
// that what is held of them stays around batchBytes.
const (
	fewContacts  = 250
	manyContacts = 5000
	batchBytes   = 2 << 20
)

// Stream writes every active contact, or those of a list, newest first, by
// appending it to a part of the whole, and sends the parts. It reads in batches,
// each while the one before is sent, so that neither a slow receiver nor a large
// organization holds a connection for long: contacts added meanwhile do not
// appear, and each appears as it is when its batch is read. A list that does not
// exist is a fault.
func (s *Store) Stream(ctx context.Context, org account.ID, list *ListID, write func(part []byte, c *Contact) ([]byte, error), send func(part []byte) error) error {
	return s.stream(ctx, org, list, send, func(ctx context.Context, from batchStart, part []byte) (batch, error) {
		contacts := make([]Contact, 0, from.count)
		err := s.next(ctx, org, list, from, rowColumns, func(found database.Row) error {
			c, err := contactOf(found)
			contacts = append(contacts, c)
			return err
		})
		if err != nil {
			return batch{}, err
		}
		if err := addLists(ctx, s.db, org, contacts); err != nil {
			return batch{}, err
		}
		for i := range contacts {
			if part, err = write(part, &contacts[i]); err != nil {
				return batch{}, err
			}
			from.last = contacts[i].ID
		}
		return batch{part, len(contacts), from.last}, nil
	})
}

// Line is a contact as a line of a table has it: texts, which are empty where
// there is nothing, and valid until the next one is read.
type Line struct {
	FirstName, LastName, Email, Tags, Notes database.Text
	Phone                                   phone.Number
}

// StreamLines is Stream for lines, which are quicker to read.
func (s *Store) StreamLines(ctx context.Context, org account.ID, list *ListID, write func(part []byte, l *Line) []byte, send func(part []byte) error) error {
	var (
		id     ID
		number int64
		line   Line
	)
	const columns = `c.id, c.phone, c.first_name, c.last_name, c.email, c.tags, c.notes`
	places := []any{&id, &number, &line.FirstName, &line.LastName, &line.Email, &line.Tags, &line.Notes}
	return s.stream(ctx, org, list, send, func(ctx context.Context, from batchStart, part []byte) (batch, error) {
		count := 0
		err := s.next(ctx, org, list, from, columns, func(found database.Row) error {
			if err := found.Scan(places...); err != nil {
				return err
			}
			count++
			line.Phone = phone.Number(number)
			part = write(part, &line)
			return nil
		})
		return batch{part, count, id}, err
	})
}

// batchStart is where a batch begins, behind the last contact read, and how many it
// may have.
type batchStart struct {
	last  ID
	count int
}

// batch is some of the contacts of a stream, as they were written.
type batch struct {
	part  []byte
	count int
	last  ID
}

// reader reads the batch that starts somewhere, and appends what it writes to a part.
type reader func(ctx context.Context, from batchStart, part []byte) (batch, error)

// lastID is after every id.
var lastID = func() (last ID) {
	for i := range last {
		last[i] = 0xff
	}
	return last
}()

// stream reads batch after batch and sends them. There are two parts: one to
// write while the other is sent.
func (s *Store) stream(ctx context.Context, org account.ID, list *ListID, send func(part []byte) error, read reader) error {
	if list != nil {
		err := httpapi.Briefly(ctx, func(ctx context.Context) error {
			_, err := findList(ctx, s.db, org, *list, "")
			return err
		})
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	free, ready, ended := make(chan []byte, 2), make(chan []byte), make(chan error, 1)
	free <- nil
	free <- nil
	go func() {
		defer close(ready)
		ended <- fault.Survive(func() error { return readAll(ctx, read, free, ready) })
	}()
	for part := range ready {
		if err := send(part); err != nil {
			return err
		}
		free <- part[:0]
	}
	return <-ended
}

func readAll(ctx context.Context, read reader, free <-chan []byte, ready chan<- []byte) error {
	for from := (batchStart{lastID, fewContacts}); ; {
		var part []byte
		select {
		case part = <-free:
		case <-ctx.Done():
			return ctx.Err()
		}
		var got batch
		err := httpapi.Briefly(ctx, func(ctx context.Context) (err error) {
			got, err = read(ctx, from, part)
			return err
		})
		if err != nil {
			return err
		}
		select {
		case ready <- got.part:
		case <-ctx.Done():
			return ctx.Err()
		}
		if got.count < from.count {
			return nil
		}
		from = batchStart{got.last, fewContacts}
		if len(got.part)/got.count <= batchBytes/manyContacts {
			from.count = manyContacts
		}
	}
}

// next calls f for the contacts of a batch.
func (s *Store) next(ctx context.Context, org account.ID, list *ListID, from batchStart, columns string, f func(database.Row) error) error {
	text := fmt.Sprintf(`SELECT %s FROM contact c WHERE c.account_id = $1 AND c.id < $2 ORDER BY c.id DESC LIMIT %d`, columns, from.count)
	args := []any{org, from.last}
	if list != nil {
		text = contactsOf(s.db.Engine(), columns, fmt.Sprintf(`SELECT m.contact_id AS id FROM contact_list_member m
			WHERE m.account_id = $1 AND m.list_id = $3 AND m.contact_id < $2 ORDER BY m.contact_id DESC LIMIT %d`, from.count))
		args = append(args, *list)
	}
	if err := database.Each(ctx, s.db, f, text, args...); err != nil {
		return fmt.Errorf("read contacts: %w", err)
	}
	return nil
}
