package auth_test

import (
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"ujumbe/internal/auth/devidp"
	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/servertest"
)

const (
	publicURL    = "http://localhost:8080"
	clientID     = "client"
	clientSecret = "client secret"
)

// browser are the headers by which a web page's requests are known.
var browser = []string{"Origin", publicURL, "Sec-Fetch-Site", "same-origin"}

// provider is a development provider on a server of its own.
type provider struct {
	*devidp.Provider
	URL string
	// down makes it answer everything with 500.
	down atomic.Bool
}

func startProvider(t *testing.T, slot string) *provider {
	t.Helper()
	p := &provider{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.down.Load() {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	made, err := devidp.New(devidp.Options{
		Issuer: server.URL, ClientID: clientID, ClientSecret: clientSecret, Clock: clock.System{},
		RedirectURL: publicURL + "/auth/callback/" + slot,
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Provider, p.URL = made, server.URL
	return p
}

// world is a server and the providers behind its slots.
type world struct {
	*servertest.Server
	providers map[string]*provider
}

// eachWorld starts a server with a provider of kind oidc behind each named slot.
func eachWorld(t *testing.T, slots []string, test func(t *testing.T, w *world), change ...func(*config.Config)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		providers := map[string]*provider{}
		for _, slot := range slots {
			providers[slot] = startProvider(t, slot)
		}
		configure := func(c *config.Config) {
			for slot, p := range providers {
				*slotOf(c, slot) = config.IDP{Kind: "oidc", Issuer: p.URL, ClientID: clientID, ClientSecret: clientSecret}
			}
		}
		w := &world{Server: servertest.Start(t, db, append([]func(*config.Config){configure}, change...)...), providers: providers}
		for _, p := range providers {
			p.Clock = w.Clock
		}
		test(t, w)
	})
}

// run is t.Run with a world that fails the subtest.
func (w *world) run(t *testing.T, name string, test func(t *testing.T, w *world)) {
	t.Run(name, func(t *testing.T) {
		inner := *w.Server
		inner.T = t
		test(t, &world{Server: &inner, providers: w.providers})
	})
}

func slotOf(c *config.Config, slot string) *config.IDP {
	return map[string]*config.IDP{"idp_a": &c.IDPA, "idp_b": &c.IDPB, "idp_c": &c.IDPC, "idp_d": &c.IDPD}[slot]
}

func inDevelopment(c *config.Config) { c.Dev = true }

// begun is a flow as its client sees it.
type begun struct {
	slot, url, cookie string
	code, state       string
	firstName         string
	lastName          string
}

// begin asks for a flow.
func (w *world) begin(slot string, headers ...string) begun {
	w.T.Helper()
	answer := w.Want(w.Call("GET", "/api/v1/auth/"+slot, "", nil, headers...), 200)
	address, _ := answer.JSON(w.T)["url"].(string)
	var cookies []string
	for _, line := range answer.Header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(line, ";")
		cookies = append(cookies, pair)
	}
	return begun{slot: slot, url: address, cookie: strings.Join(cookies, "; ")}
}

var outside = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// consent is what a person does at the provider: they say who they are and are
// sent back.
func (w *world) consent(b begun, as url.Values) begun {
	w.T.Helper()
	status, header, body := w.post(w.local(b.url), as)
	if status == http.StatusOK { // Apple's way: a form for the redirect address
		action, fields := readForm(w.T, body)
		status, header, _ = w.post(w.local(action), fields)
	}
	if status != http.StatusSeeOther {
		w.T.Fatalf("status %d from the provider: %s", status, body)
	}
	back, err := url.Parse(header.Get("Location"))
	if err != nil {
		w.T.Fatal(err)
	}
	told := back.Query()
	if back.Fragment != "" {
		if told, err = url.ParseQuery(back.Fragment); err != nil {
			w.T.Fatal(err)
		}
	}
	b.code, b.state = told.Get("code"), told.Get("state")
	b.firstName, b.lastName = told.Get("firstName"), told.Get("lastName")
	return b
}

// local leads addresses of the public URL to the server under test.
func (w *world) local(address string) string {
	if rest, ok := strings.CutPrefix(address, publicURL); ok {
		return w.URL + rest
	}
	return address
}

func (w *world) post(address string, form url.Values) (int, http.Header, string) {
	w.T.Helper()
	response, err := outside.PostForm(address, form)
	if err != nil {
		w.T.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return response.StatusCode, response.Header, string(body)
}

var (
	formAction = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

func readForm(t *testing.T, page string) (string, url.Values) {
	t.Helper()
	action := formAction.FindStringSubmatch(page)
	if action == nil {
		t.Fatalf("no form to post: %s", page)
	}
	fields := url.Values{}
	for _, field := range formField.FindAllStringSubmatch(page, -1) {
		fields.Add(field[1], html.UnescapeString(field[2]))
	}
	return html.UnescapeString(action[1]), fields
}

// arrive goes to the provider and back as a program without cookies.
func (w *world) arrive(slot string, as url.Values) begun {
	w.T.Helper()
	return w.consent(w.begin(slot), as)
}

// callback posts what came back; more replaces or adds fields.
func (w *world) callback(b begun, more map[string]any, headers ...string) servertest.Answer {
	w.T.Helper()
	body := map[string]any{"code": b.code}
	maps.Copy(body, more)
	return w.Call("POST", "/api/v1/auth/"+b.slot+"/callback", "", body, headers...)
}

// signIn goes all the way with nothing but the code and returns the user.
func (w *world) signIn(slot string, as url.Values) map[string]any {
	w.T.Helper()
	return w.userOf(w.Want(w.callback(w.arrive(slot, as), nil), 200))
}

func (w *world) userOf(a servertest.Answer) map[string]any {
	w.T.Helper()
	body := a.JSON(w.T)
	user, _ := body["user"].(map[string]any)
	if user == nil || body["accessToken"] == "" || body["refreshToken"] == "" {
		w.T.Fatalf("no signed-in user: %s", a.Body)
	}
	return user
}

func (w *world) count(table string) int {
	w.T.Helper()
	var n int
	if err := w.DB.QueryRow(w.T.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil {
		w.T.Fatal(err)
	}
	return n
}

func wantCode(t *testing.T, a servertest.Answer, status int, code string) {
	t.Helper()
	if a.Status != status || a.Code() != code {
		t.Fatalf("status %d, code %q; want %d, %q: %s", a.Status, a.Code(), status, code, a.Body)
	}
}

// as is somebody at the provider.
func as(email string, more ...string) url.Values {
	form := url.Values{"email": {email}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

func jwtParts(token string) []string { return strings.SplitN(token, ".", 3) }
