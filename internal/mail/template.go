package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	html "html/template"
	"strconv"
	"strings"
	text "text/template"
	"time"

	"ujumbe/internal/clock"
)

// Each letter has one file of words per language, in plain text: a subject, a
// heading, paragraphs, the label of the button, and a note in smaller print;
// shared.tmpl has what the letters have in common. Two layouts, the same for
// all languages, set those words as HTML and as text, so the two parts of a mail
// can't drift apart, and all escaping happens in one place. The one language
// so far is English.
//
//go:embed templates
var files embed.FS

var (
	htmlLayout = html.Must(html.ParseFS(files, "templates/layout.html"))
	textLayout = text.Must(text.ParseFS(files, "templates/layout.txt"))
	english    = newLanguage("en", text.FuncMap{"span": englishSpan, "moment": englishMoment, "count": englishCount})
)

// language holds the words of every letter, by name of the letter.
type language struct {
	tag   string
	words map[string]*text.Template
}

// newLanguage reads a folder of words. The files are part of the binary, so a
// mistake in one is a programming error that the first test shows.
func newLanguage(tag string, phrases text.FuncMap) language {
	folder := "templates/" + tag
	entries, err := files.ReadDir(folder)
	if err != nil {
		panic(err)
	}
	l := language{tag: tag, words: make(map[string]*text.Template, len(entries))}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".tmpl")
		t := text.New(name).Funcs(phrases)
		l.words[name] = text.Must(t.ParseFS(files, folder+"/shared.tmpl", folder+"/"+entry.Name()))
	}
	return l
}

// content is everything that words may mention. Strings in it are clean.
type content struct {
	Name         string
	Link         Link
	ValidFor     time.Duration
	At           clock.Time
	Organization string
	Person       string
	Role         string
	Count        int
}

// page is a letter in words, before it is set as HTML or text.
type page struct {
	Language string
	Subject  string
	Heading  string
	Body     []string
	Action   string // label of the button
	Copy     string // introduces the link in full
	Link     string
	Note     []string
	Footer   string
}

// render writes a letter that leads somewhere.
func render(to Recipient, name string, c content) (Message, error) {
	if c.Link == (Link{}) {
		return Message{}, fmt.Errorf("mail %s: no link", name)
	}
	return renderNotice(to, name, c)
}

// renderNotice writes a letter that need not lead anywhere.
func renderNotice(to Recipient, name string, c content) (Message, error) {
	c.Name = cleanName(to.Name)
	p, err := english.page(name, c)
	if err != nil {
		return Message{}, fmt.Errorf("mail %s: %w", name, err)
	}
	var asHTML, asText bytes.Buffer
	if err := errors.Join(htmlLayout.Execute(&asHTML, p), textLayout.Execute(&asText, p)); err != nil {
		return Message{}, fmt.Errorf("mail %s: %w", name, err)
	}
	return Message{To: to.Address, Subject: p.Subject, HTML: asHTML.String(), Text: asText.String()}, nil
}

func (l language) page(name string, c content) (page, error) {
	w := wording{words: l.words[name], content: c}
	p := page{
		Language: l.tag,
		Subject:  w.line("subject"),
		Heading:  w.line("heading"),
		Body:     w.paragraphs("body"),
		Note:     w.paragraphs("note"),
		Footer:   w.line("footer"),
	}
	if c.Link != (Link{}) {
		p.Link, p.Action, p.Copy = c.Link.String(), w.line("action"), w.line("copy")
	}
	return p, w.err
}

// wording fills the parts of one letter and keeps the first error.
type wording struct {
	words   *text.Template
	content content
	err     error
}

// paragraphs returns a part split at its empty lines. No value in content has a
// line break, so users can't add paragraphs.
func (w *wording) paragraphs(part string) []string {
	var b strings.Builder
	if err := w.words.ExecuteTemplate(&b, part, w.content); err != nil && w.err == nil {
		w.err = err
	}
	var all []string
	for paragraph := range strings.SplitSeq(b.String(), "\n\n") {
		if line := strings.Join(strings.Fields(paragraph), " "); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func (w *wording) line(part string) string { return strings.Join(w.paragraphs(part), " ") }

// englishSpan says how long something holds, in the largest unit that fits:
// 3 days, 24 hours, 1 hour, 15 minutes.
func englishSpan(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return plural(int(d/day), "day")
	case d >= time.Hour && d%time.Hour == 0:
		return plural(int(d/time.Hour), "hour")
	}
	return plural(int(d/time.Minute), "minute")
}

func englishMoment(t clock.Time) string { return t.Std().Format("2 January 2006 at 15:04 UTC") }

// englishCount says how many rows there are: 1 row, 12,345 rows.
func englishCount(n int) string { return plural(n, "row") }

func plural(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return thousands(n) + " " + unit
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
