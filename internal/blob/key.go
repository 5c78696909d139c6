package blob

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"regexp"
)

const (
	typeJPEG = "image/jpeg"
	typePNG  = "image/png"
)

// extensions is the closed set of what is stored and served.
var extensions = map[string]string{typeJPEG: "jpg", typePNG: "png"}

var contentTypes = map[string]string{"jpg": typeJPEG, "png": typePNG}

// keySyntax has no slash, no dot but one and no upper case, so a key can leave
// neither its folder nor its URL segment, and means the same on every file
// system.
var keySyntax = regexp.MustCompile(`^([a-z2-7]{32})\.(jpg|png)$`)

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567")

// NewPhotoKey returns a fresh key for a photo of this type. It holds 160 random
// bits: whoever is not told a photo's key cannot find the photo, and a new photo
// never takes the URL of an old one, so that both may be cached for ever.
func NewPhotoKey(contentType string) (string, error) {
	extension, ok := extensions[contentType]
	if !ok {
		return "", fmt.Errorf("photo key: no photo is stored as %q", contentType)
	}
	var random [20]byte
	_, _ = rand.Read(random[:]) // never fails
	return keyEncoding.EncodeToString(random[:]) + "." + extension, nil
}

// contentTypeOf reads the type from a key and reports whether it is one.
func contentTypeOf(key string) (string, bool) {
	parts := keySyntax.FindStringSubmatch(key)
	if parts == nil {
		return "", false
	}
	return contentTypes[parts[2]], true
}

// object is the name a photo has in the storage: a folder of its own, so that a
// bucket can be shared. One level is enough, for file systems and object stores
// alike find a name among millions.
func object(key string) string { return "photos/" + key }
