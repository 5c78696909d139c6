package token_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"pgregory.net/rapid"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/token"
)

type bench struct {
	clock    *clock.Manual
	keys     *token.Keys
	customer *token.Signer
	staff    *token.Signer
}

func newBench(t *testing.T, db *database.DB) bench {
	t.Helper()
	c := clock.NewManual()
	keys := token.NewKeys(db, c)
	if err := keys.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return bench{c, keys, token.NewSigner(token.Customer, keys, c), token.NewSigner(token.Staff, keys, c)}
}

func (b bench) sign(t *testing.T, s *token.Signer) string {
	t.Helper()
	raw, err := s.Sign(t.Context(), token.Claims{Subject: "someone", AccountID: "somewhere", Role: "owner", SessionID: "session"})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func wantRefused(t *testing.T, s *token.Signer, raw, why string) {
	t.Helper()
	if _, err := s.Verify(t.Context(), raw); !fault.Is(err, fault.KindUnauthorized) {
		t.Errorf("%s: got %v, want a refusal", why, err)
	}
}

func TestAccessTokenSaysWhoItIsForFifteenMinutes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		raw := b.sign(t, b.customer)
		for range 2 { // the second time from the cache
			claims, err := b.customer.Verify(t.Context(), raw)
			if err != nil || claims.Subject != "someone" || claims.AccountID != "somewhere" || claims.Role != "owner" || claims.SessionID != "session" {
				t.Fatalf("got %+v, %v", claims, err)
			}
		}
		b.clock.Advance(15*time.Minute - time.Second)
		if _, err := b.customer.Verify(t.Context(), raw); err != nil {
			t.Errorf("at 14:59: %v", err)
		}
		b.clock.Advance(2 * time.Second)
		wantRefused(t, b.customer, raw, "at 15:01")
	})
}

func TestTokenOfOneRealmIsNothingInTheOther(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		wantRefused(t, b.staff, b.sign(t, b.customer), "customer's token for staff")
		wantRefused(t, b.customer, b.sign(t, b.staff), "staff token for customers")
	})
}

func TestForgedTokensAreRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		good := b.sign(t, b.customer)
		parts := strings.Split(good, ".")
		keys, err := b.keys.Public(t.Context(), token.Customer)
		if err != nil || len(keys) != 1 {
			t.Fatalf("%v, %v", keys, err)
		}
		header := func(fields string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(fields)) + "." + parts[1] + "." + parts[2]
		}
		none := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"sub": "x", "type": "customer", "iss": "ujumbe/customer", "aud": "ujumbe:customer", "exp": 1e11})
		none.Header["kid"] = keys[0].KeyID
		unsigned, err := none.SignedString(jwt.UnsafeAllowNoneSignatureType)
		if err != nil {
			t.Fatal(err)
		}
		public, err := base64.RawURLEncoding.DecodeString(keys[0].X)
		if err != nil {
			t.Fatal(err)
		}
		mac := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "x", "type": "customer", "iss": "ujumbe/customer", "aud": "ujumbe:customer", "exp": 1e11})
		mac.Header["kid"] = keys[0].KeyID
		hmac, err := mac.SignedString(public)
		if err != nil {
			t.Fatal(err)
		}
		for why, raw := range map[string]string{
			"empty":                  "",
			"no token":               "hello",
			"alg none":               unsigned,
			"HMAC with public key":   hmac,
			"unknown key id":         header(`{"alg":"EdDSA","kid":"other","typ":"JWT"}`),
			"no key id":              header(`{"alg":"EdDSA","typ":"JWT"}`),
			"key id of another type": header(`{"alg":"EdDSA","kid":7,"typ":"JWT"}`),
			"other signature":        parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
			"signature cut off":      parts[0] + "." + parts[1] + ".",
			"very long":              good + strings.Repeat("A", 1<<20),
			"trailing part":          good + "." + parts[2],
		} {
			wantRefused(t, b.customer, raw, why)
		}
	})
}

