package blob_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"ujumbe/internal/blob"
	"ujumbe/internal/fault"
)

// FuzzPhoto: whatever is uploaded becomes a photo within its bounds or is
// refused in words.
func FuzzPhoto(f *testing.F) {
	img := quarters(9, 5)
	for _, seed := range [][]byte{
		nil, jpegOf(f, img), pngOf(f, img), webpOf(img), webpLossy, webpLossyAlpha, webpAnimated,
		jpegWith(jpegOf(f, img), exifSegment(exif(binary.BigEndian, 6))),
		pngWith(pngOf(f, img), pngChunk("eXIf", exif(binary.LittleEndian, 8))),
		webpWithEXIF(img, exif(binary.LittleEndian, 5)),
		progressive(20, 30, 3, 6), progressive(20, 30, 4, 5), pngClaiming(1<<20, 1<<20),
	} {
		f.Add(seed)
	}
	codes := []string{"photo_too_large", "photo_too_many_pixels", "photo_unsupported", "photo_corrupt"}
	f.Fuzz(func(t *testing.T, upload []byte) {
		photo, err := blob.Photo(t.Context(), bytes.NewReader(upload))
		if err != nil {
			if !fault.Is(err, fault.KindBadRequest) || !slices.Contains(codes, fault.Code(err)) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if size := decoded(t, photo).Bounds().Size(); size.X < 1 || size.Y < 1 || max(size.X, size.Y) > 512 {
			t.Fatalf("a photo of %v", size)
		}
	})
}

// FuzzPhotoMetadata: no metadata makes a good picture a bad one.
func FuzzPhotoMetadata(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("MM\x00*\xff\xff\xff\xff\x00\x01"))
	for orientation := range uint16(10) {
		f.Add(exif(binary.BigEndian, orientation))
		f.Add(exif(binary.LittleEndian, orientation))
	}
	img := quarters(9, 5)
	plainJPEG, plainPNG := jpegOf(f, img), pngOf(f, img)
	f.Fuzz(func(t *testing.T, tiff []byte) {
		if len(tiff) > 60_000 {
			t.Skip("does not fit a segment")
		}
		for _, upload := range [][]byte{
			jpegWith(plainJPEG, exifSegment(tiff)), pngWith(plainPNG, pngChunk("eXIf", tiff)), webpWithEXIF(img, tiff),
		} {
			_, got := normalize(t, upload)
			if size := got.Bounds().Size(); size.X+size.Y != 9+5 {
				t.Fatalf("9x5 became %v", size)
			}
		}
	})
}
