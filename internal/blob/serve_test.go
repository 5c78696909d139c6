package blob_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"ujumbe/internal/blob"
	"ujumbe/internal/fault"
)

// serve mounts the handler as the server does and answers one request.
func serve(store *blob.Store, method, target string, header http.Header) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	mux.Handle(blob.PhotoPattern, store.PhotoHandler(func(w http.ResponseWriter, _ *http.Request, err error) {
		status := http.StatusInternalServerError
		switch {
		case fault.Is(err, fault.KindNotFound):
			status = http.StatusNotFound
		case fault.Is(err, fault.KindUnavailable):
			status = http.StatusServiceUnavailable
		}
		http.Error(w, fault.Code(err), status)
	}))
	r := httptest.NewRequest(method, "/", nil)
	r.URL.Path, r.URL.RawPath, r.RequestURI = target, "", target
	r.Header = header
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

func pathOf(store *blob.Store, key string) string {
	return strings.TrimPrefix(store.URL(key), publicBase)
}

func TestPhotoIsServedWithHeadersThatMakeItHarmless(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		for contentType, data := range map[string][]byte{
			"image/jpeg": jpegOf(t, noise(100, 100)),
			"image/png":  []byte("<html>not what it says, and yet a PNG to every browser</html>"),
		} {
			key := stored(t, store, contentType, data)
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				w := serve(store, method, pathOf(store, key), nil)
				if w.Code != http.StatusOK {
					t.Fatalf("%s: status %d", method, w.Code)
				}
				for name, want := range map[string]string{
					"Content-Type":                 contentType,
					"Content-Length":               strconv.Itoa(len(data)),
					"X-Content-Type-Options":       "nosniff",
					"Cache-Control":                "public, max-age=31536000, immutable",
					"Content-Disposition":          "inline",
					"Content-Security-Policy":      "default-src 'none'",
					"Cross-Origin-Resource-Policy": "cross-origin",
				} {
					if got := w.Header().Get(name); got != want {
						t.Errorf("%s: %s is %q, want %q", method, name, got, want)
					}
				}
				want := data
				if method == http.MethodHead {
					want = nil
				}
				if !bytes.Equal(w.Body.Bytes(), want) {
					t.Errorf("%s: body of %d bytes, want %d", method, w.Body.Len(), len(want))
				}
			}
		}
	})
}

func TestPhotoIsServedOnConditions(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		first, second := stored(t, store, "image/jpeg", []byte("0123456789")), stored(t, store, "image/jpeg", []byte("other"))
		tag := serve(store, http.MethodGet, pathOf(store, first), nil).Header().Get("ETag")
		otherTag := serve(store, http.MethodGet, pathOf(store, second), nil).Header().Get("ETag")
		if tag == "" || tag == otherTag {
			t.Fatalf("tags %q and %q", tag, otherTag)
		}
		for name, row := range map[string]struct {
			header http.Header
			status int
			body   string
		}{
			"known":       {http.Header{"If-None-Match": {tag}}, http.StatusNotModified, ""},
			"one of many": {http.Header{"If-None-Match": {`"x", W/` + tag}}, http.StatusNotModified, ""},
			"unknown":     {http.Header{"If-None-Match": {otherTag}}, http.StatusOK, "0123456789"},
			"a part":      {http.Header{"Range": {"bytes=2-4"}}, http.StatusPartialContent, "234"},
			"no part":     {http.Header{"Range": {"bytes=20-"}}, http.StatusRequestedRangeNotSatisfiable, ""},
		} {
			w := serve(store, http.MethodGet, pathOf(store, first), row.header)
			if w.Code != row.status || (row.status < 400 && w.Body.String() != row.body) {
				t.Errorf("%s: %d %q, want %d %q", name, w.Code, w.Body, row.status, row.body)
			}
		}
	})
}

func TestNoOtherPathLeadsToAnything(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		key := stored(t, store, "image/jpeg", []byte("photo"))
		for _, path := range []string{
			"/photos/" + newKey(t, "image/jpeg"),
			"/photos/" + strings.ToUpper(key),
			"/photos/" + strings.TrimSuffix(key, ".jpg"),
			"/photos/" + strings.TrimSuffix(key, ".jpg") + ".png",
			"/photos/" + key + "/",
			"/photos/" + key + "%00",
			"/photos/" + key + "\x00.jpg",
			"/photos/photos/" + key,
			"/photos/..%2f" + key,
			`/photos/..\` + key,
			"/photos/",
			"/photos",
			"/" + key,
		} {
			w := serve(store, http.MethodGet, path, nil)
			if w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "" {
				t.Errorf("%q: %d, cached %q", path, w.Code, w.Header().Get("Cache-Control"))
			}
		}
		if w := serve(store, http.MethodPost, pathOf(store, key), nil); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d", w.Code)
		}
	})
}

// A router that decodes what it should not still cannot make the handler leave
// its folder.
func TestHandlerChecksTheKeyItself(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		key := stored(t, store, "image/jpeg", []byte("photo"))
		for _, value := range []string{"../photos/" + key, "../../etc/passwd", "/etc/passwd", ".", "..", "", "./" + key} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.SetPathValue("key", value)
			var failure error
			store.PhotoHandler(func(_ http.ResponseWriter, _ *http.Request, err error) { failure = err }).
				ServeHTTP(httptest.NewRecorder(), r)
			wantFault(t, failure, fault.KindNotFound, "photo_not_found")
		}
	})
}

func TestPhotoThatWasReplacedIsGone(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		key := stored(t, store, "image/jpeg", []byte("photo"))
		if err := store.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if w := serve(store, http.MethodGet, pathOf(store, key), http.Header{"If-None-Match": {`"` + key + `"`}}); w.Code != http.StatusNotFound {
			t.Errorf("status %d", w.Code)
		}
	})
}

func TestUploadIsServedAsItWasMade(t *testing.T) {
	eachStorage(t, func(t *testing.T, store *blob.Store) {
		photo, _ := normalize(t, webpOf(quarters(30, 20)))
		key := stored(t, store, photo.ContentType, photo.Data)
		w := serve(store, http.MethodGet, pathOf(store, key), nil)
		if w.Header().Get("Content-Type") != photo.ContentType || !bytes.Equal(w.Body.Bytes(), photo.Data) {
			t.Errorf("%d bytes of %s came back", w.Body.Len(), w.Header().Get("Content-Type"))
		}
	})
}
