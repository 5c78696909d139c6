package transfer_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

func mailing(change func(map[string]any)) map[string]any {
	m := map[string]any{
		"email": "reader@example.com", "filename": "contacts.csv", "mimeType": "text/csv", "count": 1,
		"fileBase64": base64.StdEncoding.EncodeToString([]byte(head + "Asha,Juma,+254712345678,,,\n")),
	}
	if change != nil {
		change(m)
	}
	return m
}

func set(name string, value any) func(map[string]any) {
	return func(m map[string]any) { m[name] = value }
}

func contentOf(filename, mimeType, content string) func(map[string]any) {
	return func(m map[string]any) {
		m["filename"], m["mimeType"], m["fileBase64"] = filename, mimeType, base64.StdEncoding.EncodeToString([]byte(content))
	}
}

const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

func TestExportIsMailedAsItIs(t *testing.T) {
	book := workbook(t, []any{"phone"})
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for name, row := range map[string]struct {
			change  func(map[string]any)
			content string
			file    string
		}{
			"csv":               {nil, head + "Asha,Juma,+254712345678,,,\n", "contacts.csv"},
			"csv by Excel":      {contentOf("C.CSV", "application/vnd.ms-excel", "phone\n1\n"), "phone\n1\n", "C.CSV"},
			"type with charset": {set("mimeType", "text/csv;charset=utf-8"), head + "Asha,Juma,+254712345678,,,\n", "contacts.csv"},
			"workbook":          {contentOf("c.xlsx", xlsxType, book), book, "c.xlsx"},
			"pdf":               {contentOf("c.pdf", "application/pdf", "%PDF-1.7 x"), "%PDF-1.7 x", "c.pdf"},
			"name with folders": {contentOf(`C:\Users\x\..\list.csv`, "text/csv", "phone\n"), "phone\n", "list.csv"},
			"data URL":          {set("fileBase64", "data:text/csv;base64,cGhvbmUK"), "phone\n", "contacts.csv"},
		} {
			t.Run(name, func(t *testing.T) {
				to := servertest.Email()
				body := mailing(row.change)
				body["email"] = to
				answer := s.Want(s.Call("POST", "/api/v1/contacts/export-email", owner.Access, body), 200)
				if len(answer.Body) != 0 {
					t.Errorf("body %q", answer.Body)
				}
				got := s.Mail.Wait(t, to, 1)[0]
				if len(got.Attachments) != 1 || string(got.Attachments[0].Content) != row.content || got.Attachments[0].Name != row.file {
					t.Errorf("%+v", got.Attachments)
				}
			})
		}
		history := string(s.Want(s.Call("GET", "/api/v1/accounts/me/audit", owner.Access, nil), 200).Body)
		if strings.Count(history, "contacts.export_mailed") != 7 {
			t.Errorf("history: %s", history)
		}
	})
}

// archive is a zip of empty parts.
func archive(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		if _, err := w.CreateRaw(&zip.FileHeader{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFileThatIsNoExportIsNotMailed(t *testing.T) {
	large := strings.Repeat("x", 10<<20+1)
	names := []string{"xl/workbook.xml"}
	for i := range 60_000 {
		names = append(names, strconv.Itoa(i))
	}
	crowd := archive(t, names...)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for name, row := range map[string]struct {
			change func(map[string]any)
			status int
		}{
			"no address":            {set("email", ""), 422},
			"two addresses":         {set("email", "a@example.com, b@example.com"), 422},
			"header in the address": {set("email", "a@example.com\r\nBcc: b@example.com"), 422},
			"no name":               {set("filename", ""), 422},
			"program by name":       {set("filename", "contacts.exe"), 422},
			"two endings":           {set("filename", "contacts.csv.html"), 422},
			"type of another kind":  {set("mimeType", "application/pdf"), 422},
			"no type":               {set("mimeType", ""), 422},
			"csv that is a program": {contentOf("c.csv", "text/csv", "MZ\x90\x00\x03"), 422},
			"csv that is a page":    {contentOf("c.csv", "text/csv", " <html><script>"), 422},
			"workbook that is text": {contentOf("c.xlsx", xlsxType, "phone\n"), 422},
			"workbook with macros":  {contentOf("c.xlsx", xlsxType, archive(t, "xl/workbook.xml", "xl/vbaProject.bin")), 422},
			"archive of no book":    {contentOf("c.xlsx", xlsxType, archive(t, "word/document.xml")), 422},
			"too many parts":        {contentOf("c.xlsx", xlsxType, crowd), 422},
			"pdf that is text":      {contentOf("c.pdf", "application/pdf", "phone\n"), 422},
			"nothing":               {set("fileBase64", ""), 422},
			"not base64":            {set("fileBase64", "%%%"), 422},
			"file a number":         {set("fileBase64", 7), 422},
			"count missing":         {func(m map[string]any) { delete(m, "count") }, 422},
			"count negative":        {set("count", -1), 422},
			"count a text":          {set("count", "many"), 422},
			"count a fraction":      {set("count", 1.5), 422},
			"file too large":        {contentOf("c.csv", "text/csv", large), 413},
			"body too large by far": {contentOf("c.csv", "text/csv", large+large[:1<<20]), 413},
		} {
			t.Run(name, func(*testing.T) {
				s.Want(s.Call("POST", "/api/v1/contacts/export-email", owner.Access, mailing(row.change)), row.status)
			})
		}
		s.Want(s.Call("POST", "/api/v1/contacts/export-email", owner.Access, `{"email":`), 400)
		if got := s.Mail.To("reader@example.com"); len(got) != 0 {
			t.Errorf("mailed: %v", got)
		}
	})
}

func TestMailedFileWaitsForTheMailServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		s.Mail.Break(errors.New("connection refused"))
		s.Want(s.Call("POST", "/api/v1/contacts/export-email", owner.Access, mailing(nil)), 200)
		waitFor(t, func() bool { return bytes.Contains(jobErrors(t, s), []byte("connection refused")) })
		s.Mail.Break(nil)
		s.Clock.Advance(10 * time.Minute)
		waitFor(t, func() bool { return len(s.Mail.To("reader@example.com")) == 1 })
		waitFor(t, func() bool {
			var left int
			return s.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM export_mail`).Scan(&left) == nil && left == 0
		})
	})
}

func jobErrors(t *testing.T, s *servertest.Server) []byte {
	t.Helper()
	all, err := database.Collect(t.Context(), s.DB, database.Column[string], `SELECT last_error FROM job WHERE last_error IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.Join(all, "\n"))
}

// waitFor tries until something is so.
func waitFor(t testing.TB, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !isSo(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited in vain")
		}
	}
}

func TestMailedFilesAreBoundedPerOrganizationAndDay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		colleague := s.Member(owner, "member")
		post := func(access string) servertest.Answer {
			return s.Call("POST", "/api/v1/contacts/export-email", access, mailing(nil))
		}
		s.Want(s.Call("POST", "/api/v1/contacts/export-email", owner.Access, mailing(set("count", -1))), 422)
		for range 10 {
			s.Want(post(owner.Access), 200)
			s.Want(post(colleague.Access), 200)
		}
		if a := s.Want(post(owner.Access), 429); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		s.Want(post(other.Access), 200)
	}, func(c *config.Config) { c.RateLimits = true })
}
