package token_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ujumbe/internal/fault"
	"ujumbe/internal/token"
)

func TestPasswordIsRightOnlyForItsHash(t *testing.T) {
	h := token.NewHasher()
	hash, err := h.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", hash, err)
	}
	for password, want := range map[string]bool{"correct horse": true, "correct horse ": false, "": false} {
		ok, outdated, err := h.Verify(t.Context(), password, hash)
		if err != nil || ok != want || outdated {
			t.Errorf("%q: %v, %v, %v", password, ok, outdated, err)
		}
	}
	if ok, _, err := h.Verify(t.Context(), "", ""); ok || err != nil {
		t.Errorf("no hash: %v, %v", ok, err)
	}
	weaker := "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$" + strings.Split(hash, "$")[5]
	if _, outdated, err := h.Verify(t.Context(), "x", weaker); err != nil || !outdated {
		t.Errorf("older parameters: outdated %v, %v", outdated, err)
	}
}

func TestEveryVerificationCostsOneHash(t *testing.T) {
	h := token.NewHasher()
	hash, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ password, hash string }{
		"right":                {"correct horse", hash},
		"wrong":                {"wrong horse", hash},
		"empty":                {"", hash},
		"no password":          {"correct horse", ""},
		"neither":              {"", ""},
		"as long as it may be": {strings.Repeat("é", token.PasswordMax), hash},
	} {
		before := h.Hashed()
		if _, _, err := h.Verify(t.Context(), c.password, c.hash); err != nil || h.Hashed() != before+1 {
			t.Errorf("%s: %d hashes, %v", name, h.Hashed()-before, err)
		}
	}
}

func TestPasswordBoundsAreCountedInCharacters(t *testing.T) {
	for password, want := range map[string]bool{
		"":                             false,
		"1234567":                      false,
		"12345678":                     true,
		"ééééééé":                      false, // 14 bytes
		"éééééééé":                     true,
		"        ":                     true, // nobody says that spaces are no characters
		strings.Repeat("é", 256):       true,
		strings.Repeat("a", 257):       false,
		"password123":                  true,
		"\u0000\u0001\u0002\u00034567": true,
	} {
		if token.CheckPassword(password) != want {
			t.Errorf("%q: want %v", password, want)
		}
	}
}

func TestHashingBeyondTheQueueIsTurnedAway(t *testing.T) {
	h := token.NewHasher()
	var turned, done atomic.Int64
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2000 {
		wg.Go(func() {
			_, err := h.Hash(ctx, "password")
			switch {
			case fault.Is(err, fault.KindUnavailable):
				turned.Add(1)
			case err == nil:
				done.Add(1)
				cancel() // enough seen; the rest need not be hashed
			case !errors.Is(err, context.Canceled):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if turned.Load() == 0 || done.Load() == 0 {
		t.Errorf("%d turned away, %d hashed; want some of both", turned.Load(), done.Load())
	}
	if h.Queued() != 0 {
		t.Errorf("%d still queued", h.Queued())
	}
}

func FuzzPasswordHash(f *testing.F) {
	h := token.NewHasher()
	f.Add("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZXN1bXNvbWVzdW1zb21lc3Vt")
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$$")
	f.Fuzz(func(t *testing.T, stored string) {
		if ok, _, err := h.Verify(t.Context(), "password", stored); ok && err == nil {
			t.Errorf("%q holds for a password it was not made of", stored)
		}
	})
}
