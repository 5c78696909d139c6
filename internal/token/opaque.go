package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const opaqueBytes = 32

// Opaque is a secret that only its holder has: a refresh token or a mailed
// one-time token. Of it only the Hash is stored. It never prints itself.
type Opaque struct {
	raw [opaqueBytes]byte
}

// NewOpaque makes a token of 32 random bytes.
func NewOpaque() Opaque {
	var o Opaque
	_, _ = rand.Read(o.raw[:]) // never fails since Go 1.24
	return o
}

// ParseOpaque reads what Reveal wrote; anything else is no token.
func ParseOpaque(text string) (Opaque, bool) {
	var o Opaque
	if len(text) != base64.RawURLEncoding.EncodedLen(opaqueBytes) {
		return o, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != opaqueBytes { // the decoder passes over line breaks
		return o, false
	}
	return Opaque{[opaqueBytes]byte(raw)}, true
}

// Reveal writes the token for its holder, base64url.
func (o Opaque) Reveal() string { return base64.RawURLEncoding.EncodeToString(o.raw[:]) }

// Hash is the form that may be stored.
func (o Opaque) Hash() []byte {
	sum := sha256.Sum256(o.raw[:])
	return sum[:]
}

// String keeps the token out of logs.
func (Opaque) String() string { return "[secret]" }

// GoString keeps the token out of logs.
func (Opaque) GoString() string { return "[secret]" }
