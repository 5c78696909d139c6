package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

type echoInput struct {
	Body struct {
		Text  string                    `json:"text" minLength:"1" maxLength:"2000"`
		Note  httpapi.Optional[string]  `json:"note" required:"false"`
		Inner []struct{ Deep []string } `json:"inner" required:"false"`
	}
}

type echoOutput struct {
	Body struct {
		Text string `json:"text"`
		Note string `json:"note"`
		IP   string `json:"ip"`
	}
}

// serve returns a server with an echo and a route for every error given.
func serve(t *testing.T, o httpapi.Options, failures map[string]error) *httptest.Server {
	t.Helper()
	api := httpapi.New("test", "1", 1<<20)
	httpapi.Register(api, httpapi.Route{Method: "POST", Path: "/api/v1/echo", Tag: "t", Summary: "Echo"},
		func(ctx context.Context, in *echoInput) (*echoOutput, error) {
			out := &echoOutput{}
			out.Body.Text, out.Body.IP = in.Body.Text, httpapi.ClientOf(ctx).IP
			switch {
			case !in.Body.Note.Sent:
				out.Body.Note = "absent"
			case in.Body.Note.Pointer() == nil:
				out.Body.Note = "null"
			default:
				out.Body.Note = *in.Body.Note.Pointer()
			}
			return out, nil
		})
	for path, err := range failures {
		httpapi.Register(api, httpapi.Route{Method: "GET", Path: "/api/v1/" + path, Tag: "t", Summary: path},
			func(context.Context, *struct{}) (*httpapi.Empty, error) {
				if err == nil {
					panic("secret inside")
				}
				return nil, err
			})
	}
	api.Mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	server := httptest.NewServer(api.Handler(o))
	t.Cleanup(server.Close)
	return server
}

func do(t *testing.T, method, url, body string, headers ...string) (*http.Response, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var object map[string]any
	_ = json.NewDecoder(response.Body).Decode(&object)
	return response, object
}

func TestEveryFailureIsAProblemDocument(t *testing.T) {
	failures := map[string]error{
		"bad":       fault.BadRequest("spent", "The link is spent."),
		"who":       fault.Unauthorized("who", "Who are you?"),
		"no":        fault.Forbidden("no", "You may not."),
		"gone":      fault.NotFound("gone", "It is not there."),
		"twice":     fault.Conflict("twice", "It is there already."),
		"big":       fault.TooLarge("big", "Too large."),
		"wrong":     fault.Invalid("wrong", "Wrong.", fault.Field{Location: "body.x", Message: "is wrong"}),
		"often":     fault.TooMany("often", "Too often.", 1500*time.Millisecond),
		"short":     fault.Unavailable("short", "Come back.", time.Second),
		"database":  fmt.Errorf("query: %w", database.ErrUnavailable),
		"ours":      errors.New("password=hunter2"),
		"panicking": nil,
		"wrapped":   fmt.Errorf("while doing: %w", fault.Conflict("inner", "Inner.")),
	}
	want := map[string]int{
		"bad": 400, "who": 401, "no": 403, "gone": 404, "twice": 409, "big": 413, "wrong": 422, "often": 429,
		"short": 503, "database": 503, "ours": 500, "panicking": 500, "wrapped": 409,
	}
	server := serve(t, httpapi.Options{}, failures)
	for path, status := range want {
		response, problem := do(t, "GET", server.URL+"/api/v1/"+path, "")
		if response.StatusCode != status || response.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s, want %d", path, response.StatusCode, response.Header.Get("Content-Type"), status)
		}
		for _, field := range []string{"type", "title", "detail", "code", "requestId"} {
			if text, _ := problem[field].(string); text == "" {
				t.Errorf("%s: no %s in %v", path, field, problem)
			}
		}
		if shown := fmt.Sprint(problem); strings.Contains(shown, "hunter2") || strings.Contains(shown, "secret inside") {
			t.Errorf("%s: inner text shown: %s", path, shown)
		}
		if again := response.Header.Get("Retry-After"); (again != "") != (status == 429 || status == 503) {
			t.Errorf("%s: Retry-After %q", path, again)
		}
	}
}

