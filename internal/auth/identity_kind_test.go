package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
	"golang.org/x/oauth2"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/servertest"
)

// asApple gives the provider of idp_d Apple's shape, and the slot a key of its
// team.
func asApple(t *testing.T, p *provider) config.IDP {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key.p8")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Apple, p.TeamID, p.KeyID, p.ClientKey = true, "TEAM", "KEY", &key.PublicKey
	return config.IDP{Kind: "apple", Issuer: p.URL, ClientID: clientID, TeamID: "TEAM", KeyID: "KEY", KeyFile: file}
}

func eachApple(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		p := startProvider(t, "idp_d")
		slot := asApple(t, p)
		w := &world{Server: servertest.Start(t, db, func(c *config.Config) { c.IDPD = slot }), providers: map[string]*provider{"idp_d": p}}
		p.Clock = w.Clock
		test(t, w)
	})
}

func TestAppleTellsTheNameToTheBrowserAndOnlyAtTheFirstConsent(t *testing.T) {
	eachApple(t, func(t *testing.T, w *world) {
		me := as(servertest.Email(), "firstName", "Asha", "lastName", "Juma")
		first := w.arrive("idp_d", me)
		if first.firstName != "Asha" || first.lastName != "Juma" {
			t.Fatalf("the page gets %+v", first)
		}
		user := w.userOf(w.Want(w.callback(first, map[string]any{"firstName": first.firstName, "lastName": first.lastName}), 200))
		later := w.arrive("idp_d", me)
		if later.firstName != "" || later.lastName != "" {
			t.Fatalf("the page gets %+v", later)
		}
		again := w.userOf(w.Want(w.callback(later, map[string]any{"firstName": "", "lastName": ""}), 200))
		for _, u := range []map[string]any{user, again} {
			if u["id"] != user["id"] || u["firstName"] != "Asha" || u["lastName"] != "Juma" {
				t.Errorf("user %v", u)
			}
		}
		w.run(t, "a name that was missed is collected later", func(t *testing.T, w *world) {
			me := as(servertest.Email(), "firstName", "Asha")
			if user := w.signIn("idp_d", me); user["firstName"] != "" || user["lastName"] != "" {
				t.Errorf("user %v", user)
			}
			answer := w.Want(w.callback(w.arrive("idp_d", me), nil), 200).JSON(t)
			changed := w.Want(w.Call("PATCH", "/api/v1/users/me", answer["accessToken"].(string), map[string]any{"firstName": "Asha", "lastName": "Juma"}), 200).JSON(t)
			if changed["firstName"] != "Asha" {
				t.Errorf("user %v", changed)
			}
			if user := w.signIn("idp_d", me); user["firstName"] != "Asha" || user["lastName"] != "Juma" {
				t.Errorf("user %v", user)
			}
		})
	})
}

func TestAppleVouchesForAddressesByAStringOrABoolean(t *testing.T) {
	eachApple(t, func(t *testing.T, w *world) {
		p := w.providers["idp_d"]
		for value, status := range map[any]int{"true": 200, true: 200, "false": 400, false: 400} {
			p.Forge = func(claims jwt.MapClaims) (string, error) { return changed("email_verified", value)(p, claims) }
			w.Want(w.callback(w.arrive("idp_d", as(servertest.Email())), nil), status)
		}
		p.Forge = nil
		relayed := w.signIn("idp_d", as(servertest.Email(), "hideEmail", "on"))
		if email, _ := relayed["email"].(string); !strings.HasSuffix(email, "@privaterelay.appleid.com") {
			t.Errorf("email %v", relayed["email"])
		}
	})
}

func TestAppleGetsAFreshClientSecret(t *testing.T) {
	eachApple(t, func(t *testing.T, w *world) {
		w.signIn("idp_d", as(servertest.Email()))
		w.Clock.Advance(24 * time.Hour) // far beyond the life of any secret made before
		w.signIn("idp_d", as(servertest.Email()))
		w.providers["idp_d"].KeyID = "ANOTHER"
		wantCode(t, w.callback(w.arrive("idp_d", as(servertest.Email())), nil), 503, "identity_provider_unavailable")
	})
}

