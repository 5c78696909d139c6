package token

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/clock"
	"ujumbe/internal/fault"
)

// AccessLifetime is how long an access token is good for.
const AccessLifetime = 15 * time.Minute

// Realm is a namespace of callers. Each has its own keys, issuer, audience and
// token type, so a token of one can't be used in the other.
type Realm string

// The two realms; the name of a realm is also the `type` claim of its tokens.
const (
	Customer Realm = "customer"
	Staff    Realm = "admin"
)

func (r Realm) issuer() string   { return "ujumbe/" + string(r) }
func (r Realm) audience() string { return "ujumbe:" + string(r) }

// Claims is what an access token says. In the staff realm AccountID is empty and
// Role is the staff role.
type Claims struct {
	Subject   string
	AccountID string
	Role      string
	SessionID string
	Expires   clock.Time
}

type jwtClaims struct {
	jwt.RegisteredClaims
	AccountID string `json:"accountId,omitempty"`
	Role      string `json:"role"`
	SessionID string `json:"sid"`
	Type      string `json:"type"`
}

// errInvalid is the one answer to every token that is not good; why it is not
// good is nobody's business.
var errInvalid = fault.Unauthorized("invalid_token", "The access token is missing, malformed or expired. Sign in or refresh it.")

// Signer makes and checks the access tokens of one realm.
type Signer struct {
	realm Realm
	keys  *Keys
	clock clock.Clock
	seen  *cache
}

// NewSigner returns the signer of a realm.
func NewSigner(realm Realm, keys *Keys, c clock.Clock) *Signer {
	return &Signer{realm: realm, keys: keys, clock: c, seen: newCache()}
}

// Sign makes an access token. Its expiry comes from the signer's clock.
func (s *Signer) Sign(ctx context.Context, c Claims) (string, error) {
	key, err := s.keys.current(ctx, s.realm)
	if err != nil {
		return "", err
	}
	now := s.clock.Now().Std()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwtClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject:   c.Subject,
			Issuer:    s.realm.issuer(),
			Audience:  jwt.ClaimStrings{s.realm.audience()},
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(AccessLifetime)),
			ID:        NewOpaque().Reveal()[:22],
		},
		AccountID: c.AccountID,
		Role:      c.Role,
		SessionID: c.SessionID,
		Type:      string(s.realm),
	})
	unsigned.Header["kid"] = key.kid
	signed, err := unsigned.SignedString(key.private)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}
	return signed, nil
}

// maxTokenLength bounds what is parsed; ours are about 500 bytes.
const maxTokenLength = 2048

// Verify checks an access token and returns its claims. A token that was
// checked before costs a look-up, not a signature.
func (s *Signer) Verify(ctx context.Context, raw string) (Claims, error) {
	if raw == "" || len(raw) > maxTokenLength {
		return Claims{}, errInvalid
	}
	now := s.clock.Now()
	if c, ok := s.seen.get(raw, now); ok {
		return c, nil
	}
	var (
		claims  jwtClaims
		failure error
	)
	_, err := jwt.ParseWithClaims(raw, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, err := s.keys.public(ctx, s.realm, kid)
		if !errors.Is(err, errUnknownKey) {
			failure = err
		}
		return key, err
	},
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithIssuer(s.realm.issuer()),
		jwt.WithAudience(s.realm.audience()),
		jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(func() time.Time { return s.clock.Now().Std() }),
		jwt.WithStrictDecoding(),
	)
	if failure != nil {
		return Claims{}, failure // ours, and no fault of the token
	}
	if err != nil || claims.Type != string(s.realm) {
		return Claims{}, errInvalid
	}
	c := Claims{
		Subject:   claims.Subject,
		AccountID: claims.AccountID,
		Role:      claims.Role,
		SessionID: claims.SessionID,
		Expires:   clock.From(claims.ExpiresAt.Time),
	}
	s.seen.put(raw, c, now)
	return c, nil
}

// Bearer returns the token of an Authorization header, or "".
func Bearer(header string) string {
	scheme, raw, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(raw)
}
