package blob_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/blob"
)

// normalize runs Photo on an upload that has to pass, and decodes what it made.
func normalize(t testing.TB, upload []byte) (blob.Image, image.Image) {
	t.Helper()
	photo, err := blob.Photo(t.Context(), bytes.NewReader(upload))
	if err != nil {
		t.Fatalf("Photo: %v", err)
	}
	return photo, decoded(t, photo)
}

func decoded(t testing.TB, photo blob.Image) image.Image {
	t.Helper()
	decode := map[string]func([]byte) (image.Image, error){
		"image/jpeg": func(b []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(b)) },
		"image/png":  func(b []byte) (image.Image, error) { return png.Decode(bytes.NewReader(b)) },
	}[photo.ContentType]
	if decode == nil {
		t.Fatalf("content type %q", photo.ContentType)
	}
	img, err := decode(photo.Data)
	if err != nil {
		t.Fatalf("the photo cannot be decoded: %v", err)
	}
	return img
}

// corners returns the colours in the middle of the quarters, clockwise from the
// top left.
func corners(img image.Image) [4]color.NRGBA {
	size := img.Bounds().Size()
	at := func(x, y int) color.NRGBA {
		return color.NRGBAModel.Convert(img.At(size.X*x/4, size.Y*y/4)).(color.NRGBA)
	}
	return [4]color.NRGBA{at(1, 1), at(3, 1), at(3, 3), at(1, 3)}
}

func wantCorners(t *testing.T, img image.Image, want [4]color.NRGBA) {
	t.Helper()
	got := corners(img)
	for i := range want {
		if !alike(got[i], want[i]) {
			t.Fatalf("corners clockwise from the top left are %v, want %v", got, want)
		}
	}
}

// alike allows for what JPEG loses.
func alike(a, b color.NRGBA) bool {
	near := func(x, y uint8) bool { return max(x, y)-min(x, y) <= 40 }
	return near(a.R, b.R) && near(a.G, b.G) && near(a.B, b.B) && near(a.A, b.A)
}

func TestPhotoReadsEachFormat(t *testing.T) {
	seen := [4]color.NRGBA{red, green, blue, white}
	img := quarters(40, 20)
	for name, upload := range map[string][]byte{
		"jpeg":          jpegOf(t, img),
		"png":           pngOf(t, img),
		"lossless webp": webpOf(img),
		"extended webp": webpFile(extended(0, 40, 20), lossless(img)),
		"animated png, of which the still picture": pngWith(pngOf(t, img),
			pngChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})),
		"jpeg with a film behind it": append(jpegOf(t, img), bytes.Repeat([]byte("film"), 100)...),
	} {
		t.Run(name, func(t *testing.T) {
			photo, got := normalize(t, upload)
			wantCorners(t, got, seen)
			if photo.ContentType != "image/jpeg" {
				t.Errorf("an opaque picture became %s", photo.ContentType)
			}
			if size := got.Bounds().Size(); size != image.Pt(40, 20) {
				t.Errorf("a small picture became %v", size)
			}
		})
	}
}

func TestPhotoReadsWhatTakesARealEncoder(t *testing.T) {
	for name, upload := range map[string][]byte{
		"lossy webp":                 webpLossy,
		"lossy webp with alpha":      webpLossyAlpha,
		"progressive jpeg":           progressive(100, 60, 3, 10),
		"progressive jpeg, grey":     progressive(100, 60, 1, 1),
		"progressive jpeg for print": progressive(100, 60, 4, 8),
	} {
		t.Run(name, func(t *testing.T) { normalize(t, upload) })
	}
}

func TestPhotoReadsEachKindOfPixel(t *testing.T) {
	bounds := image.Rect(0, 0, 530, 40)
	middle := color.NRGBA{200, 100, 50, 255}
	for name, img := range map[string]interface {
		image.Image
		Set(x, y int, c color.Color)
	}{
		"grey":        image.NewGray(bounds),
		"deep grey":   image.NewGray16(bounds),
		"palette":     image.NewPaletted(bounds, color.Palette{color.Black, middle}),
		"colour":      image.NewNRGBA(bounds),
		"deep colour": image.NewNRGBA64(bounds),
	} {
		t.Run(name, func(t *testing.T) {
			for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
				for x := bounds.Min.X; x < bounds.Max.X; x++ {
					img.Set(x, y, middle)
				}
			}
			_, got := normalize(t, pngOf(t, img))
			want := color.NRGBAModel.Convert(img.At(bounds.Min.X, bounds.Min.Y)).(color.NRGBA)
			wantCorners(t, got, [4]color.NRGBA{want, want, want, want})
		})
	}
}

func TestPhotoKeepsTransparencyAsPNG(t *testing.T) {
	img := quarters(600, 400)
	clear := color.NRGBA{}
	for y := range 200 {
		for x := range 300 {
			img.SetNRGBA(x, y, clear)
		}
	}
	for name, upload := range map[string][]byte{"png": pngOf(t, img), "webp": webpOf(img)} {
		t.Run(name, func(t *testing.T) {
			photo, got := normalize(t, upload)
			if photo.ContentType != "image/png" {
				t.Fatalf("a picture with transparent parts became %s", photo.ContentType)
			}
			wantCorners(t, got, [4]color.NRGBA{clear, green, blue, white})
		})
	}
}

// What each EXIF orientation makes of red, green, blue, white, clockwise from
// the top left.
var turned = map[uint16][4]color.NRGBA{
	1: {red, green, blue, white},
	2: {green, red, white, blue},
	3: {blue, white, red, green},
	4: {white, blue, green, red},
	5: {red, white, blue, green},
	6: {white, red, green, blue},
	7: {blue, green, red, white},
	8: {green, blue, white, red},
}

