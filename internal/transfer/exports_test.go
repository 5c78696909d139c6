package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/server/servertest"
)

func export(s *servertest.Server, access, query string) servertest.Answer {
	s.T.Helper()
	return s.Want(s.Call("GET", "/api/v1/contacts/export"+query, access, nil), 200)
}

func TestExportIsTheFileThatTheImportTakes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		if got := export(s, owner.Access, ""); string(got.Body) != head {
			t.Errorf("export of nothing: %q", got.Body)
		}
		list := newList(t, s, owner.Access)
		countsOf(t, send(t, s, owner.Access, fileOf(head+"Old,One,+254712345670,,,\n")))
		countsOf(t, send(t, s, owner.Access, []part{{"listId", "", list}, {"file", "x.csv", head + "Asha,Juma,254712345678,asha@example.com,vip; kenya,\"a, b\"\n"}}))
		answer := export(s, owner.Access, "")
		want := head + "Asha,Juma,+254712345678,asha@example.com,vip;kenya,\"a, b\"\nOld,One,+254712345670,,,\n"
		if string(answer.Body) != want {
			t.Errorf("got\n%s want\n%s", answer.Body, want)
		}
		if answer.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("type %s", answer.Header.Get("Content-Type"))
		}
		day := s.Clock.Now().Std().Format("2006-01")
		name := answer.Header.Get("Content-Disposition")
		if !strings.HasPrefix(name, `attachment; filename="contacts-org-of-user`) || !strings.Contains(name, day) || !strings.Contains(name, "filename*=UTF-8''contacts%20Org%20of%20user") {
			t.Errorf("name %s", name)
		}
		if got := export(s, owner.Access, "?listId="+list); strings.Count(string(got.Body), "\n") != 2 {
			t.Errorf("list: %s", got.Body)
		}
		s.Want(s.Call("GET", "/api/v1/contacts/export?listId=01980d5e-7c1a-7000-8000-5b1f0c8e2a11", owner.Access, nil), 422)
		s.Want(s.Call("GET", "/api/v1/contacts/export-data?listId="+newList(t, s, s.Owner().Access), owner.Access, nil), 422)
		s.Want(s.Call("GET", "/api/v1/contacts/export?listId=x", owner.Access, nil), 422)
		history := string(s.Want(s.Call("GET", "/api/v1/accounts/me/audit", owner.Access, nil), 200).Body)
		if strings.Count(history, "contacts.exported") != 3 {
			t.Errorf("history: %s", history)
		}
	})
}

func TestListWhoseIDIsAllZerosIsUnknownLikeAnyOther(t *testing.T) {
	const zeros = "00000000-0000-0000-0000-000000000000"
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		countsOf(t, send(t, s, owner.Access, fileOf(numbers(0, 3))))
		for query, want := range map[string]int64{"&listId=" + zeros: 0, "&listId=": 3, "&listId=" + newList(t, s, owner.Access): 0, "": 3} {
			if got := total(t, s, owner.Access, query); got != want {
				t.Errorf("%s: %d contacts, want %d", query, got, want)
			}
		}
		for _, path := range []string{"/export", "/export-data"} {
			s.Want(s.Call("GET", "/api/v1/contacts"+path+"?listId="+zeros, owner.Access, nil), 422)
			s.Want(s.Call("GET", "/api/v1/contacts"+path+"?listId=", owner.Access, nil), 200)
		}
	})
}

func TestExportImportExportIsByteIdentical(t *testing.T) {
	text := rapid.OneOf(
		rapid.SampledFrom([]string{"", "=1+1", "+x", "-y", "@z", "'", "'=1", "''+", "a;b", "a,b", "\"q\"", "two\nlines", " padded ", "\tx", "Zoë", "علي", "NULL", "0712"}),
		rapid.StringN(0, 20, 60),
	)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		here := s.Owner()
		number := 0
		rapid.Check(t, func(rt *rapid.T) {
			type contact struct {
				Phone     string   `json:"phone"`
				FirstName string   `json:"firstName"`
				LastName  string   `json:"lastName"`
				Notes     string   `json:"notes"`
				Tags      []string `json:"tags"`
			}
			var contacts []contact
			for range rapid.IntRange(0, 8).Draw(rt, "n") {
				number++
				contacts = append(contacts, contact{
					fmt.Sprintf("+2547%08d", number), text.Draw(rt, "first"), text.Draw(rt, "last"), text.Draw(rt, "notes"),
					rapid.SliceOfN(text, 0, 3).Draw(rt, "tags"),
				})
			}
			body, err := json.Marshal(map[string]any{"contacts": contacts})
			if err != nil {
				rt.Fatal(err)
			}
			if len(contacts) > 0 {
				countsOf(t, bulk(s, here.Access, string(body)))
			}
			first := export(s, here.Access, "").Body
			there := newOrganization(s, here)
			countsOf(t, send(t, s, there, fileOf(string(first))))
			if again := export(s, there, "").Body; !bytes.Equal(first, again) {
				rt.Fatalf("exported\n%q\nthen\n%q", first, again)
			}
		})
	})
}

