package devidp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"ujumbe/internal/auth/devidp"
	"ujumbe/internal/clock"
)

const (
	issuer      = "http://localhost:8080/dev/idp/idp_a"
	redirectURL = "http://localhost:8080/auth/callback/idp_a"
)

// visitor reaches a provider without a network.
type visitor struct {
	t      *testing.T
	clock  *clock.Manual
	client *http.Client
}

func newVisitor(t *testing.T, change ...func(*devidp.Options)) visitor {
	t.Helper()
	v := visitor{t: t, clock: clock.NewManual()}
	options := devidp.Options{Issuer: issuer, ClientID: "ujumbe", ClientSecret: "secret", RedirectURL: redirectURL, Clock: v.clock}
	for _, f := range change {
		f(&options)
	}
	p, err := devidp.New(options)
	if err != nil {
		t.Fatal(err)
	}
	v.client = &http.Client{Transport: p.Transport(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (v visitor) send(request *http.Request, err error) reply {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(body)}
}

func (v visitor) get(path string) reply {
	v.t.Helper()
	return v.send(http.NewRequestWithContext(v.t.Context(), http.MethodGet, issuer+path, nil))
}

func (v visitor) post(path string, form url.Values) reply {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, issuer+path, strings.NewReader(form.Encode()))
	if err == nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return v.send(request, err)
}

func asking(more ...string) url.Values {
	query := url.Values{"client_id": {"ujumbe"}, "redirect_uri": {redirectURL}, "response_type": {"code"}, "state": {"s"}, "nonce": {"n"}}
	for i := 0; i+1 < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return query
}

func (v visitor) code(more ...string) string {
	v.t.Helper()
	r := v.post("/authorize?"+asking(more...).Encode(), url.Values{"email": {"asha@example.com"}})
	back, err := url.Parse(r.header.Get("Location"))
	if err != nil || r.status != http.StatusSeeOther {
		v.t.Fatalf("%d %s", r.status, r.body)
	}
	return back.Query().Get("code")
}

func (v visitor) exchange(more ...string) reply {
	v.t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {"ujumbe"}, "client_secret": {"secret"}, "redirect_uri": {redirectURL}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return v.post("/token", form)
}

func TestPageAsksWhomToBeAndSendsBackWithACode(t *testing.T) {
	v := newVisitor(t)
	page := v.get("/authorize?" + asking("login_hint", `"><b>@example.com`).Encode())
	if page.status != 200 || !strings.Contains(page.body, `name="email"`) || strings.Contains(page.body, "<b>") {
		t.Errorf("%d %s", page.status, page.body)
	}
	if policy := page.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") {
		t.Errorf("policy %s", policy)
	}
	for _, email := range []string{"", "nonsense", "two@example.com@example.com"} {
		if r := v.post("/authorize?"+asking().Encode(), url.Values{"email": {email}}); r.status != 422 || !strings.Contains(r.body, "Enter an email address") {
			t.Errorf("%q: %d", email, r.status)
		}
	}
	refused := v.post("/authorize?"+asking().Encode(), url.Values{"deny": {"on"}})
	if location := refused.header.Get("Location"); location != redirectURL+"?error=access_denied&state=s" {
		t.Errorf("location %s", location)
	}
	if first, second := v.code(), v.code(); first == second {
		t.Error("the same code twice")
	}
}

func TestRequestOfAnotherClientGoesNowhere(t *testing.T) {
	v := newVisitor(t)
	for _, change := range [][2]string{
		{"client_id", "another"}, {"redirect_uri", "https://evil.example.com/"}, {"redirect_uri", redirectURL + "/x"}, {"response_type", "token"},
	} {
		query := asking(change[0], change[1]).Encode()
		for _, r := range []reply{v.get("/authorize?" + query), v.post("/authorize?"+query, url.Values{"email": {"asha@example.com"}})} {
			if r.status != 400 || r.header.Get("Location") != "" {
				t.Errorf("%v: %d, %s", change, r.status, r.header.Get("Location"))
			}
		}
	}
}

func TestCodeIsGoodOnceForItsClientVerifierAndTime(t *testing.T) {
	v := newVisitor(t)
	verifier := strings.Repeat("v", 43)
	challenge := []string{"code_challenge", oauth2.S256ChallengeFromVerifier(verifier), "code_challenge_method", "S256"}
	for name, row := range map[string]struct {
		code  string
		with  []string
		want  int
		error string
	}{
		"as it should be":          {v.code(), nil, 200, ""},
		"with its verifier":        {v.code(challenge...), []string{"code_verifier", verifier}, 200, ""},
		"unknown":                  {"x", nil, 400, "invalid_grant"},
		"without its verifier":     {v.code(challenge...), nil, 400, "invalid_grant"},
		"with another verifier":    {v.code(challenge...), []string{"code_verifier", verifier + "x"}, 400, "invalid_grant"},
		"a verifier for nothing":   {v.code(), []string{"code_verifier", verifier}, 400, "invalid_grant"},
		"another redirect address": {v.code(), []string{"redirect_uri", "https://evil.example.com"}, 400, "invalid_grant"},
		"another secret":           {v.code(), []string{"client_secret", "x"}, 401, "invalid_client"},
		"another client":           {v.code(), []string{"client_id", "x"}, 401, "invalid_client"},
		"another grant":            {v.code(), []string{"grant_type", "password"}, 400, "unsupported_grant_type"},
	} {
		r := v.exchange(append([]string{"code", row.code}, row.with...)...)
		var body struct {
			Error   string `json:"error"`
			IDToken string `json:"id_token"`
		}
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.status != row.want || body.Error != row.error || (body.IDToken != "") != (row.want == 200) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
		if row.want == 200 && v.exchange(append([]string{"code", row.code}, row.with...)...).status != 400 {
			t.Errorf("%s: good twice", name)
		}
	}
	late := v.code()
	v.clock.Advance(6 * time.Minute)
	if r := v.exchange("code", late); r.status != 400 {
		t.Errorf("late code: %d", r.status)
	}
}

var script = regexp.MustCompile(`<script>(.*)</script>`)

func TestAppleReturnsByAFormThatPostsItself(t *testing.T) {
	v := newVisitor(t, func(o *devidp.Options) { o.Apple = true })
	if r := v.get("/authorize?" + asking("scope", "name email").Encode()); r.status != 400 {
		t.Errorf("without form_post: %d", r.status)
	}
	query := asking("scope", "name email", "response_mode", "form_post").Encode()
	for visit, hasName := range []bool{true, false} {
		r := v.post("/authorize?"+query, url.Values{"email": {"asha@example.com"}, "firstName": {`<Asha> "J"`}})
		if r.status != 200 || !strings.Contains(r.body, `action="`+redirectURL+`"`) || !strings.Contains(r.body, `name="code"`) {
			t.Fatalf("%d %s", r.status, r.body)
		}
		if strings.Contains(r.body, `name="user"`) != hasName || strings.Contains(r.body, "<Asha>") {
			t.Errorf("visit %d: %s", visit, r.body)
		}
		sum := sha256.Sum256([]byte(script.FindStringSubmatch(r.body)[1]))
		policy := r.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") || !strings.Contains(policy, "form-action 'self' http://localhost:8080") {
			t.Errorf("policy %s", policy)
		}
	}
}

func TestNewestCodeIsGoodHoweverManyAreOpen(t *testing.T) {
	v := newVisitor(t)
	for range 1100 {
		v.code()
	}
	if r := v.exchange("code", v.code()); r.status != 200 {
		t.Errorf("status %d", r.status)
	}
}
