package idp_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"ujumbe/internal/auth/devidp"
	"ujumbe/internal/auth/idp"
	"ujumbe/internal/clock"
)

const redirectURL = "https://sms.example.com/auth/callback/idp_a"

// partner is a provider in the test's hands.
type partner struct {
	*devidp.Provider
	url   string
	clock *clock.Manual

	mu      sync.Mutex
	instead map[string]http.HandlerFunc
	asked   map[string]int
}

func newPartner(t *testing.T) *partner {
	t.Helper()
	p := &partner{clock: clock.NewManual(), instead: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	made, err := devidp.New(devidp.Options{Issuer: server.URL, ClientID: "client", ClientSecret: "secret", RedirectURL: redirectURL, Clock: p.clock})
	if err != nil {
		t.Fatal(err)
	}
	p.Provider, p.url = made, server.URL
	return p
}

func (p *partner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked[r.URL.Path]++
	handler := p.instead[r.URL.Path]
	p.mu.Unlock()
	if handler == nil {
		handler = p.Provider.ServeHTTP
	}
	handler(w, r)
}

// answer puts a handler in the place of what the provider does at a path; nil
// puts things right again.
func (p *partner) answer(path string, handler http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.instead[path] = handler
}

func (p *partner) times(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

const (
	discoveryPath = "/.well-known/openid-configuration"
	keysPath      = "/jwks"
	tokenPath     = "/token"
)

// client is our side of the provider.
func (p *partner) client(t *testing.T, change ...func(*idp.Settings)) idp.Provider {
	t.Helper()
	settings := idp.Settings{Kind: idp.OpenID, Issuer: p.url, ClientID: "client", ClientSecret: "secret", RedirectURL: redirectURL, Clock: p.clock}
	for _, f := range change {
		f(&settings)
	}
	made, err := idp.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// code takes a flow to the provider and back.
func (p *partner) code(t *testing.T, c idp.Provider, f idp.Flow) string {
	t.Helper()
	address, err := c.Begin(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := browser.PostForm(address, url.Values{"email": {"asha@example.com"}})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirectURL) || back.Query().Get("state") != f.State {
		t.Fatalf("came back to %q: %v", response.Header.Get("Location"), err)
	}
	return back.Query().Get("code")
}
