package transfer_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"strings"
	"testing"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

const head = "first_name,last_name,phone,email,tags,notes\n"

// truncated cuts a workbook in the middle of its sheet, and writes the archive
// anew, so that only reading the sheet to its end tells.
func truncated(t testing.TB, book string) string {
	t.Helper()
	in, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, file := range in.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		_, _ = content.ReadFrom(r)
		kept := content.Bytes()
		if strings.Contains(file.Name, "sheet1") {
			kept = kept[:len(kept)*3/4]
		}
		w, err := out.Create(file.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(kept)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func manyRows(t testing.TB, n int) string {
	t.Helper()
	rows := [][]any{{"phone", "first_name"}}
	for i := range n {
		rows = append(rows, []any{254712000000 + i, "Asha"})
	}
	return workbook(t, rows...)
}

func TestUploadThatCantBeAnImportStoresNothing(t *testing.T) {
	good := head + "Asha,Juma,+254712345678,,,\n"
	broken := truncated(t, manyRows(t, 6000))
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		foreign := newList(t, s, stranger.Access)
		for name, row := range map[string]struct {
			parts  []part
			status int
			code   string
		}{
			"no file":                  {[]part{{"listId", "", ""}}, 400, "file_missing"},
			"file in another field":    {[]part{{"upload", "contacts.csv", good}}, 400, "file_missing"},
			"two files":                {[]part{{"file", "a.csv", good}, {"file", "b.csv", good}}, 400, "bad_upload"},
			"too many fields":          {append(make([]part, 40), part{"file", "a.csv", good}), 400, "bad_upload"},
			"empty file":               {fileOf(""), 400, "file_empty"},
			"blank lines only":         {fileOf("\n\n\n"), 400, "file_empty"},
			"no phone column":          {fileOf("name,email\nAsha,asha@example.com\n"), 400, ""},
			"a PDF":                    {fileOf("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"), 400, "unsupported_file"},
			"a picture by name of csv": {fileOf("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), 400, "unsupported_file"},
			"workbook cut short":       {fileOf(broken), 400, "file_corrupt"},
			"archive of something":     {fileOf(broken[:2000]), 400, ""},
			"too large":                {fileOf(head + strings.Repeat("Asha,Juma,+254712345678,,,\n", 100_000)), 413, "file_too_large"},
			"list is no id":            {[]part{{"file", "a.csv", good}, {"listId", "", "customers"}}, 422, "validation_failed"},
			"unknown list":             {[]part{{"file", "a.csv", good}, {"listId", "", "01980d5e-7c1a-7000-8000-5b1f0c8e2a11"}}, 422, "unknown_list"},
			"foreign list, list first": {[]part{{"listId", "", foreign}, {"file", "a.csv", good}}, 422, "unknown_list"},
		} {
			t.Run(name, func(t *testing.T) {
				answer := s.Want(send(t, s, owner.Access, row.parts), row.status)
				if row.code != "" && answer.Code() != row.code {
					t.Errorf("%s, want %s", answer.Body, row.code)
				}
			})
		}
		for name, contentType := range map[string]string{"JSON": "application/json", "no boundary": "multipart/form-data", "nothing": ""} {
			answer := s.Call("POST", "/api/v1/contacts/import", owner.Access, good, "Content-Type", contentType)
			if s.Want(answer, 400); answer.Code() != "bad_upload" {
				t.Errorf("%s: %s", name, answer.Body)
			}
		}
		body, contentType := form(t, fileOf(good))
		for _, cut := range []int{4, 40, 70} {
			answer := s.Call("POST", "/api/v1/contacts/import", owner.Access, body[:len(body)-cut], "Content-Type", contentType)
			if s.Want(answer, 400); answer.Code() != "upload_incomplete" {
				t.Errorf("form cut short by %d: %s", cut, answer.Body)
			}
		}
		if n := total(t, s, owner.Access, ""); n != 0 {
			t.Errorf("%d contacts stored", n)
		}
		if all := s.Want(s.Call("GET", "/api/v1/contacts/imports", owner.Access, nil), 200).JSON(t); all["total"] != 0.0 {
			t.Errorf("records: %v", all)
		}
	}, func(c *config.Config) { c.MaxImportBytes = 1 << 20 })
}

func TestOnlyMembersReachImportsAndExports(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		member := s.Member(owner, "member")
		answer := send(t, s, member.Access, fileOf(head+"Asha,Juma,+254712345678,,,\nAsha,Juma,12,,,\n"))
		countsOf(t, answer)
		record := answer.Header.Get("Location")
		paths := []struct{ method, path string }{
			{"GET", record}, {"GET", record + "/events"}, {"GET", record + "/rejects"}, {"GET", record + "/amended"}, {"DELETE", record + "/contacts"},
		}
		for _, p := range paths {
			s.Want(s.Call(p.method, p.path, stranger.Access, nil), 404)
			s.Want(s.Call(p.method, p.path, "", nil), 401)
			s.Want(s.Call(p.method, p.path, owner.Access, nil), 200)
		}
		for _, path := range []string{"/import", "/bulk", "/export-email"} {
			s.Want(s.Call("POST", "/api/v1/contacts"+path, "", "{}"), 401)
		}
		for _, path := range []string{"/export", "/export-data", "/imports"} {
			s.Want(s.Call("GET", "/api/v1/contacts"+path, "", nil), 401)
			if a := s.Want(s.Call("GET", "/api/v1/contacts"+path, stranger.Access, nil), 200); bytes.Contains(a.Body, []byte("254712345678")) || bytes.Contains(a.Body, []byte("contacts.csv")) {
				t.Errorf("a stranger reads %s", a.Body)
			}
		}
		s.Want(s.Call("GET", "/api/v1/contacts/imports/"+strings.Repeat("0", 36), owner.Access, nil), http.StatusUnprocessableEntity)
	})
}
