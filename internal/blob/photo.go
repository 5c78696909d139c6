package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"ujumbe/internal/fault"
)

const (
	// MaxPhotoBytes is the size of the largest file Photo takes.
	MaxPhotoBytes = 5 << 20

	maxPixels   = 25_000_000
	maxMemory   = 112 << 20
	largeMemory = 16 << 20
	maxSide     = 512
	quality     = 85

	// maxReading photos are held as files at a time, and maxWait is how long
	// another waits for its turn.
	maxReading = 16
	maxWait    = time.Minute
)

// ErrTooLarge is the answer to a file beyond MaxPhotoBytes.
var ErrTooLarge = fault.BadRequest("photo_too_large", "The photo is larger than 5 MB. Upload a smaller file.")

var (
	errTooManyPixels = fault.BadRequest("photo_too_many_pixels",
		"The photo has more than 25 megapixels. Scale it down and upload it again.")
	errTooHeavy = fault.BadRequest("photo_too_many_pixels",
		"The photo has too many pixels for this kind of file. Scale it down, or save it as a plain JPEG, and upload it again.")
	errUnsupported = fault.BadRequest("photo_unsupported",
		"The photo is not a JPEG, PNG or WebP picture that can be read here. Save it as JPEG or PNG and upload it again.")
	errAnimated = fault.BadRequest("photo_unsupported",
		"Animated WebP pictures cannot be used as a photo. Upload a still picture.")
	errCorrupt = fault.BadRequest("photo_corrupt",
		"The photo is damaged or incomplete. Save it again as JPEG or PNG and upload it again.")
	errBusy = fault.Unavailable("photo_busy",
		"Too many photos are being uploaded just now. Try again in a minute.", retryAfter)
)

// A plain picture of 25 megapixels takes 100 MB while it is decoded, so what is
// decoded at one time is bounded for the whole process: one of the largest, or
// several smaller ones, but never more than there are cores.
var (
	reading  = semaphore.NewWeighted(maxReading)
	decoding = semaphore.NewWeighted(maxMemory)
)

// Image is a photo as it is stored and served.
type Image struct {
	Data        []byte
	ContentType string
}

// Photo makes a picture that is safe to serve from what someone uploaded: a
// JPEG, or a PNG where the picture has transparent parts, upright, at most 512
// pixels long, freshly encoded and so without any of the metadata, places and
// names among it, that the upload may carry. Colours are taken for sRGB.
//
// What the upload is, its content alone says: JPEG, PNG or WebP. Anything else,
// more than 5 MB, more than 25 megapixels, fewer where each takes much memory to
// decode, or damage is fault.BadRequest. The size in pixels is judged by the
// header, before memory is spent on it.
//
// Photo waits while too many others are at work. It holds a place while it
// reads, so r should be an upload that has arrived, not a network connection.
func Photo(ctx context.Context, r io.Reader) (Image, error) {
	if err := acquire(ctx, reading, 1); err != nil {
		return Image{}, err
	}
	defer reading.Release(1)
	data, err := readAll(r)
	if err != nil {
		return Image{}, err
	}
	f, memory, err := inspect(data)
	if err != nil {
		return Image{}, err
	}
	small, err := inTurn(ctx, memory, func() (*image.RGBA, error) { return f.decodeSmall(data) })
	if err != nil {
		return Image{}, err
	}
	return encode(turn(small, orientation(f.exif(data))))
}

// inTurn runs decode, which takes that much memory, when it is its turn.
func inTurn(ctx context.Context, memory int64, decode func() (*image.RGBA, error)) (*image.RGBA, error) {
	share := max(memory, maxMemory/int64(runtime.GOMAXPROCS(0)))
	if err := acquire(ctx, decoding, share); err != nil {
		return nil, err
	}
	defer decoding.Release(share)
	if memory >= largeMemory {
		// Or the next picture would be decoded beside the remains of this one.
		defer runtime.GC()
	}
	return decode()
}

func acquire(ctx context.Context, places *semaphore.Weighted, n int64) error {
	wait, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	if places.Acquire(wait, n) == nil {
		return nil
	}
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return fmt.Errorf("wait to work on a photo: %w", err)
	}
	return errBusy
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxPhotoBytes+1))
	var tooLarge *http.MaxBytesError
	switch {
	case len(data) > MaxPhotoBytes, errors.As(err, &tooLarge):
		return nil, ErrTooLarge
	case err != nil:
		return nil, fmt.Errorf("read photo: %w", err)
	}
	return data, nil
}

func encode(img *image.RGBA) (Image, error) {
	out := Image{ContentType: typeJPEG}
	var buf bytes.Buffer
	var err error
	if img.Opaque() {
		err = jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality})
	} else {
		out.ContentType = typePNG
		err = png.Encode(&buf, img)
	}
	if err != nil {
		return Image{}, fmt.Errorf("encode photo: %w", err)
	}
	out.Data = buf.Bytes()
	return out, nil
}
