package server_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ujumbe/internal/server/servertest"
)

// schema is the part of a JSON schema that requests are made from.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Format     string
	Enum       []any
	Properties map[string]schema
	Required   []string
	Items      *schema
}

func (s schema) is(name string) bool {
	all, _ := s.Type.([]any)
	return s.Type == name || slices.Contains(all, any(name))
}

// place is where an operation takes an id.
type place struct {
	in, name          string // in path, query or body
	isArray, required bool
}

// operation is one that takes ids, as the OpenAPI document describes it.
type operation struct {
	method, path string
	places       []place
	media        string
	body         schema
	schemas      map[string]schema
}

// operationsWithIDs reads the operations of customers from the document that the
// server itself serves, so that a new one can't be forgotten.
func operationsWithIDs(t *testing.T, s *servertest.Server) []operation {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Required bool
				Schema   schema
			}
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(s.Want(s.Call("GET", "/openapi.json", "", nil), 200).Body, &document); err != nil {
		t.Fatal(err)
	}
	var all []operation
	for path, methods := range document.Paths {
		if strings.HasPrefix(path, "/api/v1/admin/") {
			continue
		}
		for method, described := range methods {
			o := operation{method: strings.ToUpper(method), path: path, schemas: document.Components.Schemas}
			for _, p := range described.Parameters {
				if p.Schema.Format == "uuid" {
					o.places = append(o.places, place{in: p.In, name: p.Name, required: p.Required})
				} else if p.In == "path" {
					t.Errorf("%s %s: this test can't tell what {%s} stands for", method, path, p.Name)
				}
			}
			for media, content := range described.RequestBody.Content {
				o.media, o.body = media, o.resolve(content.Schema)
				o.addBodyPlaces()
			}
			if len(o.places) > 0 {
				all = append(all, o)
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

func (o *operation) resolve(s schema) schema {
	if s.Ref == "" {
		return s
	}
	return o.schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
}

func (o *operation) addBodyPlaces() {
	for name, property := range o.body.Properties {
		property = o.resolve(property)
		isArray := property.Items != nil && o.resolve(*property.Items).Format == "uuid"
		if isArray || property.Format == "uuid" {
			o.places = append(o.places, place{in: "body", name: name, isArray: isArray, required: slices.Contains(o.body.Required, name)})
		}
	}
}

// send makes a good request of samples, with these ids in their places.
func (o *operation) send(t *testing.T, s *servertest.Server, access string, ids map[place][]string) servertest.Answer {
	t.Helper()
	path, query, body := o.path, url.Values{}, o.sampleBody()
	for p, values := range ids {
		switch {
		case p.in == "path":
			path = strings.ReplaceAll(path, "{"+p.name+"}", values[0])
		case p.in == "query":
			query.Set(p.name, values[0])
		case p.isArray:
			body[p.name] = values
		default:
			body[p.name] = values[0]
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	switch o.media {
	case "":
		return s.Call(o.method, path, access, nil)
	case "multipart/form-data":
		return sendForm(t, s, access, path, body)
	}
	return s.Call(o.method, path, access, body)
}

func (o *operation) sampleBody() map[string]any {
	body := map[string]any{}
	for name, property := range o.body.Properties {
		// An operation that changes something wants to be told what.
		if slices.Contains(o.body.Required, name) || o.method == http.MethodPatch && slices.Contains([]string{"name", "firstName"}, name) {
			body[name] = o.sample(name, property)
		}
	}
	return body
}

func (o *operation) sample(name string, s schema) any {
	s = o.resolve(s)
	switch {
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	case s.Items != nil:
		return []any{o.sample(name, *s.Items)}
	case s.is("object"):
		object := map[string]any{}
		for _, required := range s.Required {
			object[required] = o.sample(required, s.Properties[required])
		}
		return object
	case name == "phone":
		return "+254712000111"
	case name == "email":
		return "somebody@example.com"
	case strings.Contains(strings.ToLower(name), "password"):
		return "another long password"
	case s.Format == "binary":
		return "phone\n+254712000222\n"
	case s.is("boolean"):
		return true
	case s.is("integer"):
		return 1
	}
	return "text"
}

// sendForm sends a body as a form whose field "file" is a CSV file.
func sendForm(t *testing.T, s *servertest.Server, access, path string, body map[string]any) servertest.Answer {
	t.Helper()
	var content bytes.Buffer
	form := multipart.NewWriter(&content)
	for name, value := range body {
		if name == "file" {
			continue // last, as forms of browsers have it
		}
		_ = form.WriteField(name, value.(string))
	}
	file, err := form.CreateFormFile("file", "people.csv")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(body["file"].(string)))
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Call("POST", path, access, content.Bytes(), "Content-Type", form.FormDataContentType())
}