// newOrganization makes an empty one and returns an access token for it.
func newOrganization(s *servertest.Server, owner servertest.Customer) string {
	s.T.Helper()
	made := s.Want(s.Call("POST", "/api/v1/accounts", owner.Access, map[string]any{"name": servertest.Email()}), 201)
	return fmt.Sprint(made.JSON(s.T)["accessToken"])
}

func TestExportDataIsWhatTheListOfContactsShows(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		if got := s.Want(s.Call("GET", "/api/v1/contacts/export-data", owner.Access, nil), 200); strings.TrimSpace(string(got.Body)) != "[]" {
			t.Errorf("export of nothing: %q", got.Body)
		}
		list := newList(t, s, owner.Access)
		countsOf(t, send(t, s, owner.Access, []part{{"listId", "", list}, {"file", "x.csv", numbers(0, 30)}}))
		countsOf(t, send(t, s, owner.Access, fileOf(numbers(30, 30))))
		exported := s.Want(s.Call("GET", "/api/v1/contacts/export-data", owner.Access, nil), 200)
		if exported.Header.Get("Content-Type") != "application/json" {
			t.Errorf("type %s", exported.Header.Get("Content-Type"))
		}
		shown := s.Want(s.Call("GET", "/api/v1/contacts?pageSize=100", owner.Access, nil), 200).JSON(t)["contacts"]
		if a, b := fmt.Sprint(exported.Array(t)), fmt.Sprint(shown); len(exported.Array(t)) != 60 || a != b {
			t.Errorf("exported\n%s\nshown\n%s", a, b)
		}
		if got := s.Want(s.Call("GET", "/api/v1/contacts/export-data?listId="+list, owner.Access, nil), 200).Array(t); len(got) != 30 {
			t.Errorf("list: %d", len(got))
		}
	})
}

func TestExportWhileContactsChangeShowsEachAtMostOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		countsOf(t, send(t, s, owner.Access, fileOf(numbers(0, 9000))))
		undone := send(t, s, owner.Access, fileOf(numbers(9000, 1000)))
		countsOf(t, undone)
		var changes sync.WaitGroup
		changes.Go(func() { send(t, s, owner.Access, fileOf(numbers(20_000, 4000))) })
		changes.Go(func() { s.Call("DELETE", undone.Header.Get("Location")+"/contacts", owner.Access, nil) })
		for range 3 {
			seen := map[string]bool{}
			for _, row := range rowsAt(t, s, owner.Access, "/api/v1/contacts/export") {
				if seen[row[2]] || len(row) != 6 {
					t.Fatalf("twice or broken: %q", row)
				}
				seen[row[2]] = true
			}
			for i := range 9000 {
				if number := fmt.Sprintf("+2547%08d", i); !seen[number] {
					t.Fatalf("%s, which nobody touched, is missing", number)
				}
			}
		}
		changes.Wait()
	})
}

func TestExportThatBreaksOffDoesNotLookComplete(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for i := range 4 {
			countsOf(t, send(t, s, owner.Access, fileOf(numbers(i*20_000, 20_000))))
		}
		for _, path := range []string{"export", "export-data"} {
			request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL+"/api/v1/contacts/"+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+owner.Access)
			request.Header.Set("Accept-Encoding", "identity")
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			// The receiver is slow; meanwhile the table goes away.
			if _, err := io.ReadFull(response.Body, make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
			if _, err := s.DB.Exec(t.Context(), `ALTER TABLE contact RENAME TO elsewhere`); err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if err == nil {
				t.Errorf("%s ended as if it were complete", path)
			}
			if _, err := s.DB.Exec(t.Context(), `ALTER TABLE elsewhere RENAME TO contact`); err != nil {
				t.Fatal(err)
			}
		}
	})
}
