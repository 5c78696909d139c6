package team_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

func picture(width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Set(i%width, i/width, color.RGBA{R: uint8(i), G: uint8(i / width), B: 90, A: 255})
	}
	return img
}

func jpegOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture(width, height), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture(width, height)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp is a picture of one pixel.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// upload posts a file in a form field, under a type that says nothing.
func upload(s *servertest.Server, access, fieldName string, content []byte) servertest.Answer {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename="me.txt"`, fieldName)}, "Content-Type": {"text/plain"},
	})
	if err != nil {
		s.T.Fatal(err)
	}
	if _, err := part.Write(content); err != nil {
		s.T.Fatal(err)
	}
	if err := form.Close(); err != nil {
		s.T.Fatal(err)
	}
	return s.Call("POST", "/api/v1/users/me/photo", access, body.Bytes(), "Content-Type", form.FormDataContentType())
}

func photoOf(s *servertest.Server, access string) any {
	s.T.Helper()
	return s.Want(s.Call("GET", "/api/v1/users/me", access, nil), 200).JSON(s.T)["profilePhotoUrl"]
}

// served asks this server for what a photo's public address names.
func served(s *servertest.Server, url any) servertest.Answer {
	return s.Call("GET", strings.TrimPrefix(fmt.Sprint(url), "http://localhost:8080"), "", nil)
}

func TestPhotoUpload(t *testing.T) {
	padded := func(size int) []byte { return append(jpegOf(t, 40, 30), make([]byte, size)...)[:size] }
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		user := s.Member(s.Owner(), "member")
		if photo := photoOf(s, user.Access); photo != nil {
			t.Errorf("photo before: %v", photo)
		}
		for _, c := range []struct {
			name, field string
			content     []byte
			status      int
			code        string
		}{
			{"a JPEG", "file", jpegOf(t, 800, 600), 200, ""},
			{"a PNG", "file", pngOf(t, 30, 40), 200, ""},
			{"a WebP", "file", []byte(webp), 200, ""},
			{"a file of exactly 5 MB", "file", padded(5 << 20), 200, ""},
			{"a file of 5 MB and a byte", "file", padded(5<<20 + 1), 400, "photo_too_large"},
			{"a file of 8 MB", "file", padded(8 << 20), 400, "photo_too_large"},
			{"a body of 40 MB", "file", padded(40 << 20), 400, "photo_too_large"},
			{"a text", "file", []byte("not a picture"), 400, "photo_unsupported"},
			{"a GIF", "file", []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), 400, "photo_unsupported"},
			{"half a picture", "file", jpegOf(t, 300, 300)[:400], 400, "photo_corrupt"},
			{"nothing", "file", nil, 400, "photo_unsupported"},
			{"another field", "photo", jpegOf(t, 4, 4), 400, "photo_missing"},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := in(t, s)
				answer := s.Want(upload(s, user.Access, c.field, c.content), c.status)
				if answer.Code() != c.code {
					t.Errorf("code %q, want %q", answer.Code(), c.code)
				}
				if c.status != http.StatusOK {
					return
				}
				wantFields(t, answer.JSON(t), []string{"url"})
				url := answer.JSON(t)["url"]
				if shown := photoOf(s, user.Access); shown != url {
					t.Errorf("shown %v, want %v", shown, url)
				}
				photo := s.Want(served(s, url), 200)
				if size, _, err := image.DecodeConfig(bytes.NewReader(photo.Body)); err != nil || size.Width > 512 || size.Height > 512 {
					t.Errorf("served %v, %v", size, err)
				}
				if !strings.Contains(photo.Header.Get("Cache-Control"), "immutable") || photo.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("headers: %v", photo.Header)
				}
			})
		}
		for name, c := range map[string]struct{ contentType, body string }{
			"JSON":                      {"application/json", `{"file":"x"}`},
			"a form without boundary":   {"multipart/form-data", "x"},
			"a form that ends too soon": {"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc"},
			"an empty form":             {"multipart/form-data; boundary=b", "--b--\r\n"},
		} {
			t.Run(name, func(t *testing.T) {
				s := in(t, s)
				s.Want(s.Call("POST", "/api/v1/users/me/photo", user.Access, c.body, "Content-Type", c.contentType), 400)
			})
		}
		s.Want(upload(s, "", "file", jpegOf(t, 4, 4)), 401)
	})
}

// photoFiles lists what the storage holds, once it holds as many as wanted.
func photoFiles(t *testing.T, dir string, want int) []string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		found, err := filepath.Glob(filepath.Join(dir, "photos", "*.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == want {
			return found
		}
		if time.Now().After(deadline) {
			t.Fatalf("the storage holds %v, want %d photos", found, want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestOfManyUploadsOnePhotoRemains(t *testing.T) {
	dir := t.TempDir()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		user := s.Member(owner, "member")
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				if answer := upload(s, user.Access, "file", jpegOf(t, 10+i, 10)); answer.Status != http.StatusOK {
					t.Errorf("upload: %d %s", answer.Status, answer.Body)
				}
			})
		}
		wg.Wait()
		left := photoFiles(t, dir, 1)
		url := fmt.Sprint(photoOf(s, user.Access))
		if !strings.HasSuffix(url, "/"+filepath.Base(left[0])) {
			t.Errorf("left %v, shown %s", left, url)
		}
		s.Want(served(s, url), 200)

		s.Want(s.Call("DELETE", "/api/v1/users/"+user.ID, owner.Access, nil), 204)
		photoFiles(t, dir, 0)
		s.Want(served(s, url), 404)
	}, func(c *config.Config) { c.BlobURL = "file://" + dir })
}

func TestAPhotoThatCantBeKeptChangesNothing(t *testing.T) {
	dir := t.TempDir()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		s.Want(upload(s, owner.Access, "file", jpegOf(t, 10, 10)), 200)
		before := photoOf(s, owner.Access)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder was
			t.Fatal(err)
		}
		s.Want(upload(s, owner.Access, "file", jpegOf(t, 20, 20)), 503)
		if after := photoOf(s, owner.Access); after != before {
			t.Errorf("photo is %v, was %v", after, before)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
	}, func(c *config.Config) { c.BlobURL = "file://" + dir })
}