func TestRotatedKeySignsAtOnceAndTheOldOneVerifiesOn(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		old := b.sign(t, b.customer)
		// Another node, which has not heard of the rotation.
		other := token.NewSigner(token.Customer, token.NewKeys(db, b.clock), b.clock)
		if _, err := other.Verify(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		b.clock.Advance(3 * time.Second)
		if err := b.keys.Rotate(t.Context(), token.Customer); err != nil {
			t.Fatal(err)
		}
		fresh := b.sign(t, b.customer)
		for _, s := range []*token.Signer{b.customer, other} {
			for _, raw := range []string{old, fresh} {
				if _, err := s.Verify(t.Context(), raw); err != nil {
					t.Errorf("after the rotation: %v", err)
				}
			}
		}
		if keys, err := b.keys.Public(t.Context(), token.Customer); err != nil || len(keys) != 2 {
			t.Errorf("public keys: %d, %v; want 2", len(keys), err)
		}
		b.clock.Advance(21 * time.Minute)
		if keys, err := b.keys.Public(t.Context(), token.Customer); err != nil || len(keys) != 1 {
			t.Errorf("public keys after the overlap: %d, %v; want 1", len(keys), err)
		}
	})
}

func TestKeysAreRenewedAfterNinetyDays(t *testing.T) {
	const day = 24 * time.Hour
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		signing := func() string {
			t.Helper()
			if err := b.keys.Renew(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys, err := b.keys.Public(t.Context(), token.Customer)
			if err != nil || len(keys) == 0 {
				t.Fatal(keys, err)
			}
			return keys[0].KeyID
		}
		first := signing()
		b.clock.Advance(90*day - time.Minute)
		if signing() != first {
			t.Error("renewed before its time")
		}
		b.clock.Advance(time.Minute)
		raw := b.sign(t, b.customer)
		if signing() == first {
			t.Error("not renewed in time")
		}
		if _, err := b.customer.Verify(t.Context(), raw); err != nil {
			t.Errorf("token of the old key: %v", err)
		}
	})
}

// Nodes' clocks differ a little; a token must not wait for the slower one.
func TestTokenOfANodeWhoseClockIsAheadIsGood(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		b := newBench(t, db)
		ahead := clock.NewManual()
		ahead.Advance(5 * time.Second)
		raw := b.sign(t, token.NewSigner(token.Customer, b.keys, ahead))
		if _, err := b.customer.Verify(t.Context(), raw); err != nil {
			t.Error(err)
		}
	})
}

// Everyone who signs while the keys are looked up anew may hold a connection; if
// each waited for another, the last ones would wait for ever.
func TestSigningInTransactionsNeedsNoConnectionMore(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if db.Engine() == database.SQLite {
			t.Skip("one writer at a time")
		}
		b := newBench(t, db)
		var (
			n     = db.Stats().Max
			ready sync.WaitGroup
			done  sync.WaitGroup
		)
		ready.Add(n)
		b.clock.Advance(2 * time.Minute) // the keys in hand are stale
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for range n {
			done.Go(func() {
				err := db.InTx(ctx, func(database.Tx) error {
					ready.Done()
					ready.Wait()
					_, err := b.customer.Sign(ctx, token.Claims{Subject: "someone"})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
	})
}

func TestOpaqueTokenIsReadBackAndNeverPrinted(t *testing.T) {
	o := token.NewOpaque()
	again, ok := token.ParseOpaque(o.Reveal())
	if !ok || again != o {
		t.Error("a token does not survive its own text")
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", o, o, o, o); strings.Contains(printed, o.Reveal()) {
		t.Errorf("printed: %s", printed)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if parsed, ok := token.ParseOpaque(text); ok && parsed.Reveal() != text {
			t.Fatalf("%q has a second spelling %q", text, parsed.Reveal())
		}
	})
}

func FuzzVerify(f *testing.F) {
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	db, err := database.Open(f.Context(), "sqlite://"+f.TempDir()+"/fuzz.db", database.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(f.Context()); err != nil {
		f.Fatal(err)
	}
	keys := token.NewKeys(db, clock.System{})
	if err := keys.Ensure(f.Context()); err != nil {
		f.Fatal(err)
	}
	signer := token.NewSigner(token.Customer, keys, clock.System{})
	f.Fuzz(func(t *testing.T, raw string) {
		if _, err := signer.Verify(t.Context(), token.Bearer("Bearer "+raw)); err == nil {
			t.Errorf("accepted %q", raw)
		}
	})
}

func FuzzOpaque(f *testing.F) {
	f.Add("")
	f.Add(token.NewOpaque().Reveal())
	f.Add(strings.Repeat("A", 43))
	f.Add(strings.Repeat("_", 42) + "=")
	f.Add(strings.Repeat("\n", 43))
	f.Fuzz(func(t *testing.T, text string) {
		parsed, ok := token.ParseOpaque(text)
		if ok && parsed.Reveal() != text {
			t.Errorf("%q has a second spelling %q", text, parsed.Reveal())
		}
		if !ok && parsed != (token.Opaque{}) {
			t.Errorf("%q is no token, yet something was read", text)
		}
	})
}
