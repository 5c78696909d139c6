package idp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/auth/idp"
)

func TestSignInTellsWhoSomebodyIs(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	for _, f := range []idp.Flow{{State: "state", Nonce: "nonce"}, {State: "other state", Nonce: "other nonce", Verifier: strings.Repeat("v", 43)}} {
		identity, err := c.Finish(t.Context(), p.code(t, c, f), f.Verifier)
		if err != nil {
			t.Fatal(err)
		}
		if identity.Issuer != p.url || identity.Subject == "" || identity.Email != "asha@example.com" || !identity.EmailVerified || identity.Nonce != f.Nonce {
			t.Errorf("identity %+v", identity)
		}
	}
}

func TestCodeIsRefusedWithoutItsVerifier(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	bound := idp.Flow{State: "state", Nonce: "nonce", Verifier: strings.Repeat("v", 43)}
	for _, verifier := range []string{"", strings.Repeat("w", 43)} {
		if _, err := c.Finish(t.Context(), p.code(t, c, bound), verifier); !errors.Is(err, idp.ErrCode) {
			t.Errorf("verifier %q: %v", verifier, err)
		}
	}
}

func TestDiscoveryIsSharedAndCachedForAnHour(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := c.Begin(t.Context(), idp.Flow{State: "s", Nonce: "n"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	before := p.times(discoveryPath)
	p.clock.Advance(59 * time.Minute)
	begin(t, c)
	if n := p.times(discoveryPath); n != before {
		t.Errorf("asked %d times, then %d within the hour", before, n)
	}
	p.clock.Advance(2 * time.Minute)
	begin(t, c)
	if n := p.times(discoveryPath); n != before+1 {
		t.Errorf("asked %d times, then %d after the hour", before, n)
	}

	t.Run("old knowledge does while new can't be had, and is not asked for each time", func(t *testing.T) {
		p.answer(discoveryPath, status(http.StatusBadGateway))
		p.clock.Advance(2 * time.Hour)
		before := p.times(discoveryPath)
		begin(t, c)
		begin(t, c)
		if n := p.times(discoveryPath); n != before+1 {
			t.Errorf("asked %d times, want 1", n-before)
		}
	})
}

func begin(t *testing.T, c idp.Provider) {
	t.Helper()
	if _, err := c.Begin(t.Context(), idp.Flow{State: "s", Nonce: "n"}); err != nil {
		t.Fatal(err)
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}

func TestKeysAreCachedAndFetchedAgainForAnUnknownKeyID(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	finish := func() {
		t.Helper()
		if _, err := c.Finish(t.Context(), p.code(t, c, idp.Flow{State: "s", Nonce: "n"}), ""); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		finish()
	}
	if n := p.times(keysPath); n != 1 {
		t.Errorf("keys asked for %d times, want 1", n)
	}
	if err := p.Rotate(); err != nil {
		t.Fatal(err)
	}
	finish()
	p.clock.Advance(2 * time.Hour) // a new discovery keeps the keys
	finish()
	if n := p.times(keysPath); n != 2 {
		t.Errorf("keys asked for %d times, want 2", n)
	}
}

func TestProviderThatDoesNotAnswerAsItShouldIsUnavailable(t *testing.T) {
	huge := text(`{"x":"` + strings.Repeat("x", 2<<20) + `"}`)
	away := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "ftp://example.com/", http.StatusFound)
	}
	for _, path := range []string{discoveryPath, keysPath, tokenPath} {
		for name, handler := range map[string]http.HandlerFunc{
			"500": status(500), "503": status(503), "429": status(429), "redirect elsewhere": away, "huge": huge,
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				p := newPartner(t)
				c := p.client(t)
				code := p.code(t, p.client(t), idp.Flow{State: "s", Nonce: "n"})
				p.answer(path, handler)
				if _, err := c.Finish(t.Context(), code, ""); !errors.Is(err, idp.ErrUnavailable) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
	for name, body := range map[string]string{
		"no JSON":             "<html>",
		"no endpoints":        `{"issuer":"%s"}`,
		"other issuer":        `{"issuer":"https://accounts.example.com","authorization_endpoint":"%[1]s/a","token_endpoint":"%[1]s/t","jwks_uri":"%[1]s/k"}`,
		"endpoint of no kind": `{"issuer":"%[1]s","authorization_endpoint":"/a","token_endpoint":"%[1]s/t","jwks_uri":"%[1]s/k"}`,
	} {
		t.Run("discovery with "+name, func(t *testing.T) {
			p := newPartner(t)
			if strings.Contains(body, "%") {
				body = fmt.Sprintf(body, p.url)
			}
			p.answer(discoveryPath, text(body))
			if _, err := p.client(t).Begin(t.Context(), idp.Flow{}); !errors.Is(err, idp.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSecretIsNotSentAfterARedirect(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	code := p.code(t, c, idp.Flow{State: "s", Nonce: "n"})
	p.answer(tokenPath, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	if _, err := c.Finish(t.Context(), code, ""); !errors.Is(err, idp.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if n := p.times("/elsewhere"); n != 0 {
		t.Error("the redirect was followed")
	}
}

func TestProviderReachedByHTTPSMustStayThere(t *testing.T) {
	endpoints := []string{"authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"}
	for _, plain := range endpoints {
		t.Run(plain, func(t *testing.T) {
			var server *httptest.Server
			server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				document := map[string]string{"issuer": server.URL}
				for _, endpoint := range endpoints {
					document[endpoint] = server.URL + "/" + endpoint
				}
				document[plain] = "http://example.com/" + plain
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(document)
			}))
			t.Cleanup(server.Close)
			p := newPartner(t)
			c := p.client(t, func(s *idp.Settings) { s.Issuer, s.Transport = server.URL, server.Client().Transport })
			_, err := c.Begin(t.Context(), idp.Flow{})
			if !errors.Is(err, idp.ErrUnavailable) || !strings.Contains(err.Error(), "not https") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSlowProviderDoesNotOutlastTheRequest(t *testing.T) {
	for _, path := range []string{discoveryPath, keysPath, tokenPath} {
		t.Run(path, func(t *testing.T) {
			p := newPartner(t)
			c := p.client(t)
			code := p.code(t, p.client(t), idp.Flow{State: "s", Nonce: "n"})
			asked, release := make(chan struct{}, 1), make(chan struct{})
			t.Cleanup(func() { close(release) })
			p.answer(path, func(http.ResponseWriter, *http.Request) {
				asked <- struct{}{}
				<-release
			})
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := c.Finish(ctx, code, "")
				done <- err
			}()
			<-asked
			cancel()
			if err := <-done; !errors.Is(err, idp.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestWrongClientIsTheOperatorsBusinessAndNotTheCodes(t *testing.T) {
	p := newPartner(t)
	good := p.client(t)
	bad := p.client(t, func(s *idp.Settings) { s.ClientSecret = "wrong" })
	_, err := bad.Finish(t.Context(), p.code(t, good, idp.Flow{State: "s", Nonce: "n"}), "")
	if !errors.Is(err, idp.ErrUnavailable) || !strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "wrong") {
		t.Errorf("got %v", err)
	}
}

func TestEveryPartOfAKindCanBeReplaced(t *testing.T) {
	p := newPartner(t)
	for _, kind := range []idp.Kind{idp.Google, idp.Microsoft, idp.OpenID} {
		c := p.client(t, func(s *idp.Settings) {
			s.Kind, s.AuthURL, s.Scopes = kind, p.url+"/authorize?tenant=x", []string{"openid", "special"}
		})
		address, err := c.Begin(t.Context(), idp.Flow{State: "s", Nonce: "n"})
		if err != nil || !strings.HasPrefix(address, p.url+"/authorize?tenant=x&") || !strings.Contains(address, "scope=openid+special") {
			t.Errorf("%s: %s, %v", kind, address, err)
		}
		if _, err := c.Finish(t.Context(), p.code(t, c, idp.Flow{State: "s", Nonce: "n"}), ""); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestUserinfoTellsTheAddressThatATokenLacks(t *testing.T) {
	p := newPartner(t)
	p.answer(discoveryPath, text(fmt.Sprintf(`{"issuer":"%[1]s","authorization_endpoint":"%[1]s/authorize","token_endpoint":"%[1]s/token",
		"jwks_uri":"%[1]s/jwks","userinfo_endpoint":"%[1]s/userinfo","token_endpoint_auth_methods_supported":["client_secret_post"]}`, p.url)))
	var subject string
	p.Forge = func(claims jwt.MapClaims) (string, error) {
		subject, _ = claims["sub"].(string)
		delete(claims, "email")
		claims["given_name"] = "Asha"
		return p.Sign(claims)
	}
	c := p.client(t)
	finish := func(c idp.Provider, info string) (idp.Identity, error) {
		p.answer("/userinfo", func(w http.ResponseWriter, r *http.Request) {
			text(strings.ReplaceAll(info, "SUB", subject))(w, r)
		})
		return c.Finish(t.Context(), p.code(t, c, idp.Flow{State: "s", Nonce: "n"}), "")
	}
	identity, err := finish(c, `{"sub":"SUB","email":"asha@example.com","email_verified":true}`)
	if err != nil || identity.Email != "asha@example.com" || !identity.EmailVerified || identity.FirstName != "Asha" || identity.Nonce != "n" || identity.Subject != subject {
		t.Errorf("%+v, %v", identity, err)
	}
	if _, err := finish(c, `{"sub":"another","email":"victim@example.com","email_verified":true}`); !errors.Is(err, idp.ErrToken) {
		t.Errorf("another subject: %v", err)
	}
	if _, err := finish(c, `nonsense`); !errors.Is(err, idp.ErrUnavailable) {
		t.Errorf("no JSON: %v", err)
	}
	asGoogle := p.client(t, func(s *idp.Settings) { s.Kind = idp.Google })
	if identity, err := finish(asGoogle, `{"sub":"SUB","email":"asha@example.com","email_verified":true}`); err != nil || identity.Email != "" {
		t.Errorf("a kind whose token says everything: %+v, %v", identity, err)
	}
}
