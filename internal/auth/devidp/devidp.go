// Package devidp is an identity provider for development and tests. It lets
// everyone be whoever they say they are, so it must never be reachable where that
// matters. Otherwise it is honest: codes are spent once, PKCE and client secrets
// are checked, tokens are signed.
package devidp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/clock"
)

// Options are what a Provider is told about itself and its one client.
type Options struct {
	// Issuer is the address below which the provider is served.
	Issuer      string
	ClientID    string
	RedirectURL string
	Clock       clock.Clock
	// ClientSecret authenticates the client, unless the provider has Apple's
	// shape.
	ClientSecret string
	// Apple gives it Apple's shape: it returns by form_post, tells the name at
	// the first consent only and outside the token, writes booleans as strings,
	// and knows its client by tokens signed with ClientKey.
	Apple         bool
	TeamID, KeyID string
	ClientKey     *ecdsa.PublicKey

	// Forge makes the identity tokens in place of Sign. It is how a test has a
	// provider that lies.
	Forge func(claims jwt.MapClaims) (string, error)
	// KeepCodes lets codes be spent more than once, as a bad provider might.
	KeepCodes bool
}

// Provider is an OpenID provider, as a handler for the paths below its issuer.
type Provider struct {
	Options
	mux http.ServeMux

	mu      sync.Mutex
	key     *ecdsa.PrivateKey
	kid     string
	grants  map[string]grant
	greeted map[string]struct{} // subjects that have consented before
}

// The bounds of what is remembered.
const (
	grantLife  = 5 * time.Minute
	maxGrants  = 1000
	maxGreeted = 10_000
)

// New returns a provider with a fresh key.
func New(o Options) (*Provider, error) {
	p := &Provider{Options: o, grants: map[string]grant{}, greeted: map[string]struct{}{}}
	if err := p.Rotate(); err != nil {
		return nil, err
	}
	p.mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	p.mux.HandleFunc("GET /jwks", p.publishKeys)
	p.mux.HandleFunc("GET /authorize", p.ask)
	p.mux.HandleFunc("POST /authorize", p.consent)
	p.mux.HandleFunc("POST /token", p.exchange)
	return p, nil
}

// ServeHTTP serves the paths below the issuer.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	p.mux.ServeHTTP(w, r)
}

// Rotate replaces the signing key. The old one is forgotten at once.
func (p *Provider) Rotate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.kid = key, "dev-"+rand.Text()
	return nil
}

// PublicKey is the key that identity tokens are signed with, and its id.
func (p *Provider) PublicKey() (key *ecdsa.PublicKey, kid string) {
	private, kid := p.signingKey()
	return &private.PublicKey, kid
}

func (p *Provider) signingKey() (*ecdsa.PrivateKey, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key, p.kid
}

// Sign makes an identity token of any claims.
func (p *Provider) Sign(claims jwt.MapClaims) (string, error) {
	key, kid := p.signingKey()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	unsigned.Header["kid"] = kid
	signed, err := unsigned.SignedString(key)
	if err != nil {
		return "", fmt.Errorf("sign identity token: %w", err)
	}
	return signed, nil
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer":                                p.Issuer,
		"authorization_endpoint":                p.Issuer + "/authorize",
		"token_endpoint":                        p.Issuer + "/token",
		"jwks_uri":                              p.Issuer + "/jwks",
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query", "form_post"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"ES256"},
		"scopes_supported":                      []string{"openid", "email", "profile", "name"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
	})
}

func (p *Provider) publishKeys(w http.ResponseWriter, _ *http.Request) {
	public, kid := p.PublicKey()
	answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: public, KeyID: kid, Algorithm: string(jose.ES256), Use: "sig"},
	}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
