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
	withLists            bool
	// append appends a contact, the first one or a later one.
	append func(dst []byte, c *contact.Contact, isFirst bool) ([]byte, error)
}

var csvForm = form{
	extension: "csv", mediaType: "text/csv; charset=utf-8", head: sheet.Header,
	append: func(dst []byte, c *contact.Contact, _ bool) ([]byte, error) {
		return sheet.AppendContact(dst, &sheet.Contact{
			FirstName: database.OrEmpty(c.FirstName), LastName: database.OrEmpty(c.LastName), Phone: c.Phone.String(),
			Email: database.OrEmpty(c.Email), Notes: database.OrEmpty(c.Notes), Tags: c.Tags,
		}), nil
	},
}

var jsonForm = form{
	extension: "json", mediaType: "application/json", head: "[", tail: "]\n", withLists: true,
	append: func(dst []byte, c *contact.Contact, isFirst bool) ([]byte, error) {
		if !isFirst {
			dst = append(dst, ',')
		}
		encoded, err := json.Marshal(c)
		return append(dst, encoded...), err
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
	err := s.Contacts.Stream(ctx, by.Account, contact.Selection{List: list, WithoutLists: !f.withLists}, func(c *contact.Contact) error {
		return e.add(ctx, c)
	})
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

func (e *export) add(ctx context.Context, c *contact.Contact) (err error) {
	if e.count == 0 {
		if err := e.begin(ctx); err != nil {
			return err
		}
	}
	e.part, err = e.form.append(e.part, c, e.count == 0)
	if err != nil {
		return err
	}
	e.count++
	if len(e.part) < exportPart {
		return nil
	}
	isFirst := !e.out.Begun()
	_, err = e.out.Write(e.part)
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
	if e.form.extension == csvForm.extension {
		header.Set("Content-Disposition", disposition(exportName(org, s.Clock.Now().Std())))
	}
	e.part = append(make([]byte, 0, exportPart+exportPart/4), e.form.head...)
	return nil
}

func (e *export) finish(ctx context.Context) error {
	if e.count == 0 {
		if err := e.begin(ctx); err != nil {
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