func TestPhotoIsUpright(t *testing.T) {
	img := quarters(48, 24)
	for orientation, want := range turned {
		intel, motorola := exif(binary.LittleEndian, orientation), exif(binary.BigEndian, orientation)
		for name, upload := range map[string][]byte{
			"jpeg":                 jpegWith(jpegOf(t, img), exifSegment(intel)),
			"jpeg, big endian":     jpegWith(jpegOf(t, img), exifSegment(motorola)),
			"jpeg, behind another": jpegWith(jpegOf(t, img), segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00")), exifSegment(intel)),
			"jpeg, behind fill":    jpegWith(jpegOf(t, img), []byte{0xff, 0xff}, exifSegment(intel)),
			"png":                  pngWith(pngOf(t, img), pngChunk("eXIf", motorola)),
			"webp":                 webpWithEXIF(img, intel),
			"webp, prefixed":       webpWithEXIF(img, append([]byte("Exif\x00\x00"), intel...)),
		} {
			t.Run(fmt.Sprintf("%d/%s", orientation, name), func(t *testing.T) {
				_, got := normalize(t, upload)
				wantCorners(t, got, want)
				size := got.Bounds().Size()
				if lying := orientation >= 5; (size.X < size.Y) != lying {
					t.Errorf("48x24 became %v", size)
				}
			})
		}
	}
}

func TestPhotoIsNotTurnedByOrientationsThatDoNotExist(t *testing.T) {
	for _, orientation := range []uint16{0, 9, 0xffff} {
		_, got := normalize(t, jpegWith(jpegOf(t, quarters(48, 24)), exifSegment(exif(binary.BigEndian, orientation))))
		wantCorners(t, got, turned[1])
	}
}

func TestPhotoCarriesNoMetadata(t *testing.T) {
	img, tiff := quarters(30, 30), exif(binary.LittleEndian, 1)
	clear := quarters(30, 30)
	clear.SetNRGBA(0, 0, color.NRGBA{})
	for name, upload := range map[string][]byte{
		"jpeg": jpegWith(jpegOf(t, img), exifSegment(tiff), segment(0xfe, []byte(secret)), segment(0xed, []byte(secret)),
			segment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+secret)), segment(0xe2, []byte("ICC_PROFILE\x00"+secret))),
		"jpeg, behind the end": append(jpegOf(t, img), secret...),
		"png":                  pngWith(pngOf(t, img), pngChunk("eXIf", tiff), pngChunk("tEXt", []byte("Author\x00"+secret))),
		"png that stays one":   pngWith(pngOf(t, clear), pngChunk("eXIf", tiff), pngChunk("tEXt", []byte("Author\x00"+secret))),
		"webp":                 webpWithEXIF(img, tiff),
	} {
		t.Run(name, func(t *testing.T) {
			if !bytes.Contains(upload, []byte(secret)) {
				t.Fatal("the upload has no metadata to lose")
			}
			photo, _ := normalize(t, upload)
			for _, trace := range []string{secret, "Exif", "eXIf", "tEXt", "ICC", "http"} {
				if bytes.Contains(photo.Data, []byte(trace)) {
					t.Errorf("the photo still holds %q", trace)
				}
			}
		})
	}
}

func TestPhotoIsScaledDownAndNeverUp(t *testing.T) {
	for upload, want := range map[image.Point]image.Point{
		{1, 1}:       {1, 1},
		{512, 512}:   {512, 512},
		{513, 513}:   {512, 512},
		{512, 100}:   {512, 100},
		{1024, 512}:  {512, 256},
		{300, 900}:   {171, 512},
		{2047, 2047}: {512, 512},
		{2048, 1024}: {512, 256},
		{3101, 999}:  {512, 165},
		{1, 70_000}:  {1, 512},
		{70_000, 3}:  {512, 1},
	} {
		t.Run(upload.String(), func(t *testing.T) {
			_, got := normalize(t, pngOf(t, image.NewGray(image.Rectangle{Max: upload})))
			if size := got.Bounds().Size(); size != want {
				t.Errorf("became %v, want %v", size, want)
			}
		})
	}
}

// The large picture passes through both steps of scaling and has to look the
// same as one that passes through neither.
func TestPhotoScalesWithoutShifting(t *testing.T) {
	_, large := normalize(t, pngOf(t, quarters(2051, 1537)))
	_, small := normalize(t, pngOf(t, quarters(512, 384)))
	differing := 0
	for y := range 384 {
		for x := range 512 {
			a := color.NRGBAModel.Convert(large.At(x, y)).(color.NRGBA)
			b := color.NRGBAModel.Convert(small.At(x, y)).(color.NRGBA)
			if !alike(a, b) {
				differing++
			}
		}
	}
	if edges := 512 + 384; differing > 16*edges {
		t.Errorf("%d pixels differ; only those near the edges may", differing)
	}
}

func TestPhotoOfAnySizeFits(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, h := rapid.IntRange(1, 700).Draw(r, "w"), rapid.IntRange(1, 700).Draw(r, "h")
		orientation := rapid.Uint16Range(1, 8).Draw(r, "orientation")
		upload := pngWith(pngOf(t, image.NewGray(image.Rect(0, 0, w, h))), pngChunk("eXIf", exif(binary.BigEndian, orientation)))
		_, got := normalize(t, upload)
		size := got.Bounds().Size()
		if orientation >= 5 {
			w, h = h, w
		}
		if longer := max(w, h); max(size.X, size.Y) != min(longer, 512) {
			r.Fatalf("%dx%d became %v", w, h, size)
		}
		if (w > h && size.X < size.Y) || (w < h && size.X > size.Y) {
			r.Fatalf("%dx%d became %v", w, h, size)
		}
	})
}
