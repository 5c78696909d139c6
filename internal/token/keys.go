// Package token makes and checks what callers prove themselves with: signed
// access tokens, opaque refresh and one-time tokens, and passwords.
package token

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

// keyOverlap is how long a retired key still verifies. It covers the life of a
// token and the time other nodes need to notice the new key.
const keyOverlap = AccessLifetime + 5*time.Minute

// keyRefresh is how long a node signs with keys it has not looked up again.
const keyRefresh = time.Minute

// keyRetry is how soon an unknown key id may cause another look-up, so that
// forged tokens can't keep the database busy.
const keyRetry = 2 * time.Second

// keyLife is how long a key signs before Renew replaces it.
const keyLife = 90 * 24 * time.Hour

var errUnknownKey = errors.New("unknown key")

type signingKey struct {
	kid     string
	private ed25519.PrivateKey
	created clock.Time
	retired *clock.Time
}

// Keys are the signing keys of both realms, kept in the database and shared by
// all nodes.
type Keys struct {
	db    *database.DB
	clock clock.Clock

	loading sync.Mutex // held by the one who looks the keys up

	mu     sync.RWMutex
	loaded clock.Time
	realms map[Realm][]signingKey // newest first
}

// NewKeys returns the keys of a database.
func NewKeys(db *database.DB, c clock.Clock) *Keys {
	return &Keys{db: db, clock: c, realms: map[Realm][]signingKey{}}
}

// Ensure makes a first key for each realm that has none.
func (k *Keys) Ensure(ctx context.Context) error {
	for _, realm := range []Realm{Customer, Staff} {
		_, err := k.current(ctx, realm)
		if errors.Is(err, errUnknownKey) {
			err = k.Rotate(ctx, realm)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Renew rotates the keys that have signed for 90 days. It is to be called now and
// then, on one node.
func (k *Keys) Renew(ctx context.Context) error {
	for _, realm := range []Realm{Customer, Staff} {
		key, err := k.current(ctx, realm)
		if err == nil && k.clock.Now().Sub(key.created) >= keyLife {
			err = k.Rotate(ctx, realm)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Rotate makes a new key that signs from now on. Older ones go on verifying
// until the tokens they signed have expired.
func (k *Keys) Rotate(ctx context.Context, realm Realm) error {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // never fails since Go 1.24
	kid := NewOpaque().Reveal()[:16]
	now := k.clock.Now()
	err := k.db.InTx(ctx, func(tx database.Tx) error {
		err := tx.Queue(ctx, `UPDATE signing_key SET retired_at = $1 WHERE realm = $2 AND retired_at IS NULL`, now.Add(keyOverlap), realm)
		if err != nil {
			return fmt.Errorf("retire signing keys: %w", err)
		}
		err = tx.Queue(ctx, `DELETE FROM signing_key WHERE realm = $1 AND retired_at < $2`, realm, now)
		if err != nil {
			return fmt.Errorf("delete signing keys: %w", err)
		}
		err = tx.Queue(ctx, `INSERT INTO signing_key (realm, kid, seed, created_at) VALUES ($1, $2, $3, $4)`, realm, kid, seed, now)
		if err != nil {
			return fmt.Errorf("insert signing key: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return k.load(ctx)
}

// current returns the key that signs.
func (k *Keys) current(ctx context.Context, realm Realm) (signingKey, error) {
	keys, loaded := k.of(realm)
	switch {
	case len(keys) == 0:
		if err := k.loadSince(ctx, loaded); err != nil {
			return signingKey{}, err
		}
	case k.clock.Now().Sub(loaded) > keyRefresh && k.loading.TryLock():
		// One looks them up anew. The others sign with the keys in hand: who holds
		// a transaction must not wait for a connection that others like them hold.
		// Keys in hand are good enough, too, while the database is away.
		_ = k.load(ctx)
		k.loading.Unlock()
	}
	keys, _ = k.of(realm)
	for _, key := range keys {
		if key.retired == nil {
			return key, nil
		}
	}
	return signingKey{}, errUnknownKey
}

// public returns the key that verifies tokens with this key id.
func (k *Keys) public(ctx context.Context, realm Realm, kid string) (ed25519.PublicKey, error) {
	keys, loaded := k.of(realm)
	key, ok := find(keys, kid, k.clock.Now())
	if !ok && k.clock.Now().Sub(loaded) > keyRetry {
		if err := k.loadSince(ctx, loaded); err != nil {
			return nil, err
		}
		keys, _ = k.of(realm)
		key, ok = find(keys, kid, k.clock.Now())
	}
	if !ok {
		return nil, errUnknownKey
	}
	return key.private.Public().(ed25519.PublicKey), nil
}

func find(keys []signingKey, kid string, now clock.Time) (signingKey, bool) {
	for _, key := range keys {
		if key.kid == kid && (key.retired == nil || now < *key.retired) {
			return key, true
		}
	}
	return signingKey{}, false
}

func (k *Keys) of(realm Realm) ([]signingKey, clock.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.realms[realm], k.loaded
}

// loadSince looks the keys up, unless somebody has done so since the moment
// given: many who ask at once cost one query.
func (k *Keys) loadSince(ctx context.Context, before clock.Time) error {
	k.loading.Lock()
	defer k.loading.Unlock()
	k.mu.RLock()
	fresh := k.loaded != before
	k.mu.RUnlock()
	if fresh {
		return nil
	}
	return k.load(ctx)
}

func (k *Keys) load(ctx context.Context) error {
	realms := map[Realm][]signingKey{}
	err := database.Each(ctx, k.db, func(row database.Row) error {
		var (
			realm Realm
			key   signingKey
			seed  []byte
		)
		if err := row.Scan(&realm, &key.kid, &seed, &key.created, &key.retired); err != nil {
			return err
		}
		if len(seed) != ed25519.SeedSize {
			return fmt.Errorf("signing key %s has %d bytes", key.kid, len(seed))
		}
		key.private = ed25519.NewKeyFromSeed(seed)
		realms[realm] = append(realms[realm], key)
		return nil
	}, `SELECT realm, kid, seed, created_at, retired_at FROM signing_key ORDER BY created_at DESC, kid`)
	if err != nil {
		return fmt.Errorf("load signing keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.realms, k.loaded = realms, k.clock.Now()
	return nil
}

// JWK is a public key as RFC 8037 writes it.
type JWK struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	KeyID     string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	X         string `json:"x"`
}

// Public lists the keys that verify tokens of a realm, newest first.
func (k *Keys) Public(ctx context.Context, realm Realm) ([]JWK, error) {
	if _, err := k.current(ctx, realm); err != nil {
		return nil, err
	}
	keys, _ := k.of(realm)
	all := []JWK{}
	for _, key := range keys {
		if _, ok := find(keys, key.kid, k.clock.Now()); ok {
			x := base64.RawURLEncoding.EncodeToString(key.private.Public().(ed25519.PublicKey))
			all = append(all, JWK{KeyType: "OKP", Curve: "Ed25519", KeyID: key.kid, Use: "sig", Algorithm: "EdDSA", X: x})
		}
	}
	return all, nil
}
