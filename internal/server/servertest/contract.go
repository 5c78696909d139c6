package servertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract is the API's own description. Every answer that a test gets is held
// to it, so that what is promised to programmers is what is sent. The schemas of
// OpenAPI 3.1 are JSON Schema, so a validator of that is all it takes.
type contract struct {
	routes    *http.ServeMux
	responses map[string]map[string]description // by pattern, then status

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by place in the document
}

// description is what the document says of one answer.
type description struct {
	Content map[string]struct {
		Schema json.RawMessage
	}
	place string
}

// contracts are made once for each document that the servers of a process have.
var contracts struct {
	sync.Mutex
	byDocument map[string]*contract
}

func contractOf(t *testing.T, document []byte) *contract {
	t.Helper()
	contracts.Lock()
	defer contracts.Unlock()
	if c, ok := contracts.byDocument[string(document)]; ok {
		return c
	}
	c, err := newContract(document)
	if err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	if contracts.byDocument == nil {
		contracts.byDocument = map[string]*contract{}
	}
	contracts.byDocument[string(document)] = c
	return c
}

const documentName = "openapi.json"

func newContract(document []byte) (*contract, error) {
	var api struct {
		Paths map[string]map[string]struct{ Responses map[string]description }
	}
	if err := json.Unmarshal(document, &api); err != nil {
		return nil, err
	}
	c := &contract{routes: http.NewServeMux(), responses: map[string]map[string]description{}, compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	for path, operations := range api.Paths {
		for method, operation := range operations {
			pattern := strings.ToUpper(method) + " " + path
			c.routes.Handle(pattern, http.NotFoundHandler())
			c.responses[pattern] = map[string]description{}
			for status, d := range operation.Responses {
				d.place = pointer("paths", path, method, "responses", status, "content")
				c.responses[pattern][status] = d
			}
		}
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource(documentName, parsed)
}

// pointer is a JSON pointer in the form of a fragment.
func pointer(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part)))
	}
	return b.String()
}

// refusals are the codes of what the HTTP layer refuses before it reaches an
// operation, which no operation describes.
var refusals = []string{
	"route_not_found", "method_not_allowed", "gateway_token_required",
	"bad_request", "body_too_large", "unsupported_media_type", "not_acceptable", "timeout",
}

// check fails the test unless the answer is one that the document describes.
func (c *contract) check(t *testing.T, request *http.Request, a Answer) {
	t.Helper()
	if slices.Contains(refusals, a.Code()) {
		return
	}
	probe := request.Clone(request.Context())
	probe.URL.Path = strings.TrimRight(probe.URL.Path, "/")
	_, pattern := c.routes.Handler(probe)
	if pattern == "" {
		return
	}
	if err := c.validate(pattern, a); err != nil {
		t.Errorf("%s answered %d, which is not what the OpenAPI document says: %v\n%.600s", pattern, a.Status, err, a.Body)
	}
}

func (c *contract) validate(pattern string, a Answer) error {
	d, ok := c.responses[pattern][strconv.Itoa(a.Status)]
	if !ok {
		return fmt.Errorf("no answer of this status is described")
	}
	if len(d.Content) == 0 {
		if len(a.Body) > 0 {
			return fmt.Errorf("no body is described")
		}
		return nil
	}
	media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("Content-Type %q: %w", a.Header.Get("Content-Type"), err)
	}
	described, ok := d.Content[media]
	if !ok {
		return fmt.Errorf("no body of type %s is described", media)
	}
	if len(described.Schema) == 0 || !strings.HasSuffix(media, "json") {
		return nil
	}
	schema, err := c.schema(d.place + pointer(media, "schema"))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (c *contract) schema(place string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.schemas[place]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile(documentName + "#" + place)
	if err != nil {
		return nil, fmt.Errorf("schema at %s: %w", place, err)
	}
	c.schemas[place] = s
	return s, nil
}
