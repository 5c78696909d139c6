package transfer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
)

// Mailing is a file of contacts that goes to an address.
type Mailing struct {
	Email    string `json:"email" doc:"Who gets the file." example:"name@example.com"`
	Filename string `json:"filename" doc:"Must end with .csv, .xlsx or .pdf." example:"contacts.csv"`
	File     string `json:"fileBase64" doc:"The file in base64, at most 10 MiB of it."`
	MimeType string `json:"mimeType" doc:"The media type that belongs to the name." example:"text/csv"`
	Count    *int64 `json:"count" minimum:"0" maximum:"100000000" doc:"How many contacts are in the file."`
}

// The bounds of a mailing.
const (
	maxMailedFile = 10 << 20
	maxMailedBody = maxMailedFile/3*4 + 64<<10
	maxCount      = 100_000_000
	// mailingPatience is how long a mail server may be away.
	mailingPatience = 3 * 24 * time.Hour
)

var mailingRule = ratelimit.Rule{Name: "export-email", Events: 20, Window: 24 * time.Hour}

var errMailedFile = fault.TooLarge("file_too_large", fmt.Sprintf("The file is larger than %s. Send a smaller one.", size(maxMailedFile)))

// SendExport mails a file that the caller has made of contacts. The words of the
// mail are ours; the file is what its name says.
func (s *Service) SendExport(ctx context.Context, by account.Caller, exchange *httpapi.Exchange) error {
	leave, err := s.uploads.enter(by.Account)
	if err != nil {
		return err
	}
	defer leave()
	body := exchange.Body(maxMailedBody, s.Stopping)
	defer body.Close()
	file, err := httpapi.NewSpool(s.Folder, body)
	if err != nil {
		body.Discard()
		if fault.Code(err) == "body_too_large" {
			return errMailedFile
		}
		return uploadFault(err, maxMailedFile)
	}
	defer file.Close()
	body.Close()
	exchange.Hold()
	done, err := s.mailings.wait(ctx, by.Account, s.Stopping)
	if err != nil {
		return err
	}
	defer done()
	parcel, err := readMailing(io.NewSectionReader(file, 0, file.Size))
	if err != nil {
		return err
	}
	return httpapi.Briefly(ctx, func(ctx context.Context) error { return s.post(ctx, by, &parcel) })
}

// post stores a parcel together with the job that sends it.
func (s *Service) post(ctx context.Context, by account.Caller, p *parcel) error {
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Limiter.Take(ctx, tx, mailingRule.On(by.Account.String())); err != nil {
			return err
		}
		if err := s.store.addMail(ctx, tx, by, p); err != nil {
			return err
		}
		err := s.Trail.Record(ctx, tx, by, audit.ContactsMailed, fmt.Sprintf("%s to %s", p.file.Name, p.address))
		if err != nil {
			return err
		}
		return s.Queue.Enqueue(ctx, tx, delivery{by.Account, p.id}, mailingPatience)
	})
}

type parcelID = id.Of[parcel]

// parcel is a file on its way to an address.
type parcel struct {
	id      parcelID
	address string
	askedBy string
	count   int64
	file    mail.Attachment
}

func readMailing(src io.Reader) (parcel, error) {
	var (
		m     Mailing
		wrong *json.UnmarshalTypeError
	)
	switch err := json.NewDecoder(src).Decode(&m); {
	case errors.As(err, &wrong):
		return parcel{}, bulkInvalid("body."+wrong.Field, "must not have a "+wrong.Value+" there")
	case err != nil:
		return parcel{}, errNotJSON
	}
	var c field.Checks
	p := parcel{id: id.New[parcel](), address: c.Email("body.email", m.Email)}
	if m.Count == nil || *m.Count < 0 || *m.Count > maxCount {
		c.Fail("body.count", "must be a number of contacts")
	} else {
		p.count = *m.Count
	}
	content, err := decodeFile(m.File)
	if err != nil {
		c.Fail("body.fileBase64", "must be a file in base64")
	}
	if len(content) > maxMailedFile {
		return parcel{}, errMailedFile
	}
	p.file = checkFile(&c, m.Filename, m.MimeType, content)
	return p, c.Err()
}

// decodeFile reads base64, also as browsers write it into a data URL.
func decodeFile(encoded string) ([]byte, error) {
	if _, rest, ok := strings.Cut(encoded, ";base64,"); ok && strings.HasPrefix(encoded, "data:") {
		encoded = rest
	}
	return base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
}

// delivery is the job that sends a parcel.
type delivery struct {
	Account account.ID `json:"account"`
	Parcel  parcelID   `json:"parcel"`
}

// Kind names the job.
func (delivery) Kind() string { return "transfer.export_mail" }

// deliver sends a parcel and then forgets it. A parcel that is gone was sent.
func (s *Service) deliver(ctx context.Context, d delivery) error {
	p, err := s.store.findMail(ctx, d)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	org, err := s.Accounts.Find(ctx, s.DB, d.Account)
	if err != nil {
		return err
	}
	message, err := mail.ExportFile{Organization: org.Name, AskedBy: p.askedBy, Count: int(p.count), File: p.file}.Render(mail.Recipient{Address: p.address})
	if err != nil {
		return job.Permanent(err)
	}
	if err := s.Mail.Send(ctx, message); err != nil {
		if !mail.IsPermanent(err) {
			return err
		}
		return errors.Join(err, s.store.dropMail(ctx, d))
	}
	return s.store.dropMail(ctx, d)
}

// addMail stores a parcel with the name of who asked for it.
func (s *store) addMail(ctx context.Context, tx database.Tx, by account.Caller, p *parcel) error {
	err := tx.Queue(ctx, `INSERT INTO export_mail (account_id, id, address, asked_by, file_name, media_type, contacts, created_at, content)
		SELECT $1, $2, $3, first_name || ' ' || last_name, $4, $5, $6, $7, $8 FROM users WHERE id = $9`,
		by.Account, p.id, p.address, p.file.Name, p.file.Type, p.count, s.clock.Now(), p.file.Content, by.User)
	if err != nil {
		return fmt.Errorf("insert export mail: %w", err)
	}
	return nil
}

func (s *store) findMail(ctx context.Context, d delivery) (parcel, error) {
	p := parcel{id: d.Parcel}
	err := s.db.QueryRow(ctx, `SELECT address, asked_by, file_name, media_type, contacts, content FROM export_mail WHERE account_id = $1 AND id = $2`,
		d.Account, d.Parcel).Scan(&p.address, &p.askedBy, &p.file.Name, &p.file.Type, &p.count, &p.file.Content)
	if err != nil {
		return parcel{}, fmt.Errorf("read export mail: %w", err)
	}
	return p, nil
}

func (s *store) dropMail(ctx context.Context, d delivery) error {
	if _, err := s.db.Exec(ctx, `DELETE FROM export_mail WHERE account_id = $1 AND id = $2`, d.Account, d.Parcel); err != nil {
		return fmt.Errorf("delete export mail: %w", err)
	}
	return nil
}

// sweepMails deletes files that could not be mailed.
func (s *store) sweepMails(ctx context.Context, now clock.Time) error {
	if _, err := s.db.Exec(ctx, `DELETE FROM export_mail WHERE created_at < $1`, now.Add(-mailingPatience-24*time.Hour)); err != nil {
		return fmt.Errorf("sweep export mails: %w", err)
	}
	return nil
}
