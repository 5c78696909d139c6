package mail_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"ujumbe/internal/clock"
	"ujumbe/internal/mail"
)

const token = "Zm9vYmFy_-0123456789abcdefghijklmnopqrstuvw"

type letter interface {
	Render(mail.Recipient) (mail.Message, error)
}

func links(t testing.TB) mail.Links {
	t.Helper()
	l, err := mail.NewLinks("https://app.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

var march = clock.From(time.Date(2026, time.March, 5, 9, 30, 0, 0, time.UTC))

// letters returns every letter, with the link it must carry, and with a name
// wherever users have a say.
func letters(l mail.Links, name string) map[string]struct {
	letter letter
	link   string
} {
	type row = struct {
		letter letter
		link   string
	}
	const base = "https://app.example.com"
	return map[string]row{
		"verify email":     {mail.VerifyEmail{Link: l.VerifyEmail(token), ValidFor: 24 * time.Hour}, base + "/verify-email#token=" + token},
		"reset password":   {mail.ResetPassword{Link: l.ResetPassword(token), ValidFor: time.Hour}, base + "/reset-password#token=" + token},
		"magic link":       {mail.MagicLink{Link: l.MagicLink(token), ValidFor: 15 * time.Minute}, base + "/magic-link#token=" + token},
		"email changed":    {mail.EmailChanged{At: march}, ""},
		"password changed": {mail.PasswordChanged{At: march}, ""},
		"account ready":    {mail.AccountReady{Organization: name, Inviter: name, SignIn: l.SignIn()}, base + "/login"},
		"invitation":       {mail.Invitation{Organization: name, Inviter: name, Role: "admin", Accept: l.Invitation(token), ValidFor: 72 * time.Hour}, base + "/invitation#token=" + token},
		"staff invitation": {mail.StaffInvitation{Link: l.StaffResetPassword(token), ValidFor: 24 * time.Hour}, base + "/admin/reset-password#token=" + token},
		"staff reset":      {mail.StaffReset{Link: l.StaffResetPassword(token), ValidFor: time.Hour}, base + "/admin/reset-password#token=" + token},
		"export file":      {mail.ExportFile{Organization: name, AskedBy: name, Count: 12345, File: mail.Attachment{Name: "contacts.csv", Type: "text/csv", Content: []byte("phone\n")}}, ""},
	}
}

var (
	webAddress = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://[^\s"<]*`)
	anchor     = regexp.MustCompile(`<a [^>]*href="([^"]*)"`)
	markup     = regexp.MustCompile(`</?[a-zA-Z!]`)
	tag        = regexp.MustCompile(`<[^>]*>`)
)

func TestEveryLetterSaysTheSameInBothParts(t *testing.T) {
	for name, c := range letters(links(t), "Savanna Traders") {
		t.Run(name, func(t *testing.T) {
			m, err := c.letter.Render(mail.Recipient{Address: "amina@example.com", Name: "Amina"})
			if err != nil {
				t.Fatal(err)
			}
			if m.To != "amina@example.com" || m.Subject == "" {
				t.Errorf("to %q, subject %q", m.To, m.Subject)
			}
			if markup.MatchString(m.Text) || strings.Contains(m.Text, "&#") {
				t.Errorf("text part has markup:\n%s", m.Text)
			}
			if strings.Contains(m.Text+m.HTML, "{{") || strings.Contains(m.Text+m.HTML, "<no value>") {
				t.Errorf("a placeholder is left:\n%s", m.Text)
			}
			inHTML := html.UnescapeString(tag.ReplaceAllString(m.HTML, ""))
			for paragraph := range strings.SplitSeq(m.Text, "\n\n") {
				line, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(paragraph), "-- \n"), ":\n")
				if !strings.Contains(inHTML, line) {
					t.Errorf("HTML part lacks %q", line)
				}
			}
			for _, want := range []string{`<html lang="en">`, `charset="utf-8"`, "prefers-color-scheme: dark", "<title>", "<h1 "} {
				if !strings.Contains(m.HTML, want) {
					t.Errorf("HTML part lacks %s", want)
				}
			}
			if !strings.Contains(m.Text, "Hello Amina,") {
				t.Errorf("no greeting:\n%s", m.Text)
			}
		})
	}
}

