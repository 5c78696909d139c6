package team

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/account"
	"ujumbe/internal/blob"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

const (
	// maxUpload is far beyond a photo: many clients look for an answer only when
	// they have sent everything, so what is too large is read and thrown away.
	maxUpload = 32 << 20
	// photoTime is how long a photo that has arrived may take.
	photoTime = 45 * time.Second
)

var (
	errNoPhoto = fault.BadRequest("photo_missing",
		"There is no photo in this request. Send it as multipart/form-data in the field file.")
	errBrokenUpload = fault.BadRequest("upload_broken", "The upload is incomplete or not multipart/form-data. Send it again.")
)

type userPhotoInput struct {
	account.Authorized
	httpapi.Exchange
}

type userPhotoOutput struct {
	Body struct {
		URL string `json:"url" doc:"Public address of the photo."`
	}
}

func describePhoto(op *huma.Operation, _ huma.Registry) {
	file := &huma.Schema{Type: huma.TypeString, Format: "binary", Description: "JPEG, PNG or WebP, at most 5 MB and 25 megapixels."}
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {
			Schema:   &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"file": file}, Required: []string{"file"}},
			Encoding: map[string]*huma.Encoding{"file": {ContentType: "image/jpeg, image/png, image/webp"}},
		},
	}}
}

func (h *handler) setPhoto(ctx context.Context, in *userPhotoInput) (*userPhotoOutput, error) {
	defer in.Answer("", "")
	body := in.Body(maxUpload, nil)
	defer func() {
		body.Discard()
		body.Close()
	}()
	arrived, err := spool(h.service.Folder, body, in.Header("Content-Type"))
	if err != nil {
		return nil, err
	}
	defer arrived.Close()
	in.Hold()
	ctx, cancel := context.WithTimeout(ctx, photoTime)
	defer cancel()
	out := &userPhotoOutput{}
	out.Body.URL, err = h.service.SetPhoto(ctx, in.Caller, arrived)
	return out, err
}

// spool takes the field "file" out of a multipart body, into a folder.
func spool(folder string, body io.Reader, contentType string) (*httpapi.Spool, error) {
	part, err := filePart(body, contentType)
	if err != nil {
		return nil, err
	}
	arrived, err := httpapi.NewSpool(folder, io.LimitReader(part, blob.MaxPhotoBytes+1))
	if err != nil {
		return nil, uploadFault(err)
	}
	if arrived.Size > blob.MaxPhotoBytes {
		arrived.Close()
		return nil, blob.ErrTooLarge
	}
	return arrived, nil
}

func filePart(body io.Reader, contentType string) (*multipart.Part, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, errNoPhoto
	}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errNoPhoto
		case err != nil:
			return nil, uploadFault(err)
		case part.FormName() == "file":
			return part, nil
		}
	}
}

// uploadFault is what the sender hears of a body that could not be read to its
// end. Too large is 400 here, where other operations answer 413.
func uploadFault(err error) error {
	var known *fault.Error
	switch {
	case fault.Is(err, fault.KindTooLarge):
		return blob.ErrTooLarge
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.As(err, new(*fs.PathError)):
		return err
	}
	return errBrokenUpload
}
