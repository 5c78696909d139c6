package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
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
	// write writes all contacts of an export.
	write func(ctx context.Context, e *export) error
}

var csvForm = form{
	extension: "csv", mediaType: "text/csv; charset=utf-8", head: sheet.Header, isDownload: true,
	write: func(ctx context.Context, e *export) error {
		return e.service.Contacts.StreamLines(ctx, e.by.Account, e.list, func(l *contact.Line) error {
			if err := e.next(ctx); err != nil {
				return err
			}
			e.part = sheet.AppendContact(e.part, &sheet.Contact{
				FirstName: l.FirstName, LastName: l.LastName, Phone: l.Phone.String(), Email: l.Email, Tags: string(l.Tags), Notes: l.Notes,
			})
			return nil
		})
	},
}

var jsonForm = form{
	extension: "json", mediaType: "application/json", head: "[", tail: "]\n",
	write: func(ctx context.Context, e *export) error {
		return e.service.Contacts.Stream(ctx, e.by.Account, e.list, func(c *contact.Contact) error {
			if err := e.next(ctx); err != nil {
				return err
			}
			if e.count > 1 {
				e.part = append(e.part, ',')
			}
			encoded, err := json.Marshal(c)
			e.part = append(e.part, encoded...)
			return err
		})
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
	err := f.write(ctx, e)
	if fault.Is(err, fault.KindNotFound) {
		return errNoList
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return e.finish(ctx)
}

// export is an export at work.
type export struct {
	service *Service
	by      account.Caller
	list    *contact.ListID
	form    form
	out     *httpapi.Stream
	part    []byte
	count   int
}

// next makes room for another contact.
func (e *export) next(ctx context.Context) error {
	if e.count == 0 {
		if err := httpapi.Briefly(ctx, e.begin); err != nil {
			return err
		}
	}
	e.count++
	if len(e.part) < exportPart {
		return nil
	}
	isFirst := !e.out.Begun()
	_, err := e.out.Write(e.part)
	e.part = e.part[:0]
	if isFirst {
		e.out.Flush()
	}
	return err
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
	e.part = append(make([]byte, 0, exportPart+exportPart/4), e.form.head...)
	return nil
}

func (e *export) finish(ctx context.Context) error {
	if e.count == 0 {
		if err := httpapi.Briefly(ctx, e.begin); err != nil {
			return err
		}
	}
	_, err := e.out.Write(append(e.part, e.form.tail...))
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
