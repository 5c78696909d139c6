package idp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"ujumbe/internal/clock"
)

// openID is a provider that follows OpenID Connect, give or take the traits of
// its kind.
type openID struct {
	Settings
	traits traits
	client *http.Client

	loads  singleflight.Group
	cached atomic.Pointer[discovery]
}

// discovery is what a provider says of itself.
type discovery struct {
	provider *oidc.Provider
	endpoint oauth2.Endpoint
	keysURL  string
	keys     *oidc.RemoteKeySet
	issuer   issuerRule
	fresh    clock.Time // until then it is not asked for again
}

const (
	discoveryLife = time.Hour
	// discoveryRetry is how long old knowledge does when new can't be had.
	discoveryRetry = time.Minute
)

func (p *openID) HasNonce() bool      { return true }
func (p *openID) RedirectURL() string { return p.Settings.RedirectURL }

func (p *openID) Begin(ctx context.Context, f Flow) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(f.Nonce)}
	if p.traits.formPost {
		options = append(options, oauth2.SetAuthURLParam("response_mode", "form_post"))
	}
	return authorize(p.config(d, ""), f, options...), nil
}

func (p *openID) Finish(ctx context.Context, code, verifier string) (Identity, error) {
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), finishTime)
	defer cancel()
	d, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	secret, err := p.secret()
	if err != nil {
		return Identity{}, err
	}
	issued, err := exchange(ctx, p.config(d, secret), code, verifier)
	if err != nil {
		return Identity{}, err
	}
	raw, ok := issued.Extra("id_token").(string)
	if !ok {
		return Identity{}, fmt.Errorf("%w: there is none in the answer", ErrToken)
	}
	identity, err := p.verify(ctx, d, raw)
	if err != nil || identity.Email != "" || !p.traits.userinfo {
		return identity, err
	}
	return p.askUserinfo(ctx, d, issued, identity)
}

func (p *openID) config(d *discovery, secret string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, Endpoint: d.endpoint,
		RedirectURL: p.Settings.RedirectURL, Scopes: p.Scopes,
	}
}

// secret is what the client authenticates by; Apple's is made anew each time.
func (p *openID) secret() (string, error) {
	if p.Kind == Apple {
		return p.appleSecret()
	}
	return p.ClientSecret, nil
}

// discover returns the provider's own description, asked for once an hour at
// most however many wait for it.
func (p *openID) discover(ctx context.Context) (*discovery, error) {
	known := p.cached.Load()
	if known != nil && p.Clock.Now() < known.fresh {
		return known, nil
	}
	loading := p.loads.DoChan("", func() (any, error) { return p.load(context.WithoutCancel(ctx)) })
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	case done := <-loading:
		loaded, _ := done.Val.(*discovery)
		return loaded, done.Err
	}
}

// load asks the provider, or makes do with what it said before.
func (p *openID) load(ctx context.Context) (*discovery, error) {
	known := p.cached.Load()
	found, err := p.fetch(oidc.ClientContext(ctx, p.client), known)
	switch {
	case err == nil:
		found.fresh = p.Clock.Now().Add(discoveryLife)
	case known == nil:
		return nil, fmt.Errorf("%w: discovery: %w", ErrUnavailable, err)
	default:
		again := *known
		found = &again
		found.fresh = p.Clock.Now().Add(discoveryRetry)
	}
	p.cached.Store(found)
	return found, nil
}

