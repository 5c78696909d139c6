package blob_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"ujumbe/internal/blob"
	"ujumbe/internal/fault"
)

func wantFault(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.Code(err) != code {
		t.Fatalf("error %v, want the fault %s", err, code)
	}
}

func TestPhotoRefuses(t *testing.T) {
	img := quarters(64, 64)
	goodJPEG, goodPNG, goodWebP := jpegOf(t, img), pngOf(t, img), webpOf(img)
	arithmetic := bytes.Replace(goodJPEG, []byte{0xff, 0xc0}, []byte{0xff, 0xc9}, 1)
	random := make([]byte, 10_000)
	rand.NewChaCha8([32]byte{}).Read(random)

	for name, row := range map[string]struct {
		upload []byte
		code   string
	}{
		"an empty file":            {nil, "photo_unsupported"},
		"text":                     {[]byte("<svg onload=alert(1)>"), "photo_unsupported"},
		"a GIF":                    {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "photo_unsupported"},
		"random bytes":             {random, "photo_unsupported"},
		"a sound file":             {chunk("RIFF", []byte("WAVEfmt ")), "photo_unsupported"},
		"animated WebP":            {webpAnimated, "photo_unsupported"},
		"an unknown kind of JPEG":  {arithmetic, "photo_unsupported"},
		"half a JPEG":              {goodJPEG[:len(goodJPEG)/2], "photo_corrupt"},
		"half a PNG":               {goodPNG[:len(goodPNG)/2], "photo_corrupt"},
		"half a WebP":              {goodWebP[:len(goodWebP)/2], "photo_corrupt"},
		"a JPEG without its end":   {goodJPEG[:len(goodJPEG)-2], "photo_corrupt"},
		"a PNG without its end":    {goodPNG[:len(goodPNG)-12], "photo_corrupt"},
		"a WebP without its end":   {goodWebP[:len(goodWebP)-1], "photo_corrupt"},
		"the start of a JPEG":      {goodJPEG[:3], "photo_corrupt"},
		"the start of a PNG":       {goodPNG[:8], "photo_corrupt"},
		"the start of a WebP":      {goodWebP[:12], "photo_corrupt"},
		"random bytes after JPEG":  {append([]byte{0xff, 0xd8, 0xff}, random...), "photo_corrupt"},
		"a PNG of a false check":   {flip(goodPNG, len(goodPNG)/2), "photo_corrupt"},
		"a JPEG without height":    {progressive(64, 0, 1, 1), "photo_corrupt"},
		"a WebP frame out of size": {webpFile(extended(0, 10, 10), lossless(img)), "photo_corrupt"},
		"a WebP frame that outgrows its header": {webpFile(extended(0, 10, 10), chunk("VP8L", losslessHeader(16384, 16384).out)),
			"photo_corrupt"},
		"a PNG of 25 000 001 pixels":                                {pngClaiming(25_000_001, 1), "photo_too_many_pixels"},
		"a PNG of 2^62 pixels":                                      {pngClaiming(1<<31-1, 1<<31-1), "photo_unsupported"},
		"a JPEG of 65535 by 65535":                                  {progressive(65535, 65535, 3, 1), "photo_too_many_pixels"},
		"a WebP of 16384 by 16384":                                  {webpFile(chunk("VP8L", losslessHeader(16384, 16384).out)), "photo_too_many_pixels"},
		"a WebP header of 16384 squared":                            {webpFile(extended(0, 16384, 16384), lossless(img)), "photo_too_many_pixels"},
		"a progressive JPEG of 16 megapixels in three full colours": {progressive(4000, 4000, 3, 1), "photo_too_many_pixels"},
		"a JPEG of a thousand scans":                                {progressive(4800, 4800, 1, 1000), "photo_unsupported"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := blob.Photo(t.Context(), bytes.NewReader(row.upload))
			wantFault(t, err, fault.KindBadRequest, row.code)
		})
	}
}

// flip damages one byte.
func flip(data []byte, at int) []byte {
	damaged := bytes.Clone(data)
	damaged[at] ^= 0x55
	return damaged
}

func TestPhotoJudgesBombsByTheirHeader(t *testing.T) {
	for name, upload := range map[string][]byte{
		"webp":          webpFile(chunk("VP8L", losslessHeader(16384, 16384).out)),
		"extended webp": webpFile(extended(0, 16384, 16384), chunk("VP8L", losslessHeader(16384, 16384).out)),
		"png":           pngClaiming(30_000, 30_000),
		"jpeg":          progressive(65535, 65535, 3, 3),
		"small extended header, large frame": webpFile(extended(0, 1, 1),
			chunk("VP8L", losslessHeader(16384, 16384).out)),
		"many scans": progressive(2400, 2400, 3, 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			const bound = 2 << 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := blob.Photo(t.Context(), bytes.NewReader(upload))
			runtime.ReadMemStats(&after)
			if !fault.Is(err, fault.KindBadRequest) {
				t.Fatalf("error %v, want it refused", err)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > bound+uint64(8*len(upload)) {
				t.Errorf("refusing %d bytes took %d bytes of memory", len(upload), spent)
			}
		})
	}
}

