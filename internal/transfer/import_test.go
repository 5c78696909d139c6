package transfer_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/phone"
	"ujumbe/internal/server/servertest"
	"ujumbe/internal/transfer/sheet"
)

func TestImportCountsWhatItStored(t *testing.T) {
	for name, row := range map[string]struct {
		file    string
		want    counts
		reasons []string
	}{
		"valid and invalid": {head + "Asha,Juma,+254712345678,asha@example.com,vip;kenya,hi\nBrit,Ton,+447911123456,,,\n", counts{2, 1, 1, 0}, nil},
		"same number twice": {head + "A,,0712 345,,,\nA,,+254712345678,,,\nB,,254712345678,,,\n", counts{1, 1, 0, 2}, []string{"phone_leading_zero", "duplicate_in_file"}},
		"unreadable numbers": {head + "A,,,,,\nB,,abc,,,\nC,,12345,,,\nD,,2.54713E+11,,,\nE,,+254712345,,,\n", counts{0, 0, 0, 5},
			[]string{"phone_no_digits", "phone_no_digits", "phone_too_short", "rounded_number", "phone_impossible_length"}},
		"only a head":        {head, counts{}, nil},
		"phones only":        {"Phone\r\n254712345678\r\n\r\n254712345679\r\n", counts{2, 2, 0, 0}, nil},
		"semicolons and BOM": {"\ufeffNOTES;Phone;First-Name\nx;+254712345678;Asha\n", counts{1, 1, 0, 0}, nil},
		"workbook": {workbook(t, []any{"phone", "first_name"}, []any{254712345678, "Asha"}, []any{"+254712345679", "Juma"}, []any{254712345678, "Again"}),
			counts{2, 2, 0, 1}, []string{"duplicate_in_file"}},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				owner := s.Owner()
				answer := send(t, s, owner.Access, fileOf(row.file))
				if got := countsOf(t, answer); got != row.want {
					t.Errorf("%+v, want %+v", got, row.want)
				}
				if got := total(t, s, owner.Access, ""); got != row.want.Imported {
					t.Errorf("%d contacts stored, want %d", got, row.want.Imported)
				}
				r := recordAt(t, s, owner.Access, answer)
				if r.Status != "completed" || r.Imported != row.want.Imported || r.Skipped != row.want.Skipped || r.BytesRead != int64(len(row.file)) || r.FinishedAt == nil || r.User != owner.Email {
					t.Errorf("record: %+v", r)
				}
				rejects := rowsAt(t, s, owner.Access, answer.Header.Get("Location")+"/rejects")
				if len(rejects) != len(row.reasons) {
					t.Fatalf("rejects %v, want %v", rejects, row.reasons)
				}
				for i, reason := range row.reasons {
					if rejects[i][1] != reason {
						t.Errorf("reject %v, want %s", rejects[i], reason)
					}
				}
			})
		})
	}
}

func TestListMayStandBeforeOrBehindTheFile(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		list := newList(t, s, owner.Access)
		before := []part{{"listId", "", list}, {"file", "a.csv", numbers(0, 10)}}
		behind := []part{{"file", "b.csv", numbers(5, 10)}, {"other", "", "x"}, {"listId", "", list}}
		if got := countsOf(t, send(t, s, owner.Access, before)); got != (counts{10, 10, 0, 0}) {
			t.Errorf("list before: %+v", got)
		}
		if got := countsOf(t, send(t, s, owner.Access, behind)); got != (counts{5, 5, 0, 5}) {
			t.Errorf("list behind: %+v", got)
		}
		countsOf(t, send(t, s, owner.Access, []part{{"file", "c.csv", numbers(100, 3)}, {"listId", "", ""}}))
		if n := contactCount(t, s, owner.Access, list); n != 15 || total(t, s, owner.Access, "&listId="+list) != 15 || total(t, s, owner.Access, "") != 18 {
			t.Errorf("contactCount %d", n)
		}
	})
}

func TestImportNeverChangesAContactOrAnOptOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		made := s.Want(s.Call("POST", "/api/v1/contacts", owner.Access, map[string]any{"phone": "+254712345678", "firstName": "Asha"}), 201).JSON(t)
		path := "/api/v1/contacts/" + made["id"].(string)
		s.Want(s.Call("PATCH", path, owner.Access, map[string]any{"isOptedOut": true}), 200)
		before := s.Want(s.Call("GET", path, owner.Access, nil), 200).Body
		file := fileOf(head + "Other,Name,254 712 345 678,other@example.com,new,changed\n")
		if got := countsOf(t, send(t, s, owner.Access, file)); got != (counts{0, 0, 0, 1}) {
			t.Errorf("existing contact: %+v", got)
		}
		if after := s.Want(s.Call("GET", path, owner.Access, nil), 200).Body; !bytes.Equal(before, after) {
			t.Errorf("changed from %s to %s", before, after)
		}
		s.Want(s.Call("DELETE", path, owner.Access, nil), 204)
		if got := countsOf(t, send(t, s, owner.Access, file)); got != (counts{1, 1, 0, 0}) {
			t.Errorf("trashed contact: %+v", got)
		}
		if n := total(t, s, owner.Access, "&isOptedOut=true"); n != 1 {
			t.Error("a number that had opted out came back without it")
		}
	})
}

func TestCellThatCantBeKeptIsLeftOutAndNoted(t *testing.T) {
	long := strings.Repeat("x", 3000)
	file := head +
		"Asha,Juma,+254712345601,not an address,vip,fine\n" +
		"\"Two\nlines\",Juma,+254712345602,,,\n" +
		long + ",Juma,+254712345603,,a;" + long[:60] + ",\"line 1\nline 2\"\n" +
		"Asha,Juma,+254712345604,,," + long + "\n" +
		"Asha,Juma,+254712345601,bad again,,\n"
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		answer := send(t, s, owner.Access, fileOf(file))
		if got := countsOf(t, answer); got != (counts{4, 4, 0, 1}) {
			t.Errorf("%+v", got)
		}
		record := recordAt(t, s, owner.Access, answer)
		rows := rowsAt(t, s, owner.Access, answer.Header.Get("Location")+"/amended")
		if record.Amended != 3 || len(rows) != 3 {
			t.Fatalf("amended %d: %v", record.Amended, rows)
		}
		for i, want := range []struct{ number, reason, last string }{
			{"2", "invalid_email", "fine"}, {"4", "invalid_first_name;invalid_tags", "line 1\nline 2"}, {"5", "invalid_notes", long},
		} {
			if row := rows[i]; row[0] != want.number || row[1] != want.reason || row[7] != want.last {
				t.Errorf("row %d: %.80q, want %v", i, row, want)
			}
		}
		var names []any
		for _, c := range s.Want(s.Call("GET", "/api/v1/contacts", owner.Access, nil), 200).JSON(t)["contacts"].([]any) {
			names = append(names, c.(map[string]any)["firstName"])
		}
		if got := fmt.Sprint(names); got != "[Asha Two lines <nil> Asha]" {
			t.Errorf("names %s", got)
		}
	})
}

func TestRejectsShowTheRowAsItCameAndRunNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		answer := send(t, s, owner.Access, fileOf("Shop;Phone;=cmd\n=1+1;=HYPERLINK(\"x\");@x\n\"a \"\"quoted\"\"\";12;y\n"))
		countsOf(t, answer)
		got := string(s.Want(s.Call("GET", answer.Header.Get("Location")+"/rejects", owner.Access, nil), 200).Body)
		want := "row,reason,Shop,Phone,'=cmd\n2,phone_no_digits,'=1+1,\"'=HYPERLINK(\"\"x\"\")\",'@x\n3,phone_too_short,\"a \"\"quoted\"\"\",12,y\n"
		if got != want {
			t.Errorf("got\n%s want\n%s", got, want)
		}
	})
}

func TestSameFileTwiceAtOnceIsStoredOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		const n, times = 6000, 3
		owner := s.Owner()
		list := newList(t, s, owner.Access)
		answers := make([]servertest.Answer, times)
		var clients sync.WaitGroup
		for i := range answers {
			clients.Go(func() {
				answers[i] = send(t, s, owner.Access, []part{{"file", "a.csv", numbers(0, n)}, {"listId", "", list}})
			})
		}
		clients.Wait()
		var sum counts
		for _, a := range answers {
			c := countsOf(t, a)
			if c.Imported+c.Skipped != n {
				t.Errorf("%+v does not add up to %d", c, n)
			}
			sum.Imported += c.Imported
			sum.Skipped += c.Skipped
		}
		if sum.Imported != n || sum.Skipped != (times-1)*n {
			t.Errorf("together %+v", sum)
		}
		if total(t, s, owner.Access, "") != n || contactCount(t, s, owner.Access, list) != n || total(t, s, owner.Access, "&listId="+list) != n {
			t.Error("contacts, list and count differ")
		}
	})
}