func (p *openID) fetch(ctx context.Context, known *discovery) (*discovery, error) {
	if p.Kind == Microsoft {
		// The document names another issuer than its address; see issuerRule.
		ctx = oidc.InsecureIssuerURLContext(ctx, p.Issuer)
	}
	provider, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := provider.Claims(&doc); err != nil {
		return nil, err
	}
	if err := doc.check(p.Issuer); err != nil {
		return nil, err
	}
	found := &discovery{provider: provider, endpoint: provider.Endpoint(), keysURL: doc.KeysURL}
	if found.issuer, err = p.issuerRule(doc.Issuer); err != nil {
		return nil, err
	}
	if p.AuthURL != "" {
		found.endpoint.AuthURL = p.AuthURL
	}
	if p.TokenURL != "" {
		found.endpoint.TokenURL = p.TokenURL
	}
	if found.endpoint.AuthStyle = p.traits.style; found.endpoint.AuthStyle == oauth2.AuthStyleAutoDetect {
		found.endpoint.AuthStyle = doc.style()
	}
	if known != nil && known.keysURL == doc.KeysURL {
		found.keys = known.keys
	} else {
		found.keys = oidc.NewRemoteKeySet(ctx, doc.KeysURL)
	}
	return found, nil
}

// verify checks an identity token and reads it. The nonce is the caller's to
// compare, since it alone knows the flow.
func (p *openID) verify(ctx context.Context, d *discovery, raw string) (Identity, error) {
	keys := &watchedKeys{KeySet: d.keys}
	verifier := oidc.NewVerifier(d.issuer.stated, keys, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: algorithms, SkipIssuerCheck: d.issuer.isTemplate(),
		Now: func() time.Time { return p.Clock.Now().Std() },
	})
	checked, err := verifier.Verify(ctx, raw)
	if keys.unreachable != nil {
		return Identity{}, keys.unreachable
	}
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	var c claims
	if err := checked.Claims(&c); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if err := p.checkClaims(d, checked, c); err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	return p.identity(d.issuer.name(checked.Issuer), checked, c), nil
}

// checkClaims applies the rules that the library leaves to its caller.
func (p *openID) checkClaims(d *discovery, t *oidc.IDToken, c claims) error {
	switch {
	case !d.issuer.accepts(t.Issuer, c.Tenant):
		return fmt.Errorf("issuer %q of tenant %q", t.Issuer, c.Tenant)
	case t.Subject == "" || len(t.Subject) > maxSubject || strings.ContainsFunc(t.Subject, unicode.IsControl):
		return errors.New("subject missing, too long or not text")
	case c.AuthorizedParty != "" && c.AuthorizedParty != p.ClientID:
		return fmt.Errorf("issued to another client, %q", c.AuthorizedParty)
	case len(t.Audience) > 1 && c.AuthorizedParty == "":
		return errors.New("for several clients, of which none is named")
	case t.IssuedAt.After(p.Clock.Now().Std().Add(maxSkew)):
		return errors.New("issued in the future")
	}
	return nil
}

// maxSkew is how far a provider's clock may be ahead of ours.
const maxSkew = 5 * time.Minute

// maxSubject is the bound that OpenID Connect sets.
const maxSubject = 255

// watchedKeys remembers that keys could not be had, which the verifier would
// report as a bad signature.
type watchedKeys struct {
	oidc.KeySet
	unreachable error
}

func (k *watchedKeys) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	if err != nil && (errors.Is(err, ErrUnavailable) || ctx.Err() != nil) {
		k.unreachable = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return payload, err
}

// askUserinfo is for providers that keep their tokens small.
func (p *openID) askUserinfo(ctx context.Context, d *discovery, issued *oauth2.Token, known Identity) (Identity, error) {
	if d.provider.UserInfoEndpoint() == "" {
		return known, nil
	}
	info, err := d.provider.UserInfo(ctx, oauth2.StaticTokenSource(issued))
	if err != nil {
		return Identity{}, fmt.Errorf("%w: userinfo: %w", ErrUnavailable, err)
	}
	var c claims
	if err := info.Claims(&c); err != nil || info.Subject != known.Subject {
		return Identity{}, fmt.Errorf("%w: userinfo is about another subject", ErrToken)
	}
	full := p.identity(known.Issuer, &oidc.IDToken{Subject: known.Subject, Nonce: known.Nonce}, c)
	if full.FirstName == "" && full.LastName == "" {
		full.FirstName, full.LastName = known.FirstName, known.LastName
	}
	return full, nil
}
