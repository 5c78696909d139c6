package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"ujumbe/internal/blob"
	"ujumbe/internal/console"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/mail"
	"ujumbe/internal/token"
)

// mountPages adds what is not an operation of the API: health, metrics, API
// reference, photos, the console and, in development, the inbox.
func (s *Server) mountPages() {
	for _, api := range s.apis() {
		mountHealth(api.Mux, s)
		mountReference(api)
		api.Mux.Handle("GET /metrics", s.metrics.handler())
	}
	s.public.Mux.Handle(blob.PhotoPattern, s.blobs.PhotoHandler(httpapi.WriteProblem))
	s.public.Mux.Handle("/", getOnly(console.Handler("index.html")))
	staffConsole := getOnly(console.Handler("admin/index.html"))
	s.admin.Mux.Handle("/admin/", staffConsole)
	if s.admin != s.public {
		s.public.Mux.HandleFunc("/admin/", notFound)
		s.admin.Mux.Handle("/", staffConsole)
	}
	for _, api := range s.apis() {
		api.Mux.HandleFunc("/dev/", notFound)
	}
	if s.config.Dev {
		inbox := localOnly(mail.Inbox(s.config.MailDir()))
		s.public.Mux.Handle(mail.InboxPath, inbox)
		s.public.Mux.Handle(mail.InboxPath+"/", inbox)
	}
	if bool(s.config.Profiling) && (s.admin != s.public || s.config.LoopbackOnly()) {
		s.admin.Mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		s.admin.Mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		s.admin.Mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
}

func (s *Server) apis() []*httpapi.API {
	if s.admin == s.public {
		return []*httpapi.API{s.public}
	}
	return []*httpapi.API{s.public, s.admin}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	httpapi.WriteProblem(w, r, fault.NotFound("route_not_found", "There is nothing at this address."))
}

// localOnly keeps out pages of other sites whose name was made to lead to this
// machine.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpapi.IsLoopback((&url.URL{Host: r.Host}).Hostname()) {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func getOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			notFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readiness turns red before the server stops taking requests.
type readiness struct {
	draining atomic.Bool
}

func mountHealth(mux *http.ServeMux, s *Server) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]string{"status": "ok", "version": Version})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		switch {
		case s.ready.draining.Load():
			httpapi.WriteProblem(w, r, fault.Unavailable("stopping", "This node is stopping.", time.Second))
		case s.db.Ping(ctx) != nil:
			httpapi.WriteProblem(w, r, fault.Unavailable("unavailable", "The database can't be reached.", time.Second))
		default:
			writeJSON(w, map[string]string{"status": "ready"})
		}
	})
}

// mountReference serves the OpenAPI document and a page to read it by, whose
// files are all in the binary.
func mountReference(api *httpapi.API) {
	api.Mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, api.OpenAPI())
	})
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Ujumbe API", SwaggerJSON: "/openapi.json", BasePath: "/docs", HideCurl: false,
	})
	docs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'")
		page.ServeHTTP(w, r)
	})
	api.Mux.Handle("GET /docs", docs)
	api.Mux.Handle("GET /docs/", docs)
}

// mountKeys publishes the keys that customers' access tokens are verified by.
func mountKeys(api *httpapi.API, keys *token.Keys) {
	api.Mux.HandleFunc("GET /.well-known/jwks.json", func(w http.ResponseWriter, r *http.Request) {
		public, err := keys.Public(r.Context(), token.Customer)
		if err != nil {
			httpapi.WriteProblem(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "public, max-age=300")
		writeJSON(w, map[string]any{"keys": public})
	})
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