func TestFormOfAProviderLeadsToOurOwnPage(t *testing.T) {
	eachApple(t, func(t *testing.T, w *world) {
		post := func(form url.Values) (int, http.Header) {
			status, header, _ := w.post(w.URL+"/auth/callback/idp_d", form)
			return status, header
		}
		status, header := post(url.Values{
			"code": {"a code&x=1"}, "state": {"a state"}, "user": {`{"name":{"firstName":"Äsha #1"}}`}, "id_token": {"secret"}, "other": {"thing"},
		})
		if status != 303 || header.Get("Location") != "/auth/callback/idp_d#code=a+code%26x%3D1&firstName=%C3%84sha+%231&state=a+state" {
			t.Errorf("status %d, location %s", status, header.Get("Location"))
		}
		if header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("headers %v", header)
		}
		for _, user := range []string{"", "null", "[]", "nonsense", `{"name":5}`} {
			if status, header := post(url.Values{"error": {"user_cancelled_authorize"}, "user": {user}}); status != 303 || header.Get("Location") != "/auth/callback/idp_d#error=user_cancelled_authorize" {
				t.Errorf("status %d, location %s", status, header.Get("Location"))
			}
		}
		if status, _ := post(url.Values{"code": {strings.Repeat("x", 70<<10)}}); status != 400 {
			t.Errorf("status %d", status)
		}
		if status, _, _ := w.post(w.URL+"/auth/callback/idp_e", nil); status != 404 {
			t.Errorf("status %d", status)
		}
	})
}

// gitHubDouble has what GitHub has: plain OAuth, and an API that tells who
// somebody is.
type gitHubDouble struct {
	*httptest.Server
	challenge string
	emails    []map[string]any
	id        int
}

func startGitHub(t *testing.T) *gitHubDouble {
	t.Helper()
	g := &gitHubDouble{id: 4711}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login/oauth/authorize", func(w http.ResponseWriter, r *http.Request) {
		g.challenge = r.FormValue("code_challenge")
		w.Header().Set("Location", r.FormValue("redirect_uri")+"?code=good&state="+url.QueryEscape(r.FormValue("state")))
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("POST /login/oauth/access_token", func(w http.ResponseWriter, r *http.Request) {
		answer := url.Values{"access_token": {"gho_token"}, "token_type": {"bearer"}, "scope": {"read:user,user:email"}}
		switch verifier := r.FormValue("code_verifier"); {
		case r.FormValue("client_id") != clientID || r.FormValue("client_secret") != clientSecret:
			answer = url.Values{"error": {"incorrect_client_credentials"}}
		case r.FormValue("code") != "good", g.challenge != "" && g.challenge != oauth2.S256ChallengeFromVerifier(verifier):
			answer = url.Values{"error": {"bad_verification_code"}}
		}
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		_, _ = w.Write([]byte(answer.Encode())) // errors, too, come with status 200
	})
	api := func(path string, body func() any) {
		mux.HandleFunc("GET /api/v3"+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer gho_token" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_ = json.NewEncoder(w).Encode(body())
		})
	}
	api("/user", func() any { return map[string]any{"id": g.id, "login": "asha", "name": "Asha Juma"} })
	api("/user/emails", func() any { return g.emails })
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

func address(email string, primary, verified bool) map[string]any {
	return map[string]any{"email": email, "primary": primary, "verified": verified}
}

func TestGitHubSignsInByStateAndVerifiedPrimaryAddress(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		g := startGitHub(t)
		w := &world{Server: servertest.Start(t, db, func(c *config.Config) {
			c.IDPC = config.IDP{Kind: "github", Issuer: g.URL, ClientID: clientID, ClientSecret: clientSecret}
		})}
		email := servertest.Email()
		g.emails = []map[string]any{address("other@example.com", false, true), address(email, true, true)}

		b := w.arrive("idp_c", nil)
		wantCode(t, w.callback(b, nil), 400, "state_required")
		wantCode(t, w.callback(b, map[string]any{"state": strings.Repeat("A", 43)}), 400, "invalid_flow")
		user := w.userOf(w.Want(w.callback(b, map[string]any{"state": b.state}), 200))
		if user["email"] != email || user["firstName"] != "Asha" || user["lastName"] != "Juma" {
			t.Errorf("user %v", user)
		}
		wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_flow")

		b = w.consent(w.begin("idp_c", browser...), nil)
		if again := w.userOf(w.Want(w.callback(b, nil, append([]string{"Cookie", b.cookie}, browser...)...), 200)); again["id"] != user["id"] {
			t.Error("another user")
		}
		if g.challenge == "" {
			t.Error("no PKCE for a browser")
		}

		b = w.arrive("idp_c", nil)
		b.code = "bad"
		wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_code")

		g.id++
		for _, emails := range [][]map[string]any{nil, {address("new@example.com", true, false), address("newer@example.com", false, true)}} {
			g.emails = emails
			b = w.arrive("idp_c", nil)
			wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "email_not_verified")
		}
		if n := w.count("users"); n != 1 {
			t.Errorf("%d users, want 1", n)
		}
	})
}

