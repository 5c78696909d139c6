package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"ujumbe/internal/fault"
)

// Options are the choices of Handler.
type Options struct {
	Log *slog.Logger
	// Origins are the other sites whose pages may call the API.
	Origins []string
	// Proxies may say who the client is.
	Proxies []netip.Prefix
	Gateway Gateway
	// Observe hears of every finished request.
	Observe func(route, method string, status int, took time.Duration)
	// HTTPS asks browsers to come by https only.
	HTTPS bool
}

// Gateway is the edge gateway whose service tokens every API request must show.
// Without tokens nothing is asked for.
type Gateway struct {
	IDHeader, SecretHeader string
	Tokens                 []GatewayToken
}

// GatewayToken is one pair of a service token.
type GatewayToken struct{ ID, Secret string }

// Handler wraps the routes of an API, and whatever else was added to its Mux, in
// the middleware that every request passes.
func (a *API) Handler(o Options) http.Handler {
	h := o.Gateway.require(a.dispatch())
	h = cors(o.Origins, h)
	h = gzhttp.GzipHandler(h)
	h = securityHeaders(o.HTTPS, h)
	h = observed(o, h)
	return h
}

// dispatch finds the route. A trailing slash is the same route, and what is not
// found, or not by this method, is a problem document too.
func (a *API) dispatch() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) > 1 && strings.HasSuffix(r.URL.Path, "/") && isAPI(r.URL.Path) {
			r.URL.Path = strings.TrimRight(r.URL.Path, "/")
			r.URL.RawPath = strings.TrimRight(r.URL.RawPath, "/")
		}
		_, pattern := a.Mux.Handler(r)
		// Pages of the console are at every path that nobody else has; they are
		// read, and whoever wants more may have a path but mistake its method.
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		if pattern == "" || pattern == "/" && (isAPI(r.URL.Path) || !isRead && len(a.allowed(r)) > 0) {
			a.refuse(w, r)
			return
		}
		if _, err := url.ParseQuery(r.URL.RawQuery); err != nil && isAPI(r.URL.Path) {
			WriteProblem(w, r, fault.Invalid("validation_failed", "The query of the address is not encoded well. Encode % as %25.",
				fault.Field{Location: "query", Message: "is not encoded well"}))
			return
		}
		a.Mux.ServeHTTP(w, r)
	})
}

func (a *API) refuse(w http.ResponseWriter, r *http.Request) {
	if allowed := a.allowed(r); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		problem := newProblem(r.Context(), http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not possible here; try "+strings.Join(allowed, " or ")+".")
		WriteProblem(w, r, problem)
		return
	}
	WriteProblem(w, r, fault.NotFound("route_not_found", "There is nothing at this address. The API reference is at /docs."))
}

// allowed lists the methods that have a route at the request's path.
func (a *API) allowed(r *http.Request) []string {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		probe := r.Clone(r.Context())
		probe.Method = method
		if _, pattern := a.Mux.Handler(probe); strings.HasPrefix(pattern, method+" ") {
			methods = append(methods, method)
		}
	}
	return methods
}

func isAPI(path string) bool { return strings.HasPrefix(path, "/api/") || path == "/api" }

// require asks for the gateway's service token on every API request. Health
// checks and the console's files carry nothing secret and are exempt.
func (g Gateway) require(next http.Handler) http.Handler {
	if len(g.Tokens) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) && r.Method != http.MethodOptions && !g.knows(r.Header.Get(g.IDHeader), r.Header.Get(g.SecretHeader)) {
			WriteProblem(w, r, fault.Forbidden("gateway_token_required", "This request did not come through the edge gateway: its service-token headers are missing or wrong."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knows compares with every token, in time that tells nothing.
func (g Gateway) knows(id, secret string) bool {
	given := sha256.Sum256([]byte(id + "\x00" + secret))
	found := 0
	for _, t := range g.Tokens {
		want := sha256.Sum256([]byte(t.ID + "\x00" + t.Secret))
		found |= subtle.ConstantTimeCompare(given[:], want[:])
	}
	return found == 1
}

func cors(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if isAPI(r.URL.Path) {
			w.Header().Add("Vary", "Origin")
		}
		if isAPI(r.URL.Path) && slices.Contains(origins, origin) {
			w.Header().Set("Access-Control-Allow-Origin", origin)
			w.Header().Set("Access-Control-Allow-Credentials", "true")
			w.Header().Set("Access-Control-Expose-Headers", "Location, Retry-After, X-Request-Id, X-Total-Count, Content-Disposition")
			if r.Method == http.MethodOptions {
				w.Header().Set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE")
				w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
				w.Header().Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func securityHeaders(https bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if https {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if isAPI(r.URL.Path) {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into a log entry and an internal error. An answer that
// had begun by then breaks off, so that it does not look complete.
func recovered(next http.Handler, w *statusRecorder, r *http.Request) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p)
		}
		slog.ErrorContext(r.Context(), "panic", "panic", p, "stack", string(debug.Stack()), "requestId", ClientOf(r.Context()).RequestID)
		if w.wrote {
			panic(http.ErrAbortHandler)
		}
		WriteProblem(w, r, newProblem(r.Context(), http.StatusInternalServerError, "internal", "Something went wrong on our side."))
	}()
	next.ServeHTTP(w, r)
}

// observed logs and measures requests: never a body, a header or a query, since
// those may hold secrets.
func observed(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started, outer := time.Now(), r
		r = withClient(r, o.Proxies)
		client := ClientOf(r.Context())
		w.Header().Set("X-Request-Id", client.RequestID)
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			took := time.Since(started)
			outer.Pattern = r.Pattern // by which traces name the request
			route := r.Pattern
			if route == "" {
				route = "none"
			}
			if o.Observe != nil {
				o.Observe(route, r.Method, recorder.status, took)
			}
			level := slog.LevelInfo
			if recorder.status >= http.StatusInternalServerError {
				level = slog.LevelError
			}
			o.Log.LogAttrs(r.Context(), level, "request",
				slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", recorder.status),
				slog.Int64("bytes", recorder.bytes), slog.Duration("took", took), slog.String("ip", client.IP), slog.String("requestId", client.RequestID))
		}()
		recovered(next, recorder, r)
	})
}

type statusRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	wrote  bool
}

func (s *statusRecorder) WriteHeader(status int) {
	if !s.wrote && status >= http.StatusOK {
		s.status, s.wrote = status, true
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusRecorder) Write(b []byte) (int, error) {
	s.wrote = true
	n, err := s.ResponseWriter.Write(b)
	s.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (s *statusRecorder) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Flush is for the compressor, which does not look behind this writer.
func (s *statusRecorder) Flush() { _ = http.NewResponseController(s.ResponseWriter).Flush() }
