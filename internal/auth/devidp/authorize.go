package devidp

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"ujumbe/internal/clock"
	"ujumbe/internal/mail"
	"ujumbe/internal/token"
)

// grant is what a code stands for.
type grant struct {
	person    person
	nonce     string
	challenge string
	expires   clock.Time
}

// person is who somebody chose to be.
type person struct {
	Email, FirstName, LastName string
	Unverified                 bool
	HideEmail                  bool
}

// relay is where Apple's stand-in addresses are.
const relay = "@privaterelay.appleid.com"

// subject depends on the address alone: whoever types it again is the same
// person.
func (p person) subject() string {
	sum := sha256.Sum256([]byte(mail.AddressKey(p.Email)))
	return hex.EncodeToString(sum[:16])
}

// address is what the client gets to see.
func (p person) address() string {
	if p.HideEmail {
		return p.subject()[:10] + relay
	}
	return p.Email
}

// maxForm bounds what a form may hold.
const maxForm = 64 << 10

// ask shows the page that asks whom to be.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request) {
	if why := p.refuse(r.URL.Query()); why != "" {
		http.Error(w, why, http.StatusBadRequest)
		return
	}
	p.page(w, http.StatusOK, "", person{Email: r.URL.Query().Get("login_hint")})
}

// consent takes the page's answer and sends the browser back with a code.
func (p *Provider) consent(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	if why := p.refuse(r.Form); why != "" {
		http.Error(w, why, http.StatusBadRequest)
		return
	}
	if r.Form.Has("deny") {
		p.send(w, r, url.Values{"error": {"access_denied"}, "state": {r.Form.Get("state")}})
		return
	}
	who := person{
		Email: strings.TrimSpace(r.Form.Get("email")), FirstName: strings.TrimSpace(r.Form.Get("firstName")), LastName: strings.TrimSpace(r.Form.Get("lastName")),
		Unverified: r.Form.Has("unverified"), HideEmail: p.Apple && r.Form.Has("hideEmail"),
	}
	if !mail.ValidAddress(who.Email) {
		p.page(w, http.StatusUnprocessableEntity, "Enter an email address such as name@example.com.", who)
		return
	}
	back := url.Values{"code": {p.grant(who, r.Form)}, "state": {r.Form.Get("state")}}
	if p.Apple && p.isFirst(who) {
		back.Set("user", userField(who))
	}
	p.send(w, r, back)
}

// refuse says what is wrong with an authorization request, or nothing. A wrong
// redirect address must not be answered by a redirect.
func (p *Provider) refuse(request url.Values) string {
	switch {
	case request.Get("client_id") != p.ClientID:
		return "invalid_request: unknown client_id"
	case request.Get("redirect_uri") != p.RedirectURL:
		return "invalid_request: the redirect_uri is not registered; it must be " + p.RedirectURL
	case request.Get("response_type") != "code":
		return "invalid_request: response_type must be code"
	case request.Get("code_challenge") != "" && request.Get("code_challenge_method") != "S256":
		return "invalid_request: code_challenge_method must be S256"
	case p.Apple && request.Get("scope") != "" && request.Get("response_mode") != "form_post":
		return "invalid_request: response_mode must be form_post when name or email is asked for"
	}
	return ""
}

func (p *Provider) grant(who person, request url.Values) string {
	code, now := token.NewOpaque().Reveal(), p.Clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for old, g := range p.grants {
		if g.expires <= now || len(p.grants) >= maxGrants {
			delete(p.grants, old)
		}
	}
	p.grants[code] = grant{person: who, nonce: request.Get("nonce"), challenge: request.Get("code_challenge"), expires: now.Add(grantLife)}
	return code
}

// isFirst reports whether this is somebody's first consent.
func (p *Provider) isFirst(who person) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.greeted) >= maxGreeted {
		clear(p.greeted)
	}
	_, before := p.greeted[who.subject()]
	p.greeted[who.subject()] = struct{}{}
	return !before
}

// userField is the form field by which Apple tells a name.
func userField(who person) string {
	type name struct {
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
	}
	text, _ := json.Marshal(map[string]any{"name": name{who.FirstName, who.LastName}, "email": who.address()})
	return string(text)
}

// send returns the browser to the client.
func (p *Provider) send(w http.ResponseWriter, r *http.Request, back url.Values) {
	if r.Form.Get("response_mode") == "form_post" {
		render(w, http.StatusOK, "return.html", p.policy("script-src "+submitHash), map[string]any{
			"To": p.RedirectURL, "Fields": back,
		})
		return
	}
	to, err := url.Parse(p.RedirectURL)
	if err != nil {
		http.Error(w, "invalid redirect address", http.StatusInternalServerError)
		return
	}
	query := to.Query()
	maps.Copy(query, back)
	to.RawQuery = query.Encode()
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

//go:embed page/*.html
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "page/*.html"))

// submitScript is the only script of the provider's pages, in return.html. It is
// named to browsers by its hash.
const submitScript = `document.forms[0].submit()`

var submitHash = func() string {
	sum := sha256.Sum256([]byte(submitScript))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// policy lets a page use its own style, post its form here or to the client, and
// no more but what is added.
func (p *Provider) policy(more ...string) string {
	client := ""
	if u, err := url.Parse(p.RedirectURL); err == nil {
		client = u.Scheme + "://" + u.Host
	}
	return strings.Join(append(more, "default-src 'none'", "style-src 'unsafe-inline'", "form-action 'self' "+client,
		"base-uri 'none'", "frame-ancestors 'none'"), "; ")
}

func (p *Provider) page(w http.ResponseWriter, status int, message string, who person) {
	render(w, status, "authorize.html", p.policy(), map[string]any{"Issuer": p.Issuer, "Apple": p.Apple, "Message": message, "Who": who})
}

func render(w http.ResponseWriter, status int, name, policy string, data any) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, data); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w)
}
