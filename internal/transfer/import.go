package transfer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// ImportFile imports the file of a form. The record is returned as soon as there
// is one, also with an error.
func (s *Service) ImportFile(ctx context.Context, by account.Caller, exchange *httpapi.Exchange) (Import, error) {
	leave, err := s.uploads.enter(by.Account)
	if err != nil {
		return Import{}, err
	}
	defer leave()
	body := exchange.Body(s.MaxFile+maxFormExtra, s.Stopping)
	defer body.Close()
	form, err := readForm(body, exchange.Header("Content-Type"), s.Folder, s.MaxFile)
	if err != nil {
		body.Discard()
		return Import{}, err
	}
	defer form.close()
	body.Close()
	exchange.Hold()
	return s.importFrom(ctx, by, form, func() (source, error) { return openFile(form.file, s.Folder) })
}

// ImportBulk imports the contacts of a JSON body.
func (s *Service) ImportBulk(ctx context.Context, by account.Caller, exchange *httpapi.Exchange) (Import, error) {
	leave, err := s.uploads.enter(by.Account)
	if err != nil {
		return Import{}, err
	}
	defer leave()
	body := exchange.Body(s.MaxBulk, s.Stopping)
	defer body.Close()
	file, err := httpapi.NewSpool(s.Folder, body)
	if err != nil {
		body.Discard()
		return Import{}, bulkFault(err, s.MaxBulk)
	}
	defer file.Close()
	body.Close()
	exchange.Hold()
	bulk, err := openBulk(file)
	if err != nil {
		return Import{}, err
	}
	return s.importFrom(ctx, by, upload{list: bulk.list, file: file}, func() (source, error) { return bulk, nil })
}

// importFrom imports an upload that has arrived. Nothing is stored, and there is
// no record, before it is known that all of it can be read.
func (s *Service) importFrom(ctx context.Context, by account.Caller, u upload, open func() (source, error)) (Import, error) {
	record := Import{
		ID: id.New[contact.Import](), Status: Running, ListID: u.list, BytesTotal: u.file.Size, UserID: by.User,
	}
	if u.name != "" {
		record.FileName = &u.name
	}
	var loader *contact.Loader
	err := httpapi.Briefly(ctx, func(ctx context.Context) (err error) {
		loader, err = s.Contacts.NewLoader(ctx, by.Account, u.list, &record.ID)
		return err
	})
	if err != nil {
		return Import{}, err
	}
	leave, err := s.runs.wait(ctx, by.Account, s.Stopping)
	if err != nil {
		return Import{}, err
	}
	defer leave()
	src, err := open()
	if err != nil {
		return Import{}, err
	}
	defer src.Close()
	record.Format = src.format()
	record.StartedAt = s.Clock.Now()
	if err := s.begin(ctx, by, &record, src.columns()); err != nil {
		return Import{}, err
	}
	r := &run{service: s, org: by.Account, id: record.ID, loader: loader, source: src, room: newRoom()}
	if err := r.close(ctx, r.all(ctx)); err != nil {
		return record, s.explain(ctx, by.Account, record.ID, err)
	}
	done, err := s.outcome(ctx, by.Account, record.ID)
	if err != nil {
		return record, err
	}
	err = httpapi.Briefly(ctx, func(ctx context.Context) error { return s.Contacts.Settle(ctx, s.Queue, done.Imported) })
	if err != nil {
		slog.WarnContext(ctx, "what was imported is not settled", "error", err) // and reads are slower for a while
	}
	return done, nil
}

// find reads one record in the middle of a long operation.
func (s *Service) find(ctx context.Context, org account.ID, i ID) (found Import, err error) {
	err = httpapi.Briefly(ctx, func(ctx context.Context) error {
		found, err = s.store.find(ctx, org, i)
		return err
	})
	return found, err
}

// outcome reads the record of an import that has ended, also for a caller who
// has gone.
func (s *Service) outcome(ctx context.Context, org account.ID, i ID) (Import, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	return s.store.find(ctx, org, i)
}

// explain tells a caller whose import the node can't finish how far it came.
func (s *Service) explain(ctx context.Context, org account.ID, i ID, ended error) error {
	if !errors.Is(ended, httpapi.ErrStopping) {
		return ended
	}
	record, err := s.outcome(ctx, org, i)
	if err != nil {
		return ended
	}
	return fault.Unavailable(httpapi.ErrStopping.Code, fmt.Sprintf("The server is restarting. It stored %d contacts of this import and passed over %d rows. "+
		"Send the same file again: rows that are stored are passed over.", record.Imported, record.Skipped), httpapi.ErrStopping.RetryAfter)
}

// begin stores the record of an import together with the deed.
func (s *Service) begin(ctx context.Context, by account.Caller, record *Import, columns []string) error {
	return httpapi.Briefly(ctx, func(ctx context.Context) error {
		return s.DB.InTx(ctx, func(tx database.Tx) error {
			if err := s.store.begin(ctx, tx, by.Account, record, columns); err != nil {
				return err
			}
			return s.Trail.Record(ctx, tx, by, audit.ContactsImported, record.what())
		})
	})
}

// undoTime bounds the undoing of an import, which goes batch by batch.
const undoTime = 10 * time.Minute

// Undo puts the contacts that an import brought in into the trash, as far as
// they are not there already, and returns how many. When it is cut short, what
// is done is done; calling again goes on.
func (s *Service) Undo(ctx context.Context, by account.Caller, i ID) (deleted int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, undoTime)
	defer cancel()
	record, err := s.find(ctx, by.Account, i)
	if err != nil {
		return 0, err
	}
	if record.Status == Running {
		return 0, errRunning
	}
	deleted, err = s.Contacts.TrashImported(ctx, by.Account, i)
	if err != nil {
		return deleted, err
	}
	err = httpapi.Briefly(ctx, func(ctx context.Context) error {
		return s.DB.InTx(ctx, func(tx database.Tx) error {
			if err := s.store.undone(ctx, tx, by.Account, i); err != nil {
				return err
			}
			return s.Trail.Record(ctx, tx, by, audit.ImportUndone, fmt.Sprintf("%d contacts of %s", deleted, record.what()))
		})
	})
	return deleted, err
}