func TestAnotherImplementationOfOpenIDSignsIn(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		mock, err := mockoidc.Run()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = mock.Shutdown() })
		w := &world{Server: servertest.Start(t, db, func(c *config.Config) {
			c.IDPA = config.IDP{Kind: "google", Issuer: mock.Issuer(), ClientID: mock.ClientID, ClientSecret: mock.ClientSecret}
			c.IDPB = c.IDPA
			c.IDPB.Kind = "oidc"
		})}
		email := servertest.Email()
		someone := func() *mockoidc.MockUser {
			return &mockoidc.MockUser{Subject: "somebody", Email: email, EmailVerified: true}
		}
		visit := func(slot string, headers ...string) begun {
			mock.QueueUser(someone())
			b := w.begin(slot, headers...)
			response, err := outside.Get(b.url)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			back, err := url.Parse(response.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			b.code, b.state = back.Query().Get("code"), back.Query().Get("state")
			return b
		}
		var ids []any
		for _, slot := range []string{"idp_a", "idp_b"} {
			ids = append(ids, w.userOf(w.Want(w.callback(visit(slot), nil), 200))["id"])
			b := visit(slot, browser...)
			ids = append(ids, w.userOf(w.Want(w.callback(b, map[string]any{"state": b.state}, browser...), 200))["id"])
			wantCode(t, w.callback(visit(slot, browser...), nil), 400, "invalid_code") // no verifier, no tokens
		}
		for _, id := range ids {
			if id != ids[0] {
				t.Errorf("users %v", ids)
			}
		}
		if n := w.count("users"); n != 1 {
			t.Errorf("%d users", n)
		}
	})
}

func TestMicrosoftsTenantsAreToldApart(t *testing.T) {
	const (
		tenant   = "11111111-2222-4333-8444-555555555555"
		other    = "99999999-2222-4333-8444-555555555555"
		personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
	)
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		// The provider's document names {tenantid} where its tokens name theirs.
		p := startProvider(t, "idp_b")
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/openid-configuration") {
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(map[string]any{
					"issuer": "http://" + r.Host + "/{tenantid}/v2.0", "authorization_endpoint": p.URL + "/authorize",
					"token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/jwks",
				})
				return
			}
			http.NotFound(w, r)
		}))
		t.Cleanup(front.Close)
		w := &world{Server: servertest.Start(t, db, func(c *config.Config) {
			c.IDPB = config.IDP{Kind: "microsoft", Issuer: front.URL + "/common/v2.0", ClientID: clientID, ClientSecret: clientSecret}
		})}
		p.Clock = w.Clock
		for _, row := range []struct {
			name        string
			issuer, tid string
			more        jwt.MapClaims
			status      int
			code        string
		}{
			{"domain verified by its tenant", tenant, tenant, jwt.MapClaims{"xms_edov": true}, 200, ""},
			{"domain verified, said by a number", tenant, tenant, jwt.MapClaims{"xms_edov": 1}, 200, ""},
			{"personal account", personal, personal, nil, 200, ""},
			{"an administrator's word for an address", tenant, tenant, nil, 400, "email_not_verified"},
			{"domain not verified", tenant, tenant, jwt.MapClaims{"xms_edov": false}, 400, "email_not_verified"},
			{"another tenant than it says", tenant, other, jwt.MapClaims{"xms_edov": true}, 400, "invalid_identity_token"},
			{"a tenant that says it is personal", tenant, personal, nil, 400, "invalid_identity_token"},
			{"no tenant", tenant, "", jwt.MapClaims{"xms_edov": true}, 400, "invalid_identity_token"},
			{"the mark itself", "{tenantid}", "{tenantid}", jwt.MapClaims{"xms_edov": true}, 400, "invalid_identity_token"},
		} {
			w.run(t, row.name, func(t *testing.T, w *world) {
				p.Forge = func(claims jwt.MapClaims) (string, error) {
					delete(claims, "email_verified")
					claims["iss"], claims["tid"] = front.URL+"/"+row.issuer+"/v2.0", row.tid
					maps.Copy(claims, row.more)
					return p.Sign(claims)
				}
				answer := w.callback(w.arrive("idp_b", as(servertest.Email())), nil)
				wantCode(t, answer, row.status, row.code)
			})
		}
	})
}

func TestServerStartsWithoutReachingAnyProvider(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := servertest.Start(t, db, func(c *config.Config) {
			c.IDPA = config.IDP{Kind: "oidc", Issuer: "http://127.0.0.1:1", ClientID: clientID, ClientSecret: clientSecret}
		})
		s.Want(s.Call("GET", "/readyz", "", nil), 200)
		wantCode(t, s.Call("GET", "/api/v1/auth/idp_a", "", nil), 503, "identity_provider_unavailable")
	})
}
