package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"ujumbe/internal/console"
)

func build() fstest.MapFS {
	return fstest.MapFS{
		"index.html":            {Data: []byte("customers")},
		"admin/index.html":      {Data: []byte("staff")},
		"scheme.js":             {Data: []byte("scheme")},
		"assets/app-1a2b.js":    {Data: []byte("script")},
		"assets/app-1a2b.js.br": {Data: []byte("brotli")},
	}
}

func get(t *testing.T, h http.Handler, path, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Accept-Encoding", encoding)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, request)
	return answer
}

func TestHandlerServesTheBuild(t *testing.T) {
	tests := []struct {
		name, entry, path, encoding string
		status                      int
		body, cache, sent, kind     string
	}{
		{"the start page", "index.html", "/", "", 200, "customers", "no-cache", "", "text/html"},
		{"a deep link is the page", "index.html", "/contacts", "br", 200, "customers", "no-cache", "", "text/html"},
		{"the staff's deep link is the staff's page", "admin/index.html", "/admin/staff", "", 200, "staff", "no-cache", "", "text/html"},
		{"a hashed file is kept for ever", "index.html", "/assets/app-1a2b.js", "gzip", 200, "script", "public, max-age=31536000, immutable", "", "text/javascript"},
		{"brotli to those who take it", "index.html", "/assets/app-1a2b.js", "gzip, br", 200, "brotli", "public, max-age=31536000, immutable", "br", "text/javascript"},
		{"no brotli to those who refuse it", "index.html", "/assets/app-1a2b.js", "br;q=0", 200, "script", "public, max-age=31536000, immutable", "", "text/javascript"},
		{"another file is asked for anew", "index.html", "/scheme.js", "", 200, "scheme", "no-cache", "", "text/javascript"},
		{"a file of an older build is gone", "index.html", "/assets/app-0000.js", "", 404, "This file is gone. Load the page again.\n", "no-store", "", "text/plain"},
		{"nothing outside the build", "index.html", "/../../go.mod", "", 200, "customers", "no-cache", "", "text/html"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := get(t, console.Serve(build(), test.entry), test.path, test.encoding)
			header := answer.Header()
			if answer.Code != test.status || answer.Body.String() != test.body {
				t.Errorf("got %d %q, want %d %q", answer.Code, answer.Body, test.status, test.body)
			}
			if header.Get("Cache-Control") != test.cache || header.Get("Content-Encoding") != test.sent || !strings.HasPrefix(header.Get("Content-Type"), test.kind) {
				t.Errorf("headers %v, want Cache-Control %q, Content-Encoding %q, Content-Type %q", header, test.cache, test.sent, test.kind)
			}
			if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") {
				t.Errorf("policy %q lets scripts in from elsewhere", policy)
			}
		})
	}
}

func TestHandlerWithoutABuildSaysHowToMakeOne(t *testing.T) {
	answer := get(t, console.Serve(fstest.MapFS{}, "index.html"), "/", "")
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "make build") {
		t.Errorf("got %d %q", answer.Code, answer.Body)
	}
}
