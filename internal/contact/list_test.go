package contact_test

import (
	"testing"

	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
)

func TestListsAreBounded(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		first := f.list("First")
		rows := make([][]any, contact.ListsMax-1)
		for i := range rows {
			rows[i] = []any{f.org, id.New[contact.List](), "Another", "", int64(f.clock.Now())}
		}
		f.must(db.InTx(t.Context(), func(tx database.Tx) error {
			_, err := tx.Copy(t.Context(), "contact_list", []string{"account_id", "id", "name", "count_key", "created_at"}, rows)
			return err
		}))
		one := contact.ListChange{Name: sent("One more")}
		_, err := f.store.CreateList(t.Context(), f.org, one)
		wantFault(t, err, "too_many_lists")
		f.elsewhere(t).list("Elsewhere")
		f.must(f.store.DeleteList(t.Context(), f.org, first))
		_, err = f.store.CreateList(t.Context(), f.org, one)
		f.must(err)
	})
}
