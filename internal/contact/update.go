package contact

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/phone"
)

// Change is what to change about a contact: only what was sent. Null clears
// what is optional.
type Change struct {
	Phone      httpapi.Optional[string]
	FirstName  httpapi.Optional[string]
	LastName   httpapi.Optional[string]
	Email      httpapi.Optional[string]
	Tags       httpapi.Optional[[]string]
	Notes      httpapi.Optional[string]
	IsOptedOut httpapi.Optional[bool]
	// ListIDs replaces the full set of memberships.
	ListIDs httpapi.Optional[[]ListID]
}

// applyTo makes the changes to a row that are the contact's own.
func (ch Change) applyTo(r *row) error {
	var (
		c   field.Checks
		bad error
	)
	if ch.FirstName.Sent {
		r.FirstName = c.Text("body.firstName", ch.FirstName.Value, 0, NameMax)
	}
	if ch.LastName.Sent {
		r.LastName = c.Text("body.lastName", ch.LastName.Value, 0, NameMax)
	}
	if ch.Email.Sent {
		r.Email = checkEmail(&c, ch.Email.Value)
	}
	if ch.Notes.Sent {
		r.Notes = checkNotes(&c, ch.Notes.Value)
	}
	if ch.Tags.Sent {
		r.Tags = JoinTags(checkTags(&c, "body.tags", ch.Tags.Value))
	}
	if ch.IsOptedOut.Sent && ch.IsOptedOut.Null {
		c.Fail("body.isOptedOut", "must be true or false")
	}
	if ch.Phone.Sent {
		r.Phone, bad = phone.Parse(ch.Phone.Value)
	}
	return withPhone(&c, bad)
}

// Update changes an active contact.
func (s *Store) Update(ctx context.Context, org account.ID, contact ID, ch Change) (Contact, error) {
	var after row
	err := s.db.InTx(ctx, func(tx database.Tx) error {
		wanted := distinct(ch.ListIDs.Value)
		if err := lockLists(ctx, tx, org, wanted); err != nil {
			return err
		}
		before, err := lockRow(ctx, tx, org, contact)
		if err != nil {
			return err
		}
		after = *before
		after.updated = s.clock.Now()
		if err := ch.applyTo(&after); err != nil {
			return err
		}
		if err := s.settleOptOut(ctx, tx, org, before, &after, ch.IsOptedOut); err != nil {
			return err
		}
		if ch.ListIDs.Sent {
			after.lists = wanted
		}
		return s.replace(ctx, tx, org, before, &after)
	})
	if errors.Is(err, database.ErrUnique) {
		err = errExists
	}
	return after.contact(), err
}

// lockRow reads a contact with its lists and holds it.
func lockRow(ctx context.Context, tx database.Tx, org account.ID, contact ID) (*row, error) {
	r, err := rowOf(tx.QueryRow(ctx, `SELECT `+storedColumns+` FROM contact c WHERE c.account_id = $1 AND c.id = $2`+database.Locking(tx.Engine(), "FOR UPDATE"), org, contact))
	if errors.Is(err, database.ErrNoRows) {
		return nil, errNoContact
	}
	if err != nil {
		return nil, fmt.Errorf("lock contact: %w", err)
	}
	err = eachMembership(ctx, tx, org, []ID{contact}, func(_ ID, list ListID) { r.lists = append(r.lists, list) })
	return r, err
}

// settleOptOut decides whether the contact is opted out and keeps the memory of
// its number in step. A new number does not bring an opted-out person back:
// only saying so does.
func (s *Store) settleOptOut(ctx context.Context, tx database.Tx, org account.ID, before, after *row, said httpapi.Optional[bool]) error {
	if said.Sent {
		after.optedOut = said.Value
	} else if after.Phone != before.Phone && !before.optedOut {
		if err := markOptedOut(ctx, tx, org, []*row{after}); err != nil {
			return err
		}
	}
	if after.optedOut == before.optedOut && after.Phone == before.Phone {
		return nil
	}
	text, args := `DELETE FROM contact_opt_out WHERE account_id = $1 AND phone = $2`, []any{org, int64(after.Phone)}
	if after.optedOut {
		text = `INSERT INTO contact_opt_out (account_id, phone, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
		args = append(args, after.updated)
	}
	if err := tx.Queue(ctx, text, args...); err != nil {
		return fmt.Errorf("remember opt-out: %w", err)
	}
	return nil
}

// replace stores a changed row with all that hangs on it.
func (s *Store) replace(ctx context.Context, tx database.Tx, org account.ID, before, after *row) error {
	after.network = networkOf(after.Phone)
	shared := newShared()
	nameKey, tagsKey := shared.refer(org, after)
	if err := shared.store(ctx, tx, org, s.known); err != nil {
		return err
	}
	old := foldedName(before.FirstName, before.LastName)
	if old != foldedName(after.FirstName, after.LastName) {
		if err := suspect(ctx, tx, org, after.updated, []string{old}); err != nil {
			return err
		}
	}
	err := tx.Queue(ctx, `UPDATE contact SET phone = $3, phone_tail = $4, name_key = $5, tags_key = $6, created_at = $7, updated_at = $8,
		import_id = $9, is_opted_out = $10, status = $11, invalid_reason = $12, country = $13, operator = $14,
		first_name = $15, last_name = $16, email = $17, tags = $18, notes = $19
		WHERE account_id = $1 AND id = $2`, after.values(org, nameKey, tagsKey)...)
	if err != nil {
		return fmt.Errorf("update contact: %w", err)
	}
	counted := changes{}
	counted.contact(before, -1)
	counted.contact(after, 1)
	if err := changeLists(ctx, tx, org, before, after, counted); err != nil {
		return err
	}
	return counted.apply(ctx, tx, org)
}

// changeLists makes the memberships those of the changed row.
func changeLists(ctx context.Context, tx database.Tx, org account.ID, before, after *row, counted changes) error {
	var left []ListID
	for _, list := range before.lists {
		if !slices.Contains(after.lists, list) {
			left = append(left, list)
		}
	}
	var joined [][]any
	for _, list := range after.lists {
		if !slices.Contains(before.lists, list) {
			joined = append(joined, []any{org, list, after.id})
			counted.list(list, 1)
		}
	}
	if len(left) > 0 {
		// Someone may have taken the contact out of a list just now: only what
		// is deleted here counts here.
		among, set := idsIn(tx.Engine(), "list_id", 3, left)
		gone, err := database.Collect(ctx, tx, database.Column[ListID], `DELETE FROM contact_list_member
			WHERE account_id = $1 AND contact_id = $2 AND `+among+` RETURNING list_id`, org, after.id, set)
		if err != nil {
			return fmt.Errorf("leave lists: %w", err)
		}
		for _, list := range gone {
			counted.list(list, -1)
		}
	}
	if len(joined) > 0 {
		if _, err := tx.Copy(ctx, "contact_list_member", []string{"account_id", "list_id", "contact_id"}, joined); err != nil {
			return fmt.Errorf("join lists: %w", err)
		}
	}
	return nil
}