func TestFirstOfTwoRowsWinsWhateverChunkTheyAreIn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		file := head + "First,,+254711000000,,,\n" + strings.TrimPrefix(numbers(0, 12_000), head) + "Second,,+254711000000,,,\n"
		if got := countsOf(t, send(t, s, owner.Access, fileOf(file))); got != (counts{12_001, 12_001, 0, 1}) {
			t.Errorf("%+v", got)
		}
		found := s.Want(s.Call("GET", "/api/v1/contacts?search=254711000000", owner.Access, nil), 200).JSON(t)["contacts"].([]any)
		if len(found) != 1 || found[0].(map[string]any)["firstName"] != "First" {
			t.Errorf("%v", found)
		}
	})
}

func TestRandomFilesCountWhatTheyStore(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		stored := map[phone.Number]bool{}
		cell := rapid.OneOf(
			rapid.StringMatching(`\+?2547000000[0-9]{2}`), rapid.StringMatching(`00447911 ?1234[0-9]{2}`),
			rapid.StringMatching(`[0-9 ()+-]{0,18}`), rapid.SampledFrom([]string{"", "n/a", "=1", "2.54713E+11", "'+254700000001"}),
		)
		rapid.Check(t, func(rt *rapid.T) {
			cells := rapid.SliceOfN(cell, 0, 40).Draw(rt, "phones")
			file := "phone,first_name\n"
			var want counts
			for _, raw := range cells {
				file += raw + ",x\n"
				number, err := phone.Parse(sheet.Unguard(strings.TrimSpace(raw)))
				switch {
				case err != nil || raw == "2.54713E+11" || stored[number]:
					want.Skipped++
					continue
				case number.Network().Known():
					want.Valid++
				default:
					want.Invalid++
				}
				want.Imported++
				stored[number] = true
			}
			if got := countsOf(t, send(t, s, owner.Access, fileOf(file))); got != want {
				rt.Fatalf("%+v, want %+v of\n%s", got, want, file)
			}
			if n := total(t, s, owner.Access, ""); n != int64(len(stored)) {
				rt.Fatalf("%d contacts, want %d", n, len(stored))
			}
		})
	})
}

func TestUndoTrashesWhatAnImportBrought(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		list := newList(t, s, owner.Access)
		countsOf(t, send(t, s, owner.Access, fileOf(numbers(0, 100))))
		answer := send(t, s, owner.Access, []part{{"file", "b.csv", numbers(50, 2500)}, {"listId", "", list}})
		if got := countsOf(t, answer); got.Imported != 2450 {
			t.Fatalf("%+v", got)
		}
		undo := answer.Header.Get("Location") + "/contacts"
		if _, err := s.DB.Exec(t.Context(), `UPDATE contact_import SET status = 'running' WHERE file_name = 'b.csv'`); err != nil {
			t.Fatal(err)
		}
		s.Want(s.Call("DELETE", undo, owner.Access, nil), 409)
		if _, err := s.DB.Exec(t.Context(), `UPDATE contact_import SET status = 'completed'`); err != nil {
			t.Fatal(err)
		}
		for _, want := range []float64{2450, 0} {
			if got := s.Want(s.Call("DELETE", undo, owner.Access, nil), 200).JSON(t); got["deleted"] != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
		if total(t, s, owner.Access, "") != 100 || contactCount(t, s, owner.Access, list) != 0 || recordAt(t, s, owner.Access, answer).UndoneAt == nil {
			t.Error("other contacts went too, or some stayed")
		}
	})
}

func TestImportsAreListedNewestFirst(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for _, name := range []string{"one.csv", "../../two\u200b.csv", "three.csv"} {
			countsOf(t, send(t, s, owner.Access, []part{{"file", name, numbers(0, 2)}}))
		}
		countsOf(t, s.Call("POST", "/api/v1/contacts/bulk", owner.Access, `{"contacts":[]}`))
		page := s.Want(s.Call("GET", "/api/v1/contacts/imports?page=1&pageSize=3", owner.Access, nil), 200).JSON(t)
		var names []any
		for _, one := range page["imports"].([]any) {
			names = append(names, one.(map[string]any)["fileName"])
		}
		if got := fmt.Sprint(names); got != "[<nil> three.csv two.csv]" || page["total"] != 4.0 {
			t.Errorf("%s of %v", got, page["total"])
		}
		history := string(s.Want(s.Call("GET", "/api/v1/accounts/me/audit", owner.Access, nil), 200).Body)
		if strings.Count(history, "contacts.imported") != 4 || !strings.Contains(history, "three.csv") {
			t.Errorf("history: %s", history)
		}
	})
}
