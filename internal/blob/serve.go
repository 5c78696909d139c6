package blob

import (
	"bytes"
	"net/http"
	"time"
)

// PhotoPattern is where PhotoHandler has to be mounted for the addresses of URL
// to lead to it.
const PhotoPattern = "GET /photos/{key}"

// URL returns the public address of the photo under key. Anyone who has it may
// see the photo.
func (s *Store) URL(key string) string { return s.base + "/photos/" + key }

// PhotoHandler serves the photo named by the path value "key". Whatever cannot
// be served goes to fail before anything is written: a photo that is not there
// as fault.NotFound, storage that is down as fault.Unavailable.
func (s *Store) PhotoHandler(fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.PathValue("key")
		data, err := s.Get(r.Context(), key)
		if err != nil {
			fail(w, r, err)
			return
		}
		setPhotoHeaders(w.Header(), key)
		// Held in memory, a photo is at most a megabyte; read from the storage as
		// it goes out, a slow reader would hold a connection to the storage too.
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	})
}

// setPhotoHeaders makes an answer that browsers keep for good, since what is
// under a key never changes, and that they can only take for a picture.
func setPhotoHeaders(h http.Header, key string) {
	contentType, _ := contentTypeOf(key)
	h.Set("Content-Type", contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Content-Disposition", "inline")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+key+`"`)
	// Photos are shown on pages of other origins, whatever the rest of the
	// server allows.
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}
