package auth

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/token"
)

// CallbackPath is where providers send browsers back to, followed by the slot.
// The console's page there takes code and state from the query or the fragment
// and posts them.
const CallbackPath = "/auth/callback/"

// MountIdentities adds the routes of the slots. Each has routes of its own, so
// that the other paths keep their methods.
func MountIdentities(api *httpapi.API, identities *Identities, publicURL string, slots []string) {
	cookies := cookiesFor(publicURL)
	for _, slot := range slots {
		h := &identityHandler{identities, cookies, slot}
		httpapi.Register(api, httpapi.Route{
			Method: http.MethodGet, Path: base + "/" + slot, Tag: "Sign-in", Errors: []int{404, 429},
			Summary:     "Begin a sign-in through " + slot,
			Description: "Good for ten minutes and once. The browser that is sent to the address comes back with a code and a state.",
		}, h.begin)
		httpapi.Register(api, httpapi.Route{
			Method: http.MethodPost, Path: base + "/" + slot + "/callback", Tag: "Sign-in", Errors: []int{400, 401, 404, 429},
			Summary:     "Finish a sign-in through " + slot,
			Description: "A web page must send the state, or the cookie that it was given at the beginning; a program may send the code alone, except for providers without identity tokens.",
		}, h.finish)
	}
	api.Mux.HandleFunc("POST "+CallbackPath+"{slot}", identities.returnByForm)
}

type identityHandler struct {
	identities *Identities
	cookies    flowCookies
	slot       string
}

// FlowInput carries the flows that a browser has begun, under the name that its
// connection allows.
type FlowInput struct {
	Host  string `cookie:"__Host-ujumbe-flow" hidden:"true"`
	Plain string `cookie:"ujumbe-flow" hidden:"true"`
}

type identityURLOutput struct {
	SetCookie []string `header:"Set-Cookie" hidden:"true"`
	Body      struct {
		URL string `json:"url" format:"uri" doc:"Where to send the browser. It comes back with a code and a state."`
	}
}

func (h *identityHandler) begin(ctx context.Context, in *FlowInput) (*identityURLOutput, error) {
	address, state, err := h.identities.Begin(ctx, h.slot)
	if err != nil {
		return nil, err
	}
	out := &identityURLOutput{SetCookie: h.cookies.remember(state, h.cookies.read(in))}
	out.Body.URL = address
	return out, nil
}

type identityReturnInput struct {
	FlowInput
	Body struct {
		Code      string `json:"code" minLength:"1" maxLength:"8192" doc:"The authorization code that the browser came back with."`
		State     string `json:"state" required:"false" maxLength:"512" doc:"The state that came with the code. A browser that lost its cookie must send it."`
		FirstName string `json:"firstName" required:"false" maxLength:"1000" doc:"For providers that tell the name to the browser alone. A stored name is not replaced."`
		LastName  string `json:"lastName" required:"false" maxLength:"1000"`
	}
}

type identityResultOutput struct {
	SetCookie []string `header:"Set-Cookie" hidden:"true"`
	Body      Result
}

func (h *identityHandler) finish(ctx context.Context, in *identityReturnInput) (*identityResultOutput, error) {
	var c field.Checks
	r := Return{
		Code: in.Body.Code, State: in.Body.State, Begun: h.cookies.read(&in.FlowInput),
		FirstName: c.Text("body.firstName", in.Body.FirstName, 0, field.NameMax),
		LastName:  c.Text("body.lastName", in.Body.LastName, 0, field.NameMax),
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	result, err := h.identities.Finish(ctx, h.slot, r)
	if err != nil {
		return nil, err
	}
	return &identityResultOutput{SetCookie: h.cookies.forget(), Body: result}, nil
}

// flowCookies are the names by which a browser remembers the flows it has begun.
// They hold nothing but states.
type flowCookies []http.Cookie

const (
	hostCookie  = "__Host-ujumbe-flow"
	plainCookie = "ujumbe-flow"
	// begunMost is how many flows a browser may have open at once, in as many
	// tabs.
	begunMost = 4
)

// cookiesFor returns the cookies that work at the public address. By https that
// is the __Host- one, which no other host can plant. On loopback without https
// browsers and libraries disagree about it (some refuse the prefix, some the
// Secure attribute), so it goes along with a plain one. Elsewhere a cookie would
// travel in the clear, and the client must send the state.
func cookiesFor(publicURL string) flowCookies {
	shape := http.Cookie{Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	host, plain := shape, shape
	host.Name, host.Secure = hostCookie, true
	plain.Name = plainCookie
	u, err := url.Parse(publicURL)
	switch {
	case err != nil:
		return nil
	case u.Scheme == "https":
		return flowCookies{host}
	case httpapi.IsLoopback(u.Hostname()):
		return flowCookies{host, plain}
	}
	return nil
}

// read returns the states of the flows that this browser has begun, newest
// first.
func (c flowCookies) read(in *FlowInput) []string {
	values := map[string]string{hostCookie: in.Host, plainCookie: in.Plain}
	var states []string
	for _, cookie := range c {
		for state := range strings.SplitSeq(values[cookie.Name], ".") {
			if _, ok := token.ParseOpaque(state); ok && !slices.Contains(states, state) && len(states) < begunMost {
				states = append(states, state)
			}
		}
	}
	return states
}

func (c flowCookies) remember(state string, others []string) []string {
	states := append([]string{state}, others...)
	return c.write(strings.Join(states[:min(len(states), begunMost)], "."), int(flowLife.Seconds()))
}

func (c flowCookies) forget() []string { return c.write("", -1) }

func (c flowCookies) write(value string, age int) []string {
	var all []string
	for _, cookie := range c {
		cookie.Value, cookie.MaxAge = value, age
		all = append(all, cookie.String())
	}
	return all
}

// maxReturn bounds the form that a provider has the browser post.
const maxReturn = 64 << 10

// returnByForm takes what a provider like Apple has the browser post to the
// redirect address. That post comes from another site, so the flow's cookie is
// not with it. It is answered by a redirect to the console's page at the same
// path, with the fields in the fragment, which no server and no log sees; the
// page then posts them to the API from our own site, with the cookie.
func (i *Identities) returnByForm(w http.ResponseWriter, r *http.Request) {
	slot := r.PathValue("slot")
	if _, err := i.provider(slot); err != nil {
		httpapi.WriteProblem(w, r, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxReturn)
	if err := r.ParseForm(); err != nil {
		httpapi.WriteProblem(w, r, fault.BadRequest("invalid_form", "The identity provider's form could not be read. Start the sign-in again."))
		return
	}
	fields := url.Values{}
	for _, name := range []string{"code", "state", "error"} {
		if value := r.PostForm.Get(name); value != "" {
			fields.Set(name, value)
		}
	}
	addAppleName(fields, r.PostForm.Get("user"))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", CallbackPath+slot+"#"+fields.Encode())
	w.WriteHeader(http.StatusSeeOther)
}

// addAppleName reads the field by which Apple tells a name at the first consent.
// It is not signed, so it is the browser's word and no more.
func addAppleName(fields url.Values, user string) {
	var told struct {
		Name struct {
			FirstName string `json:"firstName"`
			LastName  string `json:"lastName"`
		} `json:"name"`
	}
	if json.Unmarshal([]byte(user), &told) != nil {
		return
	}
	if told.Name.FirstName != "" {
		fields.Set("firstName", told.Name.FirstName)
	}
	if told.Name.LastName != "" {
		fields.Set("lastName", told.Name.LastName)
	}
}