func TestPanicInTheMiddleOfAnAnswerBreaksItOff(t *testing.T) {
	api := httpapi.New("test", "1", 1<<20)
	for path, size := range map[string]int{"short": 10, "long": 100_000} {
		api.Mux.HandleFunc("GET /api/v1/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/csv")
			_, _ = io.WriteString(w, strings.Repeat("x", size))
			_ = http.NewResponseController(w).Flush()
			panic("in the middle")
		})
	}
	server := httptest.NewServer(api.Handler(httpapi.Options{Log: slog.New(slog.DiscardHandler)}))
	defer server.Close()
	for _, path := range []string{"short", "long"} {
		for _, encoding := range []string{"identity", "gzip"} {
			request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/v1/"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept-Encoding", encoding)
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				continue // nothing of it came out
			}
			got, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err == nil || bytes.Contains(got, []byte("internal")) {
				t.Errorf("%s, %s: %d and %d bytes look complete: %v", path, encoding, response.StatusCode, len(got), err)
			}
		}
	}
}

func TestWhatIsFlushedArrivesAtOnce(t *testing.T) {
	api := httpapi.New("test", "1", 1<<20)
	received := make(chan struct{})
	api.Mux.HandleFunc("GET /api/v1/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-received:
		case <-r.Context().Done():
		}
	})
	server := httptest.NewServer(api.Handler(httpapi.Options{Log: slog.New(slog.DiscardHandler)}))
	defer server.Close()
	for _, encoding := range []string{"identity", "gzip"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept-Encoding", encoding)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatalf("%s: nothing arrives: %v", encoding, err)
		}
		if _, err := io.ReadFull(response.Body, make([]byte, 5)); err != nil {
			t.Errorf("%s: nothing arrives: %v", encoding, err)
		}
		received <- struct{}{}
		_ = response.Body.Close()
	}
}

func TestWhatTheHTTPLayerItselfRefuses(t *testing.T) {
	server := serve(t, httpapi.Options{}, nil)
	for name, row := range map[string]struct {
		method, path, body string
		status             int
		code               string
	}{
		"unknown path":        {"GET", "/api/v1/nothing", "", 404, "route_not_found"},
		"api root":            {"GET", "/api", "", 404, "route_not_found"},
		"wrong method":        {"DELETE", "/api/v1/echo", "", 405, "method_not_allowed"},
		"no body":             {"POST", "/api/v1/echo", "", 422, "validation_failed"},
		"missing field":       {"POST", "/api/v1/echo", `{}`, 422, "validation_failed"},
		"wrong type":          {"POST", "/api/v1/echo", `{"text":7}`, 422, "validation_failed"},
		"array for an object": {"POST", "/api/v1/echo", `[]`, 422, "validation_failed"},
		"null":                {"POST", "/api/v1/echo", `null`, 422, "validation_failed"},
		"broken JSON":         {"POST", "/api/v1/echo", `{"text":`, 400, "bad_request"},
		"NUL character":       {"POST", "/api/v1/echo", `{"text":"a\u0000b"}`, 422, "validation_failed"},
		"NUL deep inside":     {"POST", "/api/v1/echo", `{"text":"a","inner":[{"Deep":["\u0000"]}]}`, 422, "validation_failed"},
		"large body":          {"POST", "/api/v1/echo", `{"text":"` + strings.Repeat("a", 2<<20) + `"}`, 413, "body_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			response, problem := do(t, row.method, server.URL+row.path, row.body)
			if response.StatusCode != row.status || problem["code"] != row.code {
				t.Errorf("%d %v, want %d %s", response.StatusCode, problem, row.status, row.code)
			}
			if (response.Header.Get("Allow") == "POST") != (row.status == 405) {
				t.Errorf("Allow: %q", response.Header.Get("Allow"))
			}
		})
	}
}

func TestTrailingSlashIsTheSameRoute(t *testing.T) {
	server := serve(t, httpapi.Options{}, nil)
	for _, path := range []string{"/api/v1/echo", "/api/v1/echo/"} {
		if response, body := do(t, "POST", server.URL+path, `{"text":"x"}`); response.StatusCode != 200 || body["text"] != "x" {
			t.Errorf("%s: %d %v", path, response.StatusCode, body)
		}
	}
}

func TestOptionalFieldTellsAbsentFromNullFromValue(t *testing.T) {
	server := serve(t, httpapi.Options{}, nil)
	for body, want := range map[string]string{
		`{"text":"x"}`: "absent", `{"text":"x","note":null}`: "null", `{"text":"x","note":"hi"}`: "hi", `{"text":"x","unknown":1}`: "absent",
	} {
		if _, got := do(t, "POST", server.URL+"/api/v1/echo", body); got["note"] != want {
			t.Errorf("%s: %v, want %s", body, got, want)
		}
	}
}

