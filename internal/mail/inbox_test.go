package mail_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/mail"
)

type inboxMail struct {
	ID, From, To, Subject, Text, HTML string
	Date                              clock.Time
	Links                             []string
	Attachments                       []struct {
		Name, Type string
		Size       int
	}
}

// get asks the inbox, without the cleaning of paths that a mux or a browser does.
func get(t testing.TB, h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func getJSON[T any](t testing.TB, h http.Handler, target string, header ...string) (out T) {
	t.Helper()
	w := get(t, h, target, header...)
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %d %s", target, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// filledInbox has a verification mail to Amina and then, a minute later, an
// export to Baraka.
func filledInbox(t testing.TB) (dir string, h http.Handler) {
	t.Helper()
	dir = t.TempDir()
	now := clock.NewManual()
	files := newFiles(t, dir, now)
	verify, err := mail.VerifyEmail{Link: links(t).VerifyEmail(token), ValidFor: 24 * time.Hour}.
		Render(mail.Recipient{Address: "amina@example.com", Name: "Amina"})
	if err != nil {
		t.Fatal(err)
	}
	export, err := mail.ExportFile{Organization: "Wanjirũ & Sons", AskedBy: "Amina", Count: 2, File: mail.Attachment{
		Name: "März.csv", Type: "text/csv", Content: []byte("phone\n+254700000001\n"),
	}}.Render(mail.Recipient{Address: "baraka@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []mail.Message{verify, export} {
		if err := files.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Minute)
	}
	return dir, mail.Inbox(dir)
}

func TestInboxInJSON(t *testing.T) {
	_, h := filledInbox(t)
	for _, ask := range [][]string{{"/dev/mail?format=json"}, {"/dev/mail", "Accept", "application/json"}, {"/dev/mail/?format=json"}} {
		all := getJSON[[]inboxMail](t, h, ask[0], ask[1:]...)
		if len(all) != 2 || all[0].To != "baraka@example.com" || all[1].To != "amina@example.com" {
			t.Fatalf("%v: %+v; want newest first", ask, all)
		}
		verify, export := all[1], all[0]
		if len(verify.Links) != 1 || verify.Links[0] != links(t).VerifyEmail(token).String() {
			t.Errorf("links %q", verify.Links)
		}
		if verify.Subject != "Confirm your email address" || !strings.Contains(verify.Text, "Hello Amina,\n") ||
			!strings.Contains(verify.HTML, `<html lang="en">`) || verify.Date == 0 || verify.Attachments == nil {
			t.Errorf("%+v", verify)
		}
		if len(export.Links) != 0 || export.Links == nil || len(export.Attachments) != 1 {
			t.Fatalf("%+v", export)
		}
		if a := export.Attachments[0]; a.Name != "März.csv" || a.Type != "text/csv" || a.Size != 20 {
			t.Errorf("attachment %+v", a)
		}
		if !strings.Contains(export.Text, "Amina of Wanjirũ & Sons asked") {
			t.Error(export.Text)
		}
		if one := getJSON[inboxMail](t, h, "/dev/mail/"+verify.ID+"?format=json"); one.Text != verify.Text || one.ID != verify.ID {
			t.Errorf("one mail: %+v", one)
		}
	}
	if got := getJSON[[]inboxMail](t, h, "/dev/mail?format=json&to=Amina@Example.com"); len(got) != 1 || got[0].To != "amina@example.com" {
		t.Errorf("to Amina: %+v", got)
	}
}

func TestInboxPages(t *testing.T) {
	_, h := filledInbox(t)
	list := get(t, h, "/dev/mail", "Accept", "text/html,application/xhtml+xml")
	link := links(t).VerifyEmail(token).String()
	for _, want := range []string{`<a href="` + link + `">`, "baraka@example.com", "Your contact export", "1 attached", `<html lang="en">`} {
		if !strings.Contains(list.Body.String(), want) {
			t.Errorf("list lacks %s", want)
		}
	}
	if strings.Index(list.Body.String(), "baraka@") > strings.Index(list.Body.String(), "amina@") {
		t.Error("list is not newest first")
	}
	all := getJSON[[]inboxMail](t, h, "/dev/mail?format=json")
	page := get(t, h, "/dev/mail/"+all[1].ID).Body.String()
	for _, want := range []string{`<a href="` + link + `">`, "Hello Amina,", "Auto-Submitted", "<iframe title="} {
		if !strings.Contains(page, want) {
			t.Errorf("page lacks %s", want)
		}
	}
	srcdoc := regexp.MustCompile(`srcdoc="([^"]*)"`).FindStringSubmatch(page)
	if srcdoc == nil || strings.TrimSpace(html.UnescapeString(srcdoc[1])) != strings.TrimSpace(all[1].HTML) {
		t.Error("the frame does not show the HTML part")
	}
	raw := get(t, h, "/dev/mail/"+all[0].ID+"/raw")
	if parts := partsOf(t, parse(t, raw.Body.Bytes())); raw.Header().Get("Content-Type") != "message/rfc822" || len(parts) != 3 {
		t.Errorf("raw file: %v, %d parts", raw.Header(), len(parts))
	}
}

func TestInboxPagesRunNothingAndFetchNothing(t *testing.T) {
	dir, h := filledInbox(t)
	hostile := plainMessage()
	hostile.Subject = `"><script>alert(1)</script>`
	hostile.Text = "<script>alert(1)</script> javascript:alert(1)"
	hostile.HTML = `<script>parent.location="https://evil.example"</script><img src="https://evil.example/x">"></iframe><script>alert(2)</script>`
	if err := newFiles(t, dir, clock.System{}).Send(t.Context(), hostile); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, m := range getJSON[[]inboxMail](t, h, "/dev/mail?format=json") {
		if m.To == hostile.To {
			id = m.ID
		}
	}
	for _, target := range []string{"/dev/mail", "/dev/mail/" + id, "/dev/mail/" + id + "/raw", "/dev/mail/nothing", "/dev/mail?format=json"} {
		w := get(t, h, target)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "script-src") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", target, policy)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", target, w.Header())
		}
		if kind := w.Header().Get("Content-Type"); strings.HasPrefix(kind, "text/html") && strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%s has a script", target)
		}
	}
	page := get(t, h, "/dev/mail/"+id).Body.String()
	sandbox := regexp.MustCompile(`<iframe [^>]*sandbox="([^"]*)"`).FindStringSubmatch(page)
	if sandbox == nil || strings.Contains(sandbox[1], "allow-scripts") || strings.Contains(sandbox[1], "allow-same-origin") {
		t.Errorf("sandbox %q", sandbox)
	}
	if strings.Count(page, "<iframe") != 1 || strings.Count(page, "</iframe") != 1 {
		t.Error("the mail broke out of its frame")
	}
}

