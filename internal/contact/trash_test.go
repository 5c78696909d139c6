package contact_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/server/servertest"
)

func TestTrashRestoreAndPurge(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		list := createList(s, owner, "Customers")
		made := createContact(s, owner, object{"phone": "+254712345678", "firstName": "Asha", "tags": []string{"vip"}, "listIds": []string{list}})
		id := made["id"].(string)
		path := contactsPath + "/" + id
		contactCount := func() any { return s.Call("GET", listsPath, owner.Access, nil).Array(t)[0]["contactCount"] }
		call := func(method, path string, ids ...any) object {
			t.Helper()
			return s.Want(s.Call(method, contactsPath+path, owner.Access, object{"ids": ids}), 200).JSON(t)
		}
		if body := s.Want(s.Call("GET", contactsPath+"/trash", owner.Access, nil), 200).Body; strings.TrimSpace(string(body)) != "[]" {
			t.Errorf("empty trash: %s", body)
		}
		s.Want(s.Call("DELETE", path, owner.Access, nil), 204)
		s.Want(s.Call("DELETE", path, owner.Access, nil), 404)
		s.Want(s.Call("GET", path, owner.Access, nil), 404)
		s.Want(s.Call("PATCH", path, owner.Access, object{"firstName": "x"}), 404)
		if page := s.Call("GET", contactsPath, owner.Access, nil).JSON(t); page["total"] != 0.0 || contactCount() != 0.0 {
			t.Errorf("a trashed contact is counted: %v, %v", page["total"], contactCount())
		}
		trash := s.Want(s.Call("GET", contactsPath+"/trash", owner.Access, nil), 200)
		thrown := trash.Array(t)[0]
		if keysOf(thrown) != strings.Replace(contactKeys, "createdAt", "createdAt deletedAt", 1) || trash.Header.Get("X-Total-Count") != "1" {
			t.Errorf("in the trash: %v", thrown)
		}
		if fmt.Sprint(thrown["listIds"], thrown["tags"], thrown["firstName"]) != fmt.Sprint([]any{list}, []any{"vip"}, "Asha") {
			t.Errorf("in the trash: %v", thrown)
		}
		if added := s.Want(s.Call("POST", listsPath+"/"+list+"/contacts", owner.Access, object{"contactIds": []string{id}}), 200).JSON(t); added["added"] != 0.0 {
			t.Errorf("a trashed contact was put into a list")
		}
		if got := call("POST", "/trash/restore", id, id, nobody); got["restored"] != 1.0 {
			t.Errorf("restored %v", got)
		}
		if got := call("POST", "/trash/restore", id); got["restored"] != 0.0 {
			t.Errorf("restored again: %v", got)
		}
		found := s.Want(s.Call("GET", path, owner.Access, nil), 200).JSON(t)
		if fmt.Sprint(found["listIds"]) != fmt.Sprint([]any{list}) || found["createdAt"] != made["createdAt"] || contactCount() != 1.0 {
			t.Errorf("restored: %v, count %v", found, contactCount())
		}
		if got := call("DELETE", "/trash", id); got["purged"] != 0.0 {
			t.Errorf("an active contact was purged: %v", got)
		}
		if got := call("POST", "/bulk-delete", id, id, nobody); got["deleted"] != 1.0 {
			t.Errorf("deleted %v", got)
		}
		if got := call("DELETE", "/trash", id, id, nobody); got["purged"] != 1.0 {
			t.Errorf("purged %v", got)
		}
		if got := call("POST", "/trash/restore", id); got["restored"] != 0.0 {
			t.Errorf("restored after a purge: %v", got)
		}
		if trash := s.Call("GET", contactsPath+"/trash", owner.Access, nil).Array(t); len(trash) != 0 {
			t.Errorf("trash after a purge: %v", trash)
		}
		for _, body := range []any{nil, object{}, object{"ids": nil}, object{"ids": []string{"x"}}} {
			s.Want(s.Call("POST", contactsPath+"/bulk-delete", owner.Access, body), 422)
			s.Want(s.Call("POST", contactsPath+"/trash/restore", owner.Access, body), 422)
			s.Want(s.Call("DELETE", contactsPath+"/trash", owner.Access, body), 422)
		}
	})
}

