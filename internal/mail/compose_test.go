package mail_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/clock"
	"ujumbe/internal/mail"
)

// overTheWire sends a message to a server and returns it as it arrived.
func overTheWire(t *testing.T, from mail.From, m mail.Message) delivery {
	t.Helper()
	server := new(smtpServer).start(t)
	sender, err := mail.NewSMTP(server.url("smtp", "", "", ""), from, mail.SMTPOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sender.Close() })
	if err := sender.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return server.received()[0]
}

func parse(t *testing.T, raw []byte) *netmail.Message {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v in\n%s", err, raw)
	}
	return m
}

func TestHeadersSayWhatTheyShouldAndNoMore(t *testing.T) {
	host, _ := os.Hostname()
	got := overTheWire(t, from, plainMessage())
	h := parse(t, got.raw).Header
	for name, want := range map[string]string{
		"From":           `"Ujumbe" <no-reply@example.com>`,
		"To":             "<amina@example.org>",
		"Subject":        "Hello",
		"Auto-Submitted": "auto-generated",
		"Mime-Version":   "1.0",
		"User-Agent":     "",
		"X-Mailer":       "",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %q; want %q", name, h.Get(name), want)
		}
	}
	if id := h.Get("Message-Id"); !strings.HasSuffix(id, "@example.com>") || len(id) < 40 {
		t.Errorf("Message-ID %q", id)
	}
	if _, err := h.Date(); err != nil {
		t.Errorf("Date: %v", err)
	}
	if host != "" && host != "localhost" && bytes.Contains(got.raw, []byte(host)) {
		t.Errorf("mail shows the machine's name %q", host)
	}
}

func TestDateIsTheClocks(t *testing.T) {
	server := new(smtpServer).start(t)
	now := clock.NewManual()
	sender := newSMTP(t, server.url("smtp", "", "", ""), mail.SMTPOptions{Clock: now})
	if err := sender.Send(t.Context(), plainMessage()); err != nil {
		t.Fatal(err)
	}
	date, err := parse(t, server.received()[0].raw).Header.Date()
	if err != nil || date.Unix() != now.Now().Std().Unix() {
		t.Errorf("Date %v, %v; want %v", date, err, now.Now())
	}
}

func TestWordsBeyondASCIIArriveAsWritten(t *testing.T) {
	m := plainMessage()
	m.Subject = "Karibu Wanjirũ, 你好 " + strings.Repeat("é", 80)
	m.Text, m.HTML = "Habari Wanjirũ 你好\n", "<p>Habari Wanjirũ 你好</p>"
	got := overTheWire(t, mail.From{Name: "Ujumbé", Address: "no-reply@bücher.example"}, m)
	if got.from != "no-reply@xn--bcher-kva.example" || got.hello != "xn--bcher-kva.example" {
		t.Errorf("from %q, greeting %q", got.from, got.hello)
	}
	for line := range bytes.Lines(got.raw) {
		if len(line) > 80 || bytes.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("line %q is not for every server", line)
		}
	}
	msg := parse(t, got.raw)
	if subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject")); err != nil || subject != m.Subject {
		t.Errorf("subject %q, %v", subject, err)
	}
	if list, err := msg.Header.AddressList("From"); err != nil || list[0].Name != "Ujumbé" {
		t.Errorf("from %v, %v", list, err)
	}
	parts := partsOf(t, msg)
	if len(parts) != 2 || parts[0].body != "Habari Wanjirũ 你好\r\n" || parts[1].body != m.HTML {
		t.Errorf("parts %+v", parts)
	}
	if !strings.HasPrefix(parts[0].kind, "text/plain") || !strings.HasPrefix(parts[1].kind, "text/html") {
		t.Errorf("parts %+v", parts)
	}
}

func TestRecipientsDomainIsSentInASCII(t *testing.T) {
	m := plainMessage()
	m.To = "Amina@Bücher.example"
	if got := overTheWire(t, from, m); got.to != "Amina@xn--bcher-kva.example" {
		t.Errorf("to %q", got.to)
	}
}

type part struct{ kind, disposition, body string }

