// Package httpapi is the HTTP side that all features share: typed operations
// with validation and an OpenAPI document, problem documents, and the middleware
// around them. It alone turns faults into statuses.
package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"ujumbe/internal/fault"
)

const (
	retrySoon = 2 * time.Second
	// operationTime bounds an ordinary operation, so that a database that does
	// not answer gives an error and not a hang.
	operationTime = 15 * time.Second
	// bodyTime is how long a client on a slow link may take to send a small body.
	bodyTime = 30 * time.Second
)

// Briefly does a short step of an Unbounded operation in the time that others
// have in all.
func Briefly(ctx context.Context, step func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, operationTime)
	defer cancel()
	return step(ctx)
}

// API is a set of routes with their OpenAPI document.
type API struct {
	Mux  *http.ServeMux
	huma huma.API
	json int64
}

// New returns an API without routes. maxJSON bounds ordinary JSON bodies.
func New(title, version string, maxJSON int64) *API {
	mux := http.NewServeMux()
	config := huma.DefaultConfig(title, version)
	config.DocsPath, config.SchemasPath, config.OpenAPIPath = "", "", ""
	config.CreateHooks = nil
	// Clients may be newer than the server: what it does not know it ignores.
	config.AllowAdditionalPropertiesByDefault = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		CustomerToken: {Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
		StaffToken:    {Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
	}
	return &API{Mux: mux, huma: humago.New(mux, config), json: maxJSON}
}

// The names of the security schemes in the OpenAPI document.
const (
	CustomerToken = "customerToken"
	StaffToken    = "staffToken"
)

// OpenAPI returns the document of the routes registered so far.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// Guard decides whether a request may reach its operation.
type Guard interface {
	// Scheme names the security scheme in the OpenAPI document.
	Scheme() string
	// Admit returns the context of an admitted request, or a fault.
	Admit(ctx context.Context, authorization string) (context.Context, error)
}

// Route is one operation of the API.
type Route struct {
	Method  string
	Path    string
	Tag     string
	Summary string
	// Description adds what a caller must know beyond the summary.
	Description string
	// Status is the status of success, 200 unless set.
	Status int
	// Guard admits callers; nil lets everyone in.
	Guard Guard
	// Errors are the statuses of failure beyond 422 and 500.
	Errors []int
	// MaxBody bounds the body where it is not an ordinary one.
	MaxBody int64
	// Unbounded lets an operation run as long as it makes progress; it sees to
	// its own deadlines.
	Unbounded bool
	// Describe completes the operation in the OpenAPI document where its types
	// don't tell: bodies and answers that are streamed.
	Describe func(op *huma.Operation, schemas huma.Registry)
}

// Register adds an operation: decode and validate, call, encode.
func Register[I, O any](a *API, route Route, handler func(ctx context.Context, in *I) (*O, error)) {
	op := huma.Operation{
		OperationID:     huma.GenerateOperationID(route.Method, route.Path, new(O)),
		Method:          route.Method,
		Path:            route.Path,
		Tags:            []string{route.Tag},
		Summary:         route.Summary,
		Description:     route.Description,
		DefaultStatus:   route.Status,
		Errors:          append([]int{http.StatusServiceUnavailable}, route.Errors...),
		MaxBodyBytes:    a.json,
		BodyReadTimeout: bodyTime,
	}
	if route.MaxBody > 0 {
		op.MaxBodyBytes = route.MaxBody
	}
	if route.Unbounded {
		op.BodyReadTimeout = -1
	}
	if route.Guard != nil {
		op.Security = []map[string][]string{{route.Guard.Scheme(): {}}}
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden)
		op.Middlewares = huma.Middlewares{a.guard(route.Guard)}
	}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		if !route.Unbounded {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, operationTime)
			defer cancel()
		}
		if err := checkTexts(in); err != nil {
			return nil, problemOf(ctx, err)
		}
		out, err := handler(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, err)
		}
		return out, nil
	})
	if route.Describe != nil {
		route.Describe(a.documented(route), a.OpenAPI().Components.Schemas)
	}
}

// documented is the operation of a route as the OpenAPI document has it.
func (a *API) documented(route Route) *huma.Operation {
	path := a.OpenAPI().Paths[route.Path]
	switch route.Method {
	case http.MethodGet:
		return path.Get
	case http.MethodPost:
		return path.Post
	case http.MethodPatch:
		return path.Patch
	default:
		return path.Delete
	}
}

func (a *API) guard(g Guard) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		bounded, cancel := context.WithTimeout(hc.Context(), operationTime)
		defer cancel()
		ctx, err := g.Admit(bounded, hc.Header("Authorization"))
		if err != nil {
			r, w := humago.Unwrap(hc)
			if fault.Is(err, fault.KindUnauthorized) {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			WriteProblem(w, r, err)
			return
		}
		next(huma.WithContext(hc, admitted{hc.Context(), ctx}))
	}
}

// admitted has the life of the request and the values of its guard, whose own
// time does not count against the operation.
type admitted struct {
	context.Context
	values context.Context
}

func (a admitted) Value(key any) any { return a.values.Value(key) }

// Empty is the output of an operation that answers without a body.
type Empty struct{}
