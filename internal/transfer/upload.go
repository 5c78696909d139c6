package transfer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"strings"
	"unicode"

	"ujumbe/internal/contact"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// upload is what a form of an import holds.
type upload struct {
	file *httpapi.Spool
	name string
	list *contact.ListID
}

// The bounds of a form around its file.
const (
	maxFormExtra = 1 << 20
	maxFormParts = 32
	maxFileName  = 200
)

var (
	errNotMultipart = fault.BadRequest("bad_upload", "The upload can't be read as a form with a file. Send multipart/form-data with the file in the field named file.")
	errNoFile       = fault.BadRequest("file_missing", "There is no file in the upload. Send it in the field named file.")
	errTwoFiles     = fault.BadRequest("bad_upload", "There is more than one file in the upload. Send one after the other.")
	errManyParts    = fault.BadRequest("bad_upload", "The form has too many fields. Send the fields file and listId.")
	errCutShort     = fault.BadRequest("upload_incomplete", "The upload ended before it was complete. Nothing was stored. Send it again.")
	errListID       = fault.Invalid("validation_failed", "The field listId is not the id of a list.", fault.Field{Location: "body.listId", Message: "must be a uuid"})
)

func errFileTooLarge(limit int64) error {
	return fault.TooLarge("file_too_large", fmt.Sprintf("The file is larger than %s. Split it and import the parts one after the other.", size(limit)))
}

func size(bytes int64) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// readForm reads a form as it arrives, its file into a spool, its fields in any
// order. The caller closes the file.
func readForm(body io.Reader, contentType, folder string, maxFile int64) (upload, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return upload{}, errNotMultipart
	}
	var u upload
	err = u.read(multipart.NewReader(body, params["boundary"]), folder, maxFile)
	if err == nil && u.file == nil {
		err = errNoFile
	}
	if err != nil {
		u.close()
		return upload{}, uploadFault(err, maxFile)
	}
	return u, nil
}

func (u *upload) read(form *multipart.Reader, folder string, maxFile int64) error {
	for range maxFormParts {
		part, err := form.NextPart()
		if err == io.EOF { // a form that is cut short wraps it
			return nil
		}
		if err != nil {
			return err
		}
		if err := u.take(part, folder, maxFile); err != nil {
			return err
		}
	}
	return errManyParts
}

func (u *upload) take(part *multipart.Part, folder string, maxFile int64) (err error) {
	switch part.FormName() {
	case "file":
		if u.file != nil {
			return errTwoFiles
		}
		u.name = fileName(part.FileName())
		u.file, err = httpapi.NewSpool(folder, io.LimitReader(part, maxFile+1))
		if err == nil && u.file.Size > maxFile {
			return errFileTooLarge(maxFile)
		}
		return err
	case "listId":
		return u.readListID(part)
	}
	return nil
}

func (u *upload) close() {
	if u.file != nil {
		u.file.Close()
	}
}

// readListID reads the field listId; an empty one is none.
func (u *upload) readListID(part io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(part, 64))
	if err != nil {
		return err
	}
	trimmed := strings.TrimSpace(string(text))
	if trimmed == "" {
		return nil
	}
	list, err := id.Parse[contact.List](trimmed)
	if err != nil {
		return errListID
	}
	u.list = &list
	return nil
}

// uploadFault names what can go wrong with a body on its way.
func uploadFault(err error, limit int64) error {
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code == "body_too_large":
		return errFileTooLarge(limit)
	case errors.As(err, &f):
		return f
	case errors.As(err, new(*fs.PathError)):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errCutShort
	}
	// Whatever is left is the form itself, or the connection, whose client
	// hears nothing more.
	return errNotMultipart
}

// fileName makes a name that a client sent fit to be shown.
func fileName(name string) string {
	name = strings.ToValidUTF8(name, "")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[:maxFileName])
	}
	if name = strings.TrimSpace(name); name == "" {
		return "contacts"
	}
	return name
}
