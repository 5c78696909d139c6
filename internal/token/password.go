package token

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"ujumbe/internal/fault"
)

// The bounds of a password, in characters.
const (
	PasswordMin = 8
	PasswordMax = 256
)

// argon2id at OWASP's first recommendation.
const (
	hashMemory  = 19 * 1024 // KiB
	hashTime    = 2
	hashThreads = 1
	hashLength  = 32
	saltLength  = 16
)

// Hasher hashes passwords, about as many at once as there are cores. The rest
// wait in a short queue; beyond it callers are asked to come back, so that a
// flood of logins costs neither memory nor the other requests.
type Hasher struct {
	running chan struct{}
	waiting chan struct{}
	hashed  atomic.Int64
	decoy   string
}

// queuePerCore bounds the wait to about two seconds at 30 hashes a second.
const queuePerCore = 64

// NewHasher returns a gate of one hash per core.
func NewHasher() *Hasher {
	cores := runtime.GOMAXPROCS(0)
	h := &Hasher{
		running: make(chan struct{}, cores),
		waiting: make(chan struct{}, cores*queuePerCore),
	}
	h.decoy = encode(make([]byte, saltLength), make([]byte, hashLength))
	return h
}

// Queued is how many hashes wait or run at this moment.
func (h *Hasher) Queued() int { return len(h.waiting) }

// Hashed is how many hashes were made so far.
func (h *Hasher) Hashed() int64 { return h.hashed.Load() }

// Hash returns the encoded argon2id hash of a new password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("salt: %w", err)
	}
	sum, err := h.derive(ctx, password, salt)
	if err != nil {
		return "", err
	}
	return encode(salt, sum), nil
}

// Verify reports whether the password has this hash, and whether the hash was
// made with older parameters and should be made anew. An empty hash (no such
// user, or a user without a password) costs the same time and is never right.
func (h *Hasher) Verify(ctx context.Context, password, encoded string) (ok, outdated bool, err error) {
	known := encoded != ""
	if !known {
		encoded = h.decoy
	}
	p, err := decode(encoded)
	if err != nil {
		return false, false, err
	}
	sum, err := h.run(ctx, func() []byte {
		return argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.threads, uint32(len(p.sum)))
	})
	if err != nil {
		return false, false, err
	}
	same := subtle.ConstantTimeCompare(sum, p.sum) == 1
	return same && known, p.outdated(), nil
}

func (h *Hasher) derive(ctx context.Context, password string, salt []byte) ([]byte, error) {
	return h.run(ctx, func() []byte {
		return argon2.IDKey([]byte(password), salt, hashTime, hashMemory, hashThreads, hashLength)
	})
}

func (h *Hasher) run(ctx context.Context, work func() []byte) ([]byte, error) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, fault.Unavailable("busy", "The server is busy with other sign-ins. Try again in a few seconds.", 2*time.Second)
	}
	defer func() { <-h.waiting }()
	garbage.begin(len(h.waiting) > cap(h.waiting)/4)
	defer garbage.end()
	select {
	case h.running <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.running }()
	h.hashed.Add(1)
	return work(), nil
}

// ErrPasswordBounds is the answer to a new password of the wrong length where the
// contract asks for 400.
var ErrPasswordBounds = fault.BadRequest("password_bounds", fmt.Sprintf("A password must have %d to %d characters.", PasswordMin, PasswordMax))

// CheckPassword applies the bounds of a new password.
func CheckPassword(password string) bool {
	n := utf8.RuneCountInString(password)
	return n >= PasswordMin && n <= PasswordMax
}

type parameters struct {
	memory, time uint32
	threads      uint8
	salt, sum    []byte
}

func (p parameters) outdated() bool {
	return p.memory != hashMemory || p.time != hashTime || p.threads != hashThreads || len(p.sum) != hashLength
}

// bearable keeps a damaged hash from stopping the process, or from being made of
// next to nothing.
func (p parameters) bearable() bool {
	return 0 < p.time && p.time <= 8*hashTime && p.memory <= 8*hashMemory && 0 < p.threads && p.threads <= 8 &&
		len(p.salt) >= 8 && 16 <= len(p.sum) && len(p.sum) <= 2*hashLength
}

// encode writes the PHC string format, which other software reads too.
func encode(salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, hashMemory, hashTime, hashThreads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

func decode(encoded string) (parameters, error) {
	var (
		p       parameters
		version int
		err     error
	)
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return p, fmt.Errorf("password hash: not argon2id")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return p, fmt.Errorf("password hash: version %q", parts[2])
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); err != nil {
		return p, fmt.Errorf("password hash: parameters %q: %w", parts[3], err)
	}
	if p.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return p, fmt.Errorf("password hash: salt: %w", err)
	}
	if p.sum, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return p, fmt.Errorf("password hash: sum: %w", err)
	}
	if !p.bearable() {
		return p, fmt.Errorf("password hash: parameters %q are out of bounds", parts[3])
	}
	return p, nil
}