func TestGatewayTokenIsAskedForOnAPIRequestsOnly(t *testing.T) {
	gateway := httpapi.Gateway{IDHeader: "Gate-Id", SecretHeader: "Gate-Secret", Tokens: []httpapi.GatewayToken{{ID: "one", Secret: "s1"}, {ID: "two", Secret: "s2"}}}
	server := serve(t, httpapi.Options{Gateway: gateway}, nil)
	for name, row := range map[string]struct {
		id, secret string
		status     int
	}{
		"first": {"one", "s1", 200}, "second": {"two", "s2", 200}, "mixed": {"one", "s2", 403}, "none": {"", "", 403}, "joined": {"one\x00s1", "", 403},
	} {
		if strings.ContainsRune(row.id, 0) {
			continue // no client can send it
		}
		response, problem := do(t, "POST", server.URL+"/api/v1/echo", `{"text":"x"}`, "Gate-Id", row.id, "Gate-Secret", row.secret)
		if response.StatusCode != row.status {
			t.Errorf("%s: %d %v, want %d", name, response.StatusCode, problem, row.status)
		}
	}
	if response, _ := do(t, "GET", server.URL+"/healthz", ""); response.StatusCode != 200 {
		t.Errorf("health check: %d", response.StatusCode)
	}
}

func TestForwardedAddressIsBelievedFromTrustedProxiesOnly(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	for name, row := range map[string]struct {
		proxies   []netip.Prefix
		forwarded string
		want      string
	}{
		"no proxy trusted":     {nil, "203.0.113.9", "127.0.0.1"},
		"one hop":              {loopback, "203.0.113.9", "203.0.113.9"},
		"client lies in front": {loopback, "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		"two proxies":          {loopback, "203.0.113.9, 10.1.1.1", "203.0.113.9"},
		"nonsense":             {loopback, "hello", "127.0.0.1"},
	} {
		server := serve(t, httpapi.Options{Proxies: row.proxies}, nil)
		if _, body := do(t, "POST", server.URL+"/api/v1/echo", `{"text":"x"}`, "X-Forwarded-For", row.forwarded); body["ip"] != row.want {
			t.Errorf("%s: %v, want %s", name, body["ip"], row.want)
		}
	}
}

func TestOtherSitesMayCallOnlyIfConfigured(t *testing.T) {
	server := serve(t, httpapi.Options{Origins: []string{"https://app.example.com"}}, nil)
	for origin, want := range map[string]string{"https://app.example.com": "https://app.example.com", "https://evil.example.com": ""} {
		response, _ := do(t, "OPTIONS", server.URL+"/api/v1/echo", "", "Origin", origin, "Access-Control-Request-Method", "POST")
		if got := response.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: %q, want %q", origin, got, want)
		}
	}
}

func TestLogHasNoBodiesHeadersOrQueries(t *testing.T) {
	var log bytes.Buffer
	server := serve(t, httpapi.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}, nil)
	do(t, "POST", server.URL+"/api/v1/echo?token=in-query", `{"text":"in-body"}`, "Authorization", "Bearer in-header")
	server.Close()
	if !strings.Contains(log.String(), "/api/v1/echo") {
		t.Errorf("the request is not in the log: %s", log.String())
	}
	for _, secret := range []string{"in-query", "in-body", "in-header"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is in the log: %s", secret, log.String())
		}
	}
}

func TestAnswersCarrySecurityHeaders(t *testing.T) {
	server := serve(t, httpapi.Options{HTTPS: true}, nil)
	response, _ := do(t, "POST", server.URL+"/api/v1/echo", `{"text":"x"}`)
	for header, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Strict-Transport-Security": "max-age=31536000",
	} {
		if got := response.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"text":"x"}`)
	f.Add(`{"text":null,"note":{}}`)
	api := httpapi.New("test", "1", 1<<16)
	httpapi.Register(api, httpapi.Route{Method: "POST", Path: "/api/v1/echo", Tag: "t", Summary: "Echo"},
		func(_ context.Context, in *echoInput) (*echoOutput, error) {
			out := &echoOutput{}
			out.Body.Text = in.Body.Text
			return out, nil
		})
	handler := api.Handler(httpapi.Options{Log: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, body string) {
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/echo", strings.NewReader(body))
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code >= 500 {
			t.Errorf("%q: %d %s", body, recorder.Code, recorder.Body)
		}
	})
}