func TestRestoredPhoneMustBeFree(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		first := f.create(number(1), "First")
		f.trash(first.ID)
		f.clock.Advance(time.Minute)
		second := f.create(number(1), "Second")
		if n := f.restore(first.ID); n != 0 {
			t.Errorf("restored %d although the number is taken", n)
		}
		f.trash(second.ID)
		if n := f.restore(first.ID, second.ID); n != 1 {
			t.Errorf("restored %d of two with one number", n)
		}
		if found, _ := f.page(contact.Filter{}, 1, 10); len(found) != 1 || nameOf(found[0]) != "Second" {
			t.Errorf("of two with one number came back: %s", numbersOf(found))
		}
	})
}

func TestRestoreSkipsListsThatAreGone(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		kept, gone := f.list("Kept"), f.list("Gone")
		c := f.create(number(1), "Asha", kept, gone)
		f.trash(c.ID)
		f.must(f.store.DeleteList(t.Context(), f.org, gone))
		trashed, _, err := f.store.Trashed(t.Context(), f.org, httpapi.Page{Number: 1, Size: 10})
		f.must(err)
		if len(trashed) != 1 || fmt.Sprint(trashed[0].ListIDs) != fmt.Sprint([]contact.ListID{kept}) {
			t.Errorf("trash: %+v", trashed)
		}
		f.restore(c.ID)
		found, err := f.store.Find(t.Context(), f.org, c.ID)
		f.must(err)
		if fmt.Sprint(found.ListIDs) != fmt.Sprint([]contact.ListID{kept}) || f.contactCount(kept) != 1 {
			t.Errorf("restored into %v", found.ListIDs)
		}
	})
}

func TestTrashIsKeptFor90Days(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		old := f.create(number(1), "Old")
		f.trash(old.ID)
		f.clock.Advance(contact.Retention - time.Hour)
		recent := f.create(number(2), "Recent")
		f.trash(recent.ID)
		f.must(f.store.EmptyTrash(t.Context()))
		if got := f.trashed(); got != 2 {
			t.Errorf("%d in the trash an hour before the time, want 2", got)
		}
		f.clock.Advance(time.Hour)
		// Also before the job has run, what is too old is gone.
		if n := f.restore(old.ID); n != 0 || f.trashed() != 1 {
			t.Errorf("restored %d after 90 days, %d in the trash", n, f.trashed())
		}
		f.must(f.store.EmptyTrash(t.Context()))
		var stored int
		f.must(db.QueryRow(t.Context(), `SELECT COUNT(*) FROM contact_trash`).Scan(&stored))
		if stored != 1 {
			t.Errorf("the job left %d, want 1", stored)
		}
		if n := f.restore(recent.ID); n != 1 {
			t.Errorf("restored %d, want the recent one", n)
		}
	})
}

func TestTrashComesInPagesLastDeletedFirst(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		var want []contact.ID
		for i := range 5 {
			c := f.create(number(i), "Asha")
			f.trash(c.ID)
			f.clock.Advance(time.Second)
			want = append([]contact.ID{c.ID}, want...)
		}
		var got []contact.ID
		for page := range 3 {
			found, total, err := f.store.Trashed(t.Context(), f.org, httpapi.Page{Number: page + 1, Size: 2})
			f.must(err)
			if total != 5 {
				t.Errorf("total %d", total)
			}
			got = append(got, idsOf(found)...)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestPurgeLeavesATrail(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		id := createContact(s, owner, object{"phone": "+254712345678"})["id"]
		s.Want(s.Call("POST", contactsPath+"/bulk-delete", owner.Access, object{"ids": []any{id}}), 200)
		s.Want(s.Call("DELETE", contactsPath+"/trash", owner.Access, object{"ids": []any{id}}), 200)
		var actor, target string
		err := s.DB.QueryRow(t.Context(), `SELECT actor, target FROM audit WHERE action = 'contacts.purged'`).Scan(&actor, &target)
		if err != nil || actor != owner.Email || target != "1 contacts" {
			t.Errorf("trail: %q %q %v", actor, target, err)
		}
	})
}

func (f *fixture) trash(ids ...contact.ID) int64 {
	f.t.Helper()
	n, err := f.store.Trash(f.test.Context(), f.org, ids)
	f.must(err)
	return n
}

func (f *fixture) restore(ids ...contact.ID) int64 {
	f.t.Helper()
	n, err := f.store.Restore(f.test.Context(), f.org, ids)
	f.must(err)
	return n
}

func (f *fixture) trashed() int {
	f.t.Helper()
	found, total, err := f.store.Trashed(f.test.Context(), f.org, httpapi.Page{Number: 1, Size: 1000})
	f.must(err)
	if int64(len(found)) != total {
		f.t.Fatalf("%d in the trash, total %d", len(found), total)
	}
	return len(found)
}