func TestEveryLetterCarriesItsLinkAndNoOther(t *testing.T) {
	for name, c := range letters(links(t), "Savanna Traders") {
		t.Run(name, func(t *testing.T) {
			m, err := c.letter.Render(mail.Recipient{Address: "amina@example.com"})
			if err != nil {
				t.Fatal(err)
			}
			inText, inHTML := webAddress.FindAllString(m.Text, -1), webAddress.FindAllString(m.HTML, -1)
			anchors := anchor.FindAllStringSubmatch(m.HTML, -1)
			if c.link == "" {
				if len(inText)+len(inHTML)+len(anchors) != 0 {
					t.Fatalf("links %q %q", inText, inHTML)
				}
				return
			}
			if len(inText) != 1 || inText[0] != c.link {
				t.Errorf("text has %q; want %q once", inText, c.link)
			}
			if len(anchors) != 1 || anchors[0][1] != c.link {
				t.Errorf("HTML has the anchors %q; want %q once", anchors, c.link)
			}
			for _, found := range inHTML {
				if found != c.link {
					t.Errorf("HTML has %q", found)
				}
			}
			for _, remote := range []string{"<img", "<link", "<script", "@import", "url("} {
				if strings.Contains(m.HTML, remote) {
					t.Errorf("HTML has %s", remote)
				}
			}
		})
	}
}

