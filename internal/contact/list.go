package contact

import (
	"context"
	"errors"
	"fmt"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// The bounds of a list's parts, in characters, and of an organization's lists.
const (
	ListNameMax        = 100
	ListDescriptionMax = 500
	ListsMax           = 10_000
)

var (
	errTooManyLists = fault.Invalid("too_many_lists", "An organization can have 10,000 lists. Delete one that is no longer needed first.")
	errNoList       = fault.NotFound("list_not_found", "There is no such list in this organization.")
	errUnknownList  = fault.Invalid("unknown_list", "One of the lists does not exist in this organization. Nothing was stored.",
		fault.Field{Location: "body.listIds", Message: "must be lists of this organization"})
)

// ListChange is a new list, or what changes about one.
type ListChange struct {
	Name        httpapi.Optional[string]
	Description httpapi.Optional[string]
}

// Lists returns all lists of an organization, newest first.
func (s *Store) Lists(ctx context.Context, org account.ID) ([]List, error) {
	lists, err := database.Collect(ctx, s.db, listOf, listsQuery+` ORDER BY l.id DESC`, org)
	if err != nil {
		return nil, fmt.Errorf("read lists: %w", err)
	}
	return lists, nil
}

const listsQuery = `SELECT l.id, l.name, l.description, l.created_at,
	(SELECT CAST(COALESCE(SUM(n.count), 0) AS BIGINT) FROM contact_count n WHERE n.account_id = l.account_id AND n.key = l.count_key)
	FROM contact_list l WHERE l.account_id = $1 AND l.deleted_at IS NULL`

func listOf(found database.Row) (List, error) {
	var l List
	err := found.Scan(&l.ID, &l.Name, &l.Description, &l.CreatedAt, &l.ContactCount)
	return l, err
}

func findList(ctx context.Context, q database.Querier, org account.ID, list ListID, locking string) (List, error) {
	found, err := listOf(q.QueryRow(ctx, listsQuery+` AND l.id = $2`+database.Locking(q.Engine(), locking), org, list))
	if errors.Is(err, database.ErrNoRows) {
		return List{}, errNoList
	}
	if err != nil {
		return List{}, fmt.Errorf("read list: %w", err)
	}
	return found, nil
}

// CreateList makes an empty list.
func (s *Store) CreateList(ctx context.Context, org account.ID, change ListChange) (List, error) {
	l := List{ID: id.New[List](), CreatedAt: s.clock.Now()}
	if err := change.applyTo(&l); err != nil {
		return List{}, err
	}
	n, err := s.db.Exec(ctx, `INSERT INTO contact_list (account_id, id, name, description, count_key, created_at)
		SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT COUNT(*) FROM contact_list WHERE account_id = $1 AND deleted_at IS NULL) < $7`,
		org, l.ID, l.Name, l.Description, countList+l.ID.String(), l.CreatedAt, ListsMax)
	if err != nil {
		return List{}, fmt.Errorf("insert list: %w", err)
	}
	if n == 0 {
		return List{}, errTooManyLists
	}
	return l, nil
}

// ChangeList changes a list's name or description.
func (s *Store) ChangeList(ctx context.Context, org account.ID, list ListID, change ListChange) (List, error) {
	var changed List
	err := s.db.InTx(ctx, func(tx database.Tx) error {
		var err error
		if changed, err = findList(ctx, tx, org, list, "FOR UPDATE OF l"); err != nil {
			return err
		}
		if err := change.applyTo(&changed); err != nil {
			return err
		}
		err = tx.Queue(ctx, `UPDATE contact_list SET name = $3, description = $4 WHERE account_id = $1 AND id = $2`,
			org, list, changed.Name, changed.Description)
		if err != nil {
			return fmt.Errorf("update list: %w", err)
		}
		return nil
	})
	return changed, err
}

func (change ListChange) applyTo(l *List) error {
	var c field.Checks
	if change.Name.Sent {
		l.Name = c.Text("body.name", change.Name.Value, 1, ListNameMax)
	}
	if change.Description.Sent {
		l.Description = database.OrNull(checkLines(&c, "body.description", change.Description.Value, ListDescriptionMax))
	}
	return c.Err()
}

// DeleteList takes a list away; its contacts stay. The memberships, which may
// be many, are swept afterwards.
func (s *Store) DeleteList(ctx context.Context, org account.ID, list ListID) error {
	n, err := s.db.Exec(ctx, `UPDATE contact_list SET deleted_at = $3 WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, org, list, s.clock.Now())
	if err != nil {
		return fmt.Errorf("delete list: %w", err)
	}
	if n == 0 {
		return errNoList
	}
	return nil
}

// AddToList puts contacts into a list and returns how many were not in it
// before. Ids of no active contact are passed over.
func (s *Store) AddToList(ctx context.Context, org account.ID, list ListID, contacts []ID) (added int64, err error) {
	return s.changeMembers(ctx, org, list, func(tx database.Tx) (int64, error) {
		among, set := idsIn(tx.Engine(), "id", 3, contacts)
		// The lock keeps a contact from going to the trash meanwhile.
		return tx.Exec(ctx, `INSERT INTO contact_list_member (account_id, list_id, contact_id)
			SELECT account_id, $2, id FROM (
				SELECT account_id, id FROM contact WHERE account_id = $1 AND `+among+`
				ORDER BY id`+database.Locking(tx.Engine(), "FOR KEY SHARE")+`) c
			WHERE true ON CONFLICT DO NOTHING`, org, list, set)
	})
}

// RemoveFromList takes contacts out of a list and returns how many were in it.
func (s *Store) RemoveFromList(ctx context.Context, org account.ID, list ListID, contacts []ID) (removed int64, err error) {
	removed, err = s.changeMembers(ctx, org, list, func(tx database.Tx) (int64, error) {
		among, set := idsIn(tx.Engine(), "contact_id", 3, contacts)
		n, err := tx.Exec(ctx, `DELETE FROM contact_list_member WHERE account_id = $1 AND list_id = $2 AND contact_id IN (
			SELECT contact_id FROM contact_list_member
			WHERE account_id = $1 AND list_id = $2 AND `+among+`
			ORDER BY contact_id`+database.Locking(tx.Engine(), "FOR UPDATE")+`)`, org, list, set)
		return -n, err
	})
	return -removed, err
}

// changeMembers runs a change of a list's members and counts what it did.
func (s *Store) changeMembers(ctx context.Context, org account.ID, list ListID, change func(database.Tx) (int64, error)) (n int64, err error) {
	err = s.db.InTx(ctx, func(tx database.Tx) error {
		if _, err := findList(ctx, tx, org, list, "FOR SHARE OF l"); err != nil {
			return err
		}
		if n, err = change(tx); err != nil {
			return fmt.Errorf("change members: %w", err)
		}
		counted := changes{}
		counted.list(list, n)
		return counted.apply(ctx, tx, org)
	})
	return n, err
}

// lockLists makes sure that lists exist, and go on to until the transaction
// ends.
func lockLists(ctx context.Context, tx database.Tx, org account.ID, lists []ListID) error {
	found, err := shareLists(ctx, tx, org, lists)
	if err == nil && len(found) != len(lists) {
		return errUnknownList
	}
	return err
}

// shareLists returns those of the lists that exist, and keeps them until the
// transaction ends.
func shareLists(ctx context.Context, tx database.Tx, org account.ID, lists []ListID) ([]ListID, error) {
	if len(lists) == 0 {
		return nil, nil
	}
	among, set := idsIn(tx.Engine(), "id", 2, lists)
	found, err := database.Collect(ctx, tx, database.Column[ListID], `SELECT id FROM contact_list
		WHERE account_id = $1 AND deleted_at IS NULL AND `+among+` ORDER BY id`+database.Locking(tx.Engine(), "FOR SHARE"), org, set)
	if err != nil {
		return nil, fmt.Errorf("lock lists: %w", err)
	}
	return found, nil
}
