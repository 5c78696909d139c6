// Package idp speaks with identity providers: OpenID Connect (Google, Microsoft,
// Apple and any other) and GitHub's OAuth. It finds out who somebody is to a
// provider, and no more; what that means here is decided by package auth.
package idp

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"ujumbe/internal/clock"
)

// Provider is one configured identity provider. Nothing is asked of it before
// the first use.
type Provider interface {
	// Begin returns the address at the provider that a browser is sent to.
	Begin(ctx context.Context, f Flow) (string, error)
	// Finish exchanges the code that the browser came back with. The verifier
	// is that of the flow, or empty.
	Finish(ctx context.Context, code, verifier string) (Identity, error)
	// HasNonce reports whether identities carry the nonce of their flow.
	HasNonce() bool
	// RedirectURL is where the provider sends browsers back to.
	RedirectURL() string
}

// Flow is what makes one sign-in recognizable when it returns. Verifier is the
// PKCE secret; empty, the flow has none.
type Flow struct {
	State, Nonce, Verifier string
}

// Identity is who somebody is to a provider. Issuer and Subject together name
// them for ever; the rest is what the provider says of them today.
type Identity struct {
	Issuer, Subject string
	Email           string
	// EmailVerified is true only where the provider vouches that the address is
	// theirs.
	EmailVerified       bool
	FirstName, LastName string
	// Nonce is that of the flow, where the provider HasNonce.
	Nonce string
}

// The ways in which a provider fails a sign-in. The errors that wrap them say
// more to the operator than a caller should read.
var (
	// ErrUnavailable is a provider that does not answer, or not as one should.
	ErrUnavailable = errors.New("identity provider unavailable")
	// ErrCode is a code that the provider does not accept.
	ErrCode = errors.New("authorization code refused")
	// ErrToken is an identity token that can't be believed.
	ErrToken = errors.New("identity token refused")
)

// finishTime bounds all that is asked of a provider for one sign-in.
const finishTime = 9 * time.Second

// Settings are what a Provider is made of. Whatever is empty of Issuer, Scopes
// and the addresses is as the kind has it.
type Settings struct {
	Kind                       Kind
	Issuer                     string
	ClientID, ClientSecret     string
	RedirectURL                string
	Scopes                     []string
	AuthURL, TokenURL, UserURL string
	// TeamID, KeyID and Key make Apple's client secrets.
	TeamID, KeyID string
	Key           *ecdsa.PrivateKey
	Clock         clock.Clock
	// Transport reaches the provider; nil is the network.
	Transport http.RoundTripper
}

// New returns the provider that the settings describe.
func New(s Settings) (Provider, error) {
	traits, ok := kinds[s.Kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of identity provider %q", s.Kind)
	}
	if s.Kind == Apple && s.Key == nil {
		return nil, errors.New("apple needs a private key")
	}
	if s.Issuer == "" {
		s.Issuer = traits.issuer
	}
	if len(s.Scopes) == 0 {
		s.Scopes = strings.Fields(traits.scopes)
	}
	client := newClient(s.Transport)
	if s.Kind == GitHub {
		return newGitHub(s, client), nil
	}
	return &openID{Settings: s, traits: traits, client: client}, nil
}

// authorize writes the parts of an authorization address that all kinds share.
func authorize(c *oauth2.Config, f Flow, more ...oauth2.AuthCodeOption) string {
	if f.Verifier != "" {
		more = append(more, oauth2.S256ChallengeOption(f.Verifier))
	}
	return c.AuthCodeURL(f.State, more...)
}

// exchange spends a code at the token endpoint.
func exchange(ctx context.Context, c *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
	var options []oauth2.AuthCodeOption
	if verifier != "" {
		options = append(options, oauth2.VerifierOption(verifier))
	}
	issued, err := c.Exchange(ctx, code, options...)
	var refusal *oauth2.RetrieveError
	switch {
	case err == nil:
		return issued, nil
	case !errors.As(err, &refusal):
		return nil, fmt.Errorf("%w: exchange code: %w", ErrUnavailable, err)
	case isOurFault(refusal.ErrorCode):
		return nil, fmt.Errorf("%w: it does not accept our client id, secret or redirect address: %s", ErrUnavailable, refusal.ErrorCode)
	}
	// Of the answer only the code is told: its body may repeat what we sent.
	return nil, fmt.Errorf("%w: %s", ErrCode, refusal.ErrorCode)
}

// isOurFault reports whether a refusal is about the configuration: another code
// would not help, and the person at the browser can do nothing about it.
func isOurFault(code string) bool {
	switch code {
	case "invalid_client", "unauthorized_client", "unsupported_grant_type", "incorrect_client_credentials", "redirect_uri_mismatch":
		return true
	}
	return false
}
