package mail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	html "html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
)

// InboxPath is where the development inbox is mounted.
const InboxPath = "/dev/mail"

const (
	maxInbox   = 200   // mails on the page
	maxScanned = 2_000 // files read to find them
)

// inboxName is the name of a mail as Files gives it, less the suffix. Nothing
// else is ever opened.
var inboxName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[0-9a-f-]{36}$`)

var (
	inboxList = html.Must(html.ParseFS(files, "templates/inbox.html", "templates/inbox_list.html"))
	inboxMail = html.Must(html.ParseFS(files, "templates/inbox.html", "templates/inbox_mail.html"))
)

// Inbox shows the mails that Files keeps in dir, so that a newcomer can follow
// a mailed link without a mail server. It serves InboxPath and what is below,
// and nothing else:
//
//	GET /dev/mail             the latest 200 mails, newest first; ?to= keeps those to one address
//	GET /dev/mail/{id}        one mail: its text, its HTML in a sandbox, its headers
//	GET /dev/mail/{id}/raw    the .eml file, attachments and all
//
// The first two answer in JSON to ?format=json or "Accept: application/json".
// Whoever reaches the inbox can take over every account, so it belongs to
// development mode alone.
func Inbox(dir string) http.Handler {
	in := inbox{dir: dir}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+InboxPath, in.list)
	mux.HandleFunc("GET "+InboxPath+"/{$}", in.list)
	mux.HandleFunc("GET "+InboxPath+"/{id}", in.show)
	mux.HandleFunc("GET "+InboxPath+"/{id}/raw", in.raw)
	return mux
}

type inbox struct{ dir string }

func (in inbox) list(w http.ResponseWriter, r *http.Request) {
	mails, err := in.latest(r.URL.Query().Get("to"))
	if err != nil {
		fail(w, err)
		return
	}
	if wantsJSON(r) {
		answerJSON(w, mails)
		return
	}
	answerPage(w, inboxList, map[string]any{"Path": InboxPath, "Mails": mails, "Limit": maxInbox})
}

func (in inbox) show(w http.ResponseWriter, r *http.Request) {
	m, err := in.read(r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	if wantsJSON(r) {
		answerJSON(w, m)
		return
	}
	answerPage(w, inboxMail, map[string]any{"Path": InboxPath, "Mail": m})
}

func (in inbox) raw(w http.ResponseWriter, r *http.Request) {
	file, err := in.open(r.PathValue("id"))
	if err != nil {
		fail(w, err)
		return
	}
	defer file.Close()
	secure(w)
	w.Header().Set("Content-Type", "message/rfc822")
	w.Header().Set("Content-Disposition", `attachment; filename="`+r.PathValue("id")+fileSuffix+`"`)
	_, _ = io.Copy(w, io.LimitReader(file, maxEML))
}

// latest reads the newest mails, newest first. A file that is no mail is passed
// over.
func (in inbox) latest(to string) ([]received, error) {
	entries, err := os.ReadDir(in.dir) // sorted by name, which is by time
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read inbox: %w", err)
	}
	mails := []received{}
	for _, entry := range slices.Backward(entries[max(0, len(entries)-maxScanned):]) {
		name, ok := strings.CutSuffix(entry.Name(), fileSuffix)
		if !ok {
			continue
		}
		m, err := in.read(name)
		if err != nil || to != "" && AddressKey(m.To) != AddressKey(to) {
			continue
		}
		if mails = append(mails, m); len(mails) == maxInbox {
			break
		}
	}
	return mails, nil
}

func (in inbox) read(name string) (received, error) {
	file, err := in.open(name)
	if err != nil {
		return received{}, err
	}
	defer file.Close()
	m, err := readEML(file)
	m.ID = name
	return m, err
}

// open opens a mail by the name that Files gave it. The root keeps even a
// planted symbolic link from leading out of the folder.
func (in inbox) open(name string) (*os.File, error) {
	if !inboxName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(in.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.Open(name + fileSuffix)
}

func wantsJSON(r *http.Request) bool {
	if format := r.URL.Query().Get("format"); format != "" {
		return format == "json"
	}
	return strings.Contains(r.Header.Get("Accept"), "application/json")
}

// secure forbids scripts, remote content and framing. The mail's own HTML stands
// in a sandboxed frame, which inherits this policy.
func secure(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func answerPage(w http.ResponseWriter, t *html.Template, data any) {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, "inbox.html", data); err != nil {
		fail(w, err)
		return
	}
	secure(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w)
}

func answerJSON(w http.ResponseWriter, data any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(data); err != nil {
		fail(w, err)
		return
	}
	secure(w)
	w.Header().Set("Content-Type", "application/json")
	_, _ = body.WriteTo(w)
}

func fail(w http.ResponseWriter, err error) {
	secure(w)
	if errors.Is(err, fs.ErrNotExist) {
		http.Error(w, "There is no such mail. Go back to "+InboxPath+".", http.StatusNotFound)
		return
	}
	http.Error(w, "The mail folder could not be read: "+err.Error(), http.StatusInternalServerError)
}