func TestLettersSayWhatTheReaderNeeds(t *testing.T) {
	for name, wants := range map[string][]string{
		"verify email":     {"within 24 hours"},
		"reset password":   {"within 1 hour."},
		"magic link":       {"within 15 minutes"},
		"email changed":    {"5 March 2026 at 09:30 UTC"},
		"password changed": {"5 March 2026 at 09:30 UTC"},
		"account ready":    {"Savanna Traders has made", "in Savanna Traders", "password is not in this mail"},
		"invitation":       {"Savanna Traders invites you", "role admin", "within 3 days"},
		"staff invitation": {"within 24 hours"},
		"staff reset":      {"within 1 hour."},
		"export file":      {"12,345 rows", "Savanna Traders of Savanna Traders asked"},
	} {
		m, err := letters(links(t), "Savanna Traders")[name].letter.Render(mail.Recipient{Address: "amina@example.com"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range append(wants, "Hello,") {
			if !strings.Contains(m.Text, want) {
				t.Errorf("%s: text lacks %q:\n%s", name, want, m.Text)
			}
		}
	}
}

func TestExportFileCarriesTheFile(t *testing.T) {
	file := mail.Attachment{Name: "contacts.csv", Type: "text/csv", Content: []byte("phone\n+254700000001\n")}
	m, err := mail.ExportFile{Count: 1, File: file}.Render(mail.Recipient{Address: "amina@example.com"})
	if err != nil || len(m.Attachments) != 1 || string(m.Attachments[0].Content) != string(file.Content) {
		t.Fatalf("%+v, %v", m.Attachments, err)
	}
	if !strings.Contains(m.Text, "has 1 row.") || !strings.Contains(m.Text, "A user asked") {
		t.Error(m.Text)
	}
}

func TestLetterWithoutItsLinkIsNotWritten(t *testing.T) {
	for name, l := range map[string]letter{
		"no link":                    mail.VerifyEmail{ValidFor: time.Hour},
		"links without a public URL": mail.MagicLink{Link: mail.Links{}.MagicLink(token), ValidFor: time.Hour},
		"sign-in without public URL": mail.AccountReady{SignIn: mail.Links{}.SignIn()},
	} {
		if m, err := l.Render(mail.Recipient{Address: "a@example.com"}); err == nil {
			t.Errorf("%s: wrote %q", name, m.Text)
		}
	}
}

func TestHostileNamesStayWords(t *testing.T) {
	for hostile, shown := range map[string]string{
		"http://evil.example visit now":          "http: //evil. example visit now",
		"www.evil.example":                       "www. evil. example",
		"javascript:alert(1)":                    "javascript: alert(1)",
		"mailto:a@evil.example":                  "mailto: a@ evil. example",
		"ｗｗｗ．ｅｖｉｌ．example":                       "www. evil. example",
		"evil。example":                           "evil。 example",
		"<script>alert(1)</script>":              "scriptalert(1)/script",
		"Eve\r\nBcc: all@example.com":            "Eve Bcc: all@ example. com",
		"Eve\u2028\u2029\vx":                     "Eve x",
		"\u202eevil\u200b.\u2060example":         "evil. example",
		"Eve\x00\x1b[31m":                        "Eve[31m",
		"Eve\xff\xfe":                            "Eve",
		strings.Repeat("a", 65):                  strings.Repeat("a", 63) + "…",
		strings.Repeat("http://x.y ", 20_000):    "",
		`" onmouseover="x`:                       `" onmouseover="x`,
		"{{.Link}}":                              "{{. Link}}",
		"=?utf-8?q?=0D=0ABcc=3A_all=40example?=": "= ?utf-8?q?=0D=0ABcc=3A_all=40example?=",
		"Wanjirũ wa Ng'ang'a-O’Brien":            "Wanjirũ wa Ng'ang'a-O’Brien",
		"J. R. Otieno & Sons":                    "J. R. Otieno & Sons",
	} {
		for name, c := range letters(links(t), hostile) {
			m, err := c.letter.Render(mail.Recipient{Address: "amina@example.com", Name: hostile})
			if err != nil {
				t.Fatal(err)
			}
			checkHarmless(t, m, c.link)
			if shown != "" && !strings.Contains(m.Text, "Hello "+shown+",") {
				t.Errorf("%s: %q is not shown as %q:\n%s", name, hostile, shown, m.Text)
			}
		}
	}
}

func TestNoNameBecomesALinkOrMarkup(t *testing.T) {
	l := links(t)
	pieces := []string{"http", "https", "://", ":", "/", ".", "@", "evil", "example", "com", "www", " ", "<a href=x>", "\r\n", "\n\n", "．", "。", "\u200b", "é", "&lt;", "{{", "}}", "'", `"`, "+254700000001"}
	rapid.Check(t, func(t *rapid.T) {
		hostile := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "any") {
			hostile += rapid.String().Draw(t, "tail")
		}
		for _, c := range letters(l, hostile) {
			m, err := c.letter.Render(mail.Recipient{Address: "amina@example.com", Name: hostile})
			if err != nil {
				t.Fatal(err)
			}
			checkHarmless(t, m, c.link)
		}
	})
}

var (
	linkable = regexp.MustCompile(`[\pL\pN_-][.。．｡․][\pL\pN_-]|@[\pL\pN]`)
)

// checkHarmless looks for anything that a name could have smuggled in. Our own
// words have no full stop or @ inside a word, so what has one came from a name.
func checkHarmless(t interface {
	Errorf(format string, args ...any)
}, m mail.Message, link string) {
	text := m.Text
	if link != "" {
		text = strings.Replace(text, link, "", 1)
	}
	switch {
	case webAddress.MatchString(text), linkable.MatchString(text):
		t.Errorf("text has something to click on:\n%q", text)
	case strings.ContainsAny(text, "<>\r\x00") || !utf8.ValidString(text):
		t.Errorf("text has markup or controls:\n%q", text)
	case strings.ContainsAny(m.Subject, "\r\n<>") || strings.Contains(m.Subject, "=?") || utf8.RuneCountInString(m.Subject) > 120:
		t.Errorf("subject %q", m.Subject)
	case len(anchor.FindAllString(m.HTML, -1)) != strings.Count(m.HTML, "<a"):
		t.Errorf("HTML has a foreign anchor")
	case strings.Contains(strings.ToLower(m.HTML), "<script"), strings.Contains(m.HTML, " onmouseover=\""):
		t.Errorf("HTML has foreign markup")
	}
	for _, a := range anchor.FindAllStringSubmatch(m.HTML, -1) {
		if a[1] != link {
			t.Errorf("HTML leads to %q", a[1])
		}
	}
}

func TestLinksComeFromThePublicURLOnly(t *testing.T) {
	for base, want := range map[string]string{
		"https://app.example.com":       "https://app.example.com/verify-email#token=" + token,
		"https://app.example.com/":      "https://app.example.com/verify-email#token=" + token,
		"http://localhost:8080":         "http://localhost:8080/verify-email#token=" + token,
		"https://example.com/ujumbe/":   "https://example.com/ujumbe/verify-email#token=" + token,
		"https://[2001:db8::1]:8443":    "https://[2001:db8::1]:8443/verify-email#token=" + token,
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example/verify-email#token=" + token,
	} {
		l, err := mail.NewLinks(base)
		if err != nil {
			t.Errorf("NewLinks(%q): %v", base, err)
			continue
		}
		if got := l.VerifyEmail(token).String(); got != want {
			t.Errorf("link %q; want %q", got, want)
		}
	}
	for _, base := range []string{
		"", "app.example.com", "//app.example.com", "/app", "ftp://app.example.com", "javascript:alert(1)", "https://",
		"https://user:pass@app.example.com", "https://app.example.com?x=1", "https://app.example.com?", "https://app.example.com#x",
		"https://app.example.com#", "https://app.example.com/\r\n", `https://app.example.com/"><script>`, "https://:8080",
	} {
		if _, err := mail.NewLinks(base); err == nil {
			t.Errorf("NewLinks(%q) accepted", base)
		}
	}
}

func TestTokenCannotLeaveTheFragment(t *testing.T) {
	got := links(t).ResetPassword("a b&c=d#e\"<>\r\n").String()
	if want := "https://app.example.com/reset-password#token=a+b%26c%3Dd%23e%22%3C%3E%0D%0A"; got != want {
		t.Errorf("link %q; want %q", got, want)
	}
}

func BenchmarkRender(b *testing.B) {
	letter := mail.VerifyEmail{Link: links(b).VerifyEmail(token), ValidFor: 24 * time.Hour}
	for b.Loop() {
		if _, err := letter.Render(mail.Recipient{Address: "amina@example.com", Name: "Amina"}); err != nil {
			b.Fatal(err)
		}
	}
}