func TestInboxReadsNothingButMails(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "mail")
	newFiles(t, dir, clock.System{})
	const name = "20260131T093000.000Z-01980d5e-7c1a-7000-8000-5b1f0c8e2a11"
	secret := filepath.Join(parent, name+".eml")
	other := filepath.Join(dir, "notes.eml")
	for _, path := range []string{secret, other, filepath.Join(dir, name+".tmp")} {
		if err := os.WriteFile(path, []byte("Subject: secret\r\n\r\nsecret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := strings.Replace(name, "2026", "2025", 1)
	if err := os.Symlink(secret, filepath.Join(dir, linked+".eml")); err != nil {
		t.Skip("no symbolic links here")
	}
	h := mail.Inbox(dir)
	for _, path := range []string{
		"/dev/mail/../" + name, "/dev/mail/..%2f" + name, "/dev/mail/%2e%2e%2f" + name, "/dev/mail/..%5c" + name,
		"/dev/mail/" + name, "/dev/mail/" + linked, "/dev/mail/" + linked + "/raw", "/dev/mail/notes", "/dev/mail/notes.eml",
		"/dev/mail/..", "/dev/mail/../raw", "/dev/mail/" + name + "%00", "/dev/mail/" + name + ".eml", "/dev/mail//" + name,
		"/dev/mailbox", "/dev/", "/", "/dev/mail/%2fetc%2fpasswd", "/dev/mail/" + name + "/raw",
	} {
		w := get(t, h, path)
		if w.Code == http.StatusOK || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if all := getJSON[[]inboxMail](t, h, "/dev/mail?format=json"); len(all) != 0 {
		t.Errorf("listed %+v", all)
	}
	r := httptest.NewRequest(http.MethodPost, "/dev/mail", nil)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestInboxIsBounded(t *testing.T) {
	dir, now := t.TempDir(), clock.NewManual()
	files := newFiles(t, dir, now)
	for i := range 205 {
		m := plainMessage()
		m.Subject = fmt.Sprintf("mail %d", i)
		if err := files.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Second)
	}
	all := getJSON[[]inboxMail](t, mail.Inbox(dir), "/dev/mail?format=json")
	if len(all) != 200 || all[0].Subject != "mail 204" || all[199].Subject != "mail 5" {
		t.Errorf("%d mails, %q to %q", len(all), all[0].Subject, all[len(all)-1].Subject)
	}
}

func TestInboxWithoutMail(t *testing.T) {
	for name, dir := range map[string]string{"empty": t.TempDir(), "missing": filepath.Join(t.TempDir(), "none")} {
		h := mail.Inbox(dir)
		if w := get(t, h, "/dev/mail"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "No mail yet") {
			t.Errorf("%s: %d", name, w.Code)
		}
		if w := get(t, h, "/dev/mail?format=json"); strings.TrimSpace(w.Body.String()) != "[]" {
			t.Errorf("%s: %s", name, w.Body)
		}
	}
}

func FuzzInbox(f *testing.F) {
	f.Add([]byte("Subject: x\r\n\r\nbody https://example.com/a."))
	f.Add([]byte("Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n--a--\r\n"))
	f.Add([]byte("Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\nDate: x\r\nTo: <\r\n\r\n!!"))
	dir := f.TempDir()
	h := mail.Inbox(dir)
	const name = "20260131T093000.000Z-01980d5e-7c1a-7000-8000-5b1f0c8e2a11"
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(filepath.Join(dir, name+".eml"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if w := get(t, h, "/dev/mail"); w.Code != http.StatusOK {
			t.Fatalf("list: %d %s", w.Code, w.Body)
		}
		w := get(t, h, "/dev/mail/"+name)
		page, _ := io.ReadAll(w.Body)
		if w.Code == http.StatusOK && (strings.Contains(string(page), "<script") || strings.Count(string(page), "<iframe") > 1) {
			t.Fatalf("page has foreign markup:\n%s", page)
		}
	})
}