func TestPhotoTakesFilesUpToTheLimit(t *testing.T) {
	photo := jpegOf(t, quarters(20, 20))
	for size, tooLarge := range map[int]bool{blob.MaxPhotoBytes: false, blob.MaxPhotoBytes + 1: true} {
		upload := append(bytes.Clone(photo), make([]byte, size-len(photo))...)
		_, err := blob.Photo(t.Context(), bytes.NewReader(upload))
		if tooLarge {
			wantFault(t, err, fault.KindBadRequest, "photo_too_large")
		} else if err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestPhotoTakes25MegapixelsAndNoMore(t *testing.T) {
	if testing.Short() {
		t.Skip("decodes the largest pictures")
	}
	for size, tooMany := range map[image.Point]bool{{5000, 5000}: false, {5000, 5001}: true} {
		_, err := blob.Photo(t.Context(), bytes.NewReader(pngOf(t, image.NewGray(image.Rectangle{Max: size}))))
		if tooMany {
			wantFault(t, err, fault.KindBadRequest, "photo_too_many_pixels")
		} else if err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}

func TestPhotoDecodesTheHeaviestItTakesWithinItsMemory(t *testing.T) {
	for name, upload := range map[string][]byte{
		"grey in several scans":        progressive(4800, 4800, 1, 1),
		"three colours in many scans":  progressive(2450, 2450, 3, 3),
		"four colours in several ones": progressive(2200, 2200, 4, 4),
	} {
		t.Run(name, func(t *testing.T) {
			const bound = 150 << 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := blob.Photo(t.Context(), bytes.NewReader(upload)); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if spent := after.TotalAlloc - before.TotalAlloc; spent > bound {
				t.Errorf("took %d MiB", spent>>20)
			}
		})
	}
}

func TestPhotoReportsAReaderThatFails(t *testing.T) {
	broken := errors.New("broken pipe")
	if _, err := blob.Photo(t.Context(), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
	capped := http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader("0123456789")), 5)
	_, err := blob.Photo(t.Context(), capped)
	wantFault(t, err, fault.KindBadRequest, "photo_too_large")
}

// waiting is a reader that says when it is first read and waits to be let on.
type waiting struct {
	reached *atomic.Int64
	open    <-chan struct{}
}

func (w waiting) Read([]byte) (int, error) {
	w.reached.Add(1)
	<-w.open
	return 0, io.EOF
}

func TestPhotoWorksOnAFewUploadsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const uploads = 200
		var reached, read, busy atomic.Int64
		open := make(chan struct{})
		var done sync.WaitGroup
		for range uploads {
			done.Go(func() {
				switch _, err := blob.Photo(t.Context(), waiting{&reached, open}); fault.Code(err) {
				case "photo_unsupported":
					read.Add(1)
				case "photo_busy":
					busy.Add(1)
				}
			})
		}
		synctest.Wait()
		atOnce := reached.Load()
		if atOnce == 0 || atOnce > uploads/4 {
			t.Errorf("%d of %d uploads are read at once", atOnce, uploads)
		}

		left, leave := context.WithCancel(t.Context())
		leave()
		if _, err := blob.Photo(left, strings.NewReader("")); !errors.Is(err, context.Canceled) {
			t.Errorf("one who left gets %v", err)
		}
		_, err := blob.Photo(t.Context(), strings.NewReader(""))
		wantFault(t, err, fault.KindUnavailable, "photo_busy")

		synctest.Wait() // all others in the queue have given up too
		close(open)
		done.Wait()
		if read.Load() != atOnce || busy.Load() != uploads-atOnce {
			t.Errorf("%d were read and %d sent away, of %d and %d", read.Load(), busy.Load(), atOnce, uploads-atOnce)
		}
	})
}

func TestPhotosUploadedAtOnceAllSucceed(t *testing.T) {
	upload := jpegOf(t, noise(150, 100))
	var failed atomic.Int64
	var done sync.WaitGroup
	for range 50 {
		done.Go(func() {
			if _, err := blob.Photo(t.Context(), bytes.NewReader(upload)); err != nil {
				failed.Add(1)
			}
		})
	}
	done.Wait()
	if n := failed.Load(); n != 0 {
		t.Errorf("%d of 50 failed", n)
	}
}