// partsOf returns the parts of a mail, flattened and decoded.
func partsOf(t *testing.T, m *netmail.Message) []part {
	t.Helper()
	var all []part
	var walk func(kind string, body io.Reader)
	walk = func(kind string, body io.Reader) {
		_, params, err := mime.ParseMediaType(kind)
		if err != nil {
			t.Fatal(err)
		}
		reader := multipart.NewReader(body, params["boundary"])
		for {
			p, err := reader.NextPart() // decodes quoted-printable
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if kind := p.Header.Get("Content-Type"); strings.HasPrefix(kind, "multipart/") {
				walk(kind, p)
				continue
			}
			content, err := io.ReadAll(p)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, part{p.Header.Get("Content-Type"), p.Header.Get("Content-Disposition"), string(content)})
		}
	}
	walk(m.Header.Get("Content-Type"), m.Body)
	return all
}

func TestAttachmentsKeepTheirNameAndNothingElse(t *testing.T) {
	for name, want := range map[string]string{
		"contacts.csv":                    "contacts.csv",
		"Kontakte für März.csv":           "Kontakte für März.csv",
		"../../etc/passwd":                "passwd",
		`C:\Users\x\contacts.csv`:         "contacts.csv",
		"a\r\nX-Evil: 1\r\n\r\nbody.csv":  "a X-Evil: 1 body.csv",
		`a"; filename="b.exe`:             `a"; filename="b.exe`,
		"\u202etxt.csv":                   "txt.csv",
		"":                                "file",
		"..":                              "file",
		strings.Repeat("n", 300) + ".csv": strings.Repeat("n", 96) + ".csv",
	} {
		m := plainMessage()
		m.Attachments = []mail.Attachment{{Name: name, Type: "text/csv; charset=utf-8", Content: []byte("phone\n")}}
		got := overTheWire(t, from, m)
		parts := partsOf(t, parse(t, got.raw))
		if len(parts) != 3 {
			t.Fatalf("%q: %d parts", name, len(parts))
		}
		disposition, params, err := mime.ParseMediaType(parts[2].disposition)
		if err != nil || disposition != "attachment" || params["filename"] != want {
			t.Errorf("%q is attached as %q, %v", name, parts[2].disposition, err)
		}
		if kind, _, err := mime.ParseMediaType(parts[2].kind); err != nil || kind != "text/csv" {
			t.Errorf("%q has the type %q, %v", name, parts[2].kind, err)
		}
		if strings.TrimSpace(parts[2].body) != "cGhvbmUK" {
			t.Errorf("%q has the content %q", name, parts[2].body)
		}
		if bytes.Contains(got.raw, []byte("\nX-Evil")) {
			t.Errorf("%q adds a header", name)
		}
	}
}

func TestNoFieldAddsAHeader(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		evil := rapid.SampledFrom([]string{"\r\nX-Evil: 1", "\nX-Evil: 1", "\rX-Evil: 1", "\u2028X-Evil: 1", "=?utf-8?q?=0AX-Evil:_1?="})
		m := plainMessage()
		m.Subject = rapid.String().Draw(t, "subject") + evil.Draw(t, "in subject") + rapid.String().Draw(t, "rest")
		name := rapid.String().Draw(t, "name") + evil.Draw(t, "in name")
		m.Attachments = []mail.Attachment{{Name: name, Type: "text/csv", Content: []byte("x")}}
		files, err := mail.NewFiles(dir, mail.From{Name: name, Address: "a@example.com"}, clock.System{})
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		raw := onlyFile(t, dir)
		for line := range bytes.Lines(raw) {
			if bytes.HasPrefix(line, []byte("X-Evil")) || bytes.ContainsRune(bytes.TrimSuffix(line, []byte("\r\n")), '\r') {
				t.Fatalf("in\n%s", raw)
			}
		}
	})
}

// onlyFile returns the one file in dir and removes it.
func onlyFile(t interface{ Fatalf(string, ...any) }, dir string) []byte {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	raw, err := os.ReadFile(dir + "/" + entries[0].Name())
	if err != nil {
		t.Fatalf("%v", err)
	}
	_ = os.Remove(dir + "/" + entries[0].Name())
	return raw
}
