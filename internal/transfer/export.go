package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/transfer/sheet"
)

// form is how an export writes contacts.
type form struct {
	extension, mediaType string
	head, tail           string
	isDownload           bool
	// write sends all contacts, or those of a list, in parts.
	write func(ctx context.Context, from *contact.Store, org account.ID, list *contact.ListID, send func(part []byte) error) error
}

var csvForm = form{
	extension: "csv", mediaType: "text/csv; charset=utf-8", head: sheet.Header, isDownload: true,
	write: func(ctx context.Context, from *contact.Store, org account.ID, list *contact.ListID, send func(part []byte) error) error {
		var number []byte
		return from.StreamLines(ctx, org, list, func(part []byte, l *contact.Line) []byte {
			number = l.Phone.Append(number[:0])
			return sheet.AppendContact(part, &sheet.Contact[[]byte]{
				FirstName: l.FirstName, LastName: l.LastName, Phone: number, Email: l.Email, Tags: l.Tags, Notes: l.Notes,
			})
		}, send)
	},
}

var jsonForm = form{
	extension: "json", mediaType: "application/json", head: "[", tail: "]\n",
	write: func(ctx context.Context, from *contact.Store, org account.ID, list *contact.ListID, send func(part []byte) error) error {
		separator := ""
		return from.Stream(ctx, org, list, func(part []byte, c *contact.Contact) ([]byte, error) {
			encoded, err := json.Marshal(c)
			part = append(append(part, separator...), encoded...)
			separator = ","
			return part, err
		}, send)
	},
}

// exportPart is how much of an export is written at a time.
const exportPart = 64 << 10

var errNoList = fault.Invalid("unknown_list", "There is no such list in this organization.",
	fault.Field{Location: "query.listId", Message: "must be a list of this organization"})

// Export writes all contacts, or those of a list, newest first. An error after
// the answer has begun means that it is not complete.
func (s *Service) Export(ctx context.Context, by account.Caller, list *contact.ListID, f form, out *httpapi.Stream) error {
	e := &export{service: s, by: by, list: list, form: f, out: out}
	err := f.write(ctx, s.Contacts, by.Account, list, func(part []byte) error { return e.send(ctx, part) })
	if fault.Is(err, fault.KindNotFound) {
		return errNoList
	}
	if err == nil {
		_, err = out.Write([]byte(f.tail))
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// export is an export at work.
type export struct {
	service *Service
	by      account.Caller
	list    *contact.ListID
	form    form
	out     *httpapi.Stream
}

// send lets a part out, in pieces that also a slow client takes in time. The
// first one, which may be empty, begins the answer.
func (e *export) send(ctx context.Context, part []byte) error {
	if !e.out.Begun() {
		if err := httpapi.Briefly(ctx, e.begin); err != nil {
			return err
		}
		defer e.out.Flush()
	}
	for piece := range slices.Chunk(part, exportPart) {
		if _, err := e.out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// begin notes the deed, and only then lets anything out.
func (e *export) begin(ctx context.Context) error {
	s := e.service
	org, err := s.Accounts.Find(ctx, s.DB, e.by.Account)
	if err != nil {
		return err
	}
	what := "all contacts as " + strings.ToUpper(e.form.extension)
	if e.list != nil {
		what = fmt.Sprintf("list %s as %s", e.list, strings.ToUpper(e.form.extension))
	}
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		return s.Trail.Record(ctx, tx, e.by, audit.ContactsExported, what)
	})
	if err != nil {
		return err
	}
	header := e.out.Header()
	header.Set("Content-Type", e.form.mediaType)
	if e.form.isDownload {
		header.Set("Content-Disposition", disposition(exportName(org, s.Clock.Now().Std())))
	}
	_, err = e.out.Write([]byte(e.form.head))
	return err
}

// exportName is the name a download gets.
func exportName(org account.Account, now time.Time) string {
	if zone, err := time.LoadLocation(org.Timezone); err == nil {
		now = now.In(zone)
	}
	return "contacts " + org.Name + " " + now.Format(time.DateOnly) + ".csv"
}

// disposition offers a download under a name: in plain letters for every
// client, and as it is for those that know how.
func disposition(name string) string {
	name = fileName(strings.NewReplacer("/", "-", "\\", "-").Replace(name))
	return fmt.Sprintf(`attachment; filename="%s"; filename*=UTF-8''%s`, plainName(name), url.PathEscape(name))
}

// plainName writes a name in letters, digits, dots and hyphens.
func plainName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.'):
			b.WriteRune(unicode.ToLower(r))
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(strings.ReplaceAll(b.String(), "-.", "."), "-.")
}
