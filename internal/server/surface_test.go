package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/processtest"
	"ujumbe/internal/server/servertest"
)

const openAPIFile = "../../api/openapi.json"

func TestCommittedOpenAPIDocumentIsWhatTheBinaryPrintsAndServes(t *testing.T) {
	committed, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatalf("%v; run `make openapi`", err)
	}
	printed, err := exec.Command(processtest.Binary(t), "openapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(printed, committed) {
		t.Error("api/openapi.json is not what `ujumbe openapi` prints; run `make openapi`")
	}
	p := processtest.Start(t)
	_, served := p.Get(t.Context(), "/openapi.json", "")
	if !bytes.Equal(compact(t, served), compact(t, printed)) {
		t.Error("/openapi.json is not what `ujumbe openapi` prints")
	}
}

func compact(t *testing.T, document []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, document); err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func TestGatewayHeadersAreAskedForOnEveryAPIRequest(t *testing.T) {
	p := processtest.Start(t, "UJUMBE_GATEWAY_TOKENS=edge:first secret,spare:second secret")
	login := map[string]any{"email": "nobody@example.com", "password": "a long password"}
	for _, row := range []struct {
		what    string
		headers []string
		status  int
	}{
		{"no headers", nil, 403},
		{"id alone", []string{"CF-Access-Client-Id", "edge"}, 403},
		{"wrong secret", []string{"CF-Access-Client-Id", "edge", "CF-Access-Client-Secret", "wrong"}, 403},
		{"secret of another id", []string{"CF-Access-Client-Id", "edge", "CF-Access-Client-Secret", "second secret"}, 403},
		{"first pair", []string{"CF-Access-Client-Id", "edge", "CF-Access-Client-Secret", "first secret"}, 401},
		{"second pair", []string{"CF-Access-Client-Id", "spare", "CF-Access-Client-Secret", "second secret"}, 401},
	} {
		for _, path := range []string{"/api/v1/auth/login", "/api/v1/auth/login/", "/api/v1/admin/auth/login"} {
			if a := p.Call(t.Context(), "POST", path, "", login, row.headers...); a.Status != row.status {
				t.Errorf("%s: POST %s: %d, want %d", row.what, path, a.Status, row.status)
			}
		}
		if a := p.Call(t.Context(), "GET", "/api/v1/no/such/path", "", nil, row.headers...); a.Status == http.StatusNotFound != (row.status == 401) {
			t.Errorf("%s: an unknown path of the API: %d", row.what, a.Status)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/"} {
		if status, _ := p.Get(t.Context(), path, ""); status != http.StatusOK {
			t.Errorf("GET %s, which is exempt: %d", path, status)
		}
	}
}

func TestGatewayHeaderNamesAreConfigurable(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		s.Want(s.Call("GET", "/api/v1/users/me", "", nil, "CF-Access-Client-Id", "edge", "CF-Access-Client-Secret", "secret"), 403)
		s.Want(s.Call("GET", "/api/v1/users/me", "", nil, "X-Edge-Id", "edge", "X-Edge-Secret", "secret"), 401)
	}, func(c *config.Config) {
		c.GatewayTokens, c.GatewayIDHeader, c.GatewaySecretHeader = "edge:secret", "X-Edge-Id", "X-Edge-Secret"
	})
}

// variable is a part of a path that stands for an id or a name.
var variable = regexp.MustCompile(`\{[^}]+\}`)

// routes lists the method and path of every operation in a served document.
func routes(t *testing.T, document []byte) [][2]string {
	t.Helper()
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &api); err != nil || len(api.Paths) == 0 {
		t.Fatalf("no OpenAPI document: %v\n%.200s", err, document)
	}
	var all [][2]string
	for path, operations := range api.Paths {
		for method := range operations {
			all = append(all, [2]string{strings.ToUpper(method), variable.ReplaceAllString(path, "0198c0de-0000-7000-8000-000000000000")})
		}
	}
	return all
}

func TestStaffListenerAndPublicListenerServeOnlyTheirOwnRoutes(t *testing.T) {
	adminAddress := processtest.FreeAddress(t)
	p := processtest.Start(t, "UJUMBE_ADMIN_LISTEN="+adminAddress)
	staff := p.At("http://" + adminAddress)
	for _, side := range []struct {
		name       string
		own, other *processtest.Process
		prefix     bool
	}{
		{"staff", staff, p, true},
		{"customer", p, staff, false},
	} {
		_, document := side.own.Get(t.Context(), "/openapi.json", "")
		for _, route := range routes(t, document) {
			if strings.HasPrefix(route[1], "/api/v1/admin/") != side.prefix {
				t.Errorf("%s listener describes %s %s", side.name, route[0], route[1])
			}
			if a := side.own.Call(t.Context(), route[0], route[1], "", nil); a.Status == http.StatusNotFound && a.Field("code") == "route_not_found" {
				t.Errorf("%s route %s %s is not on its own listener", side.name, route[0], route[1])
			}
			if a := side.other.Call(t.Context(), route[0], route[1], "", nil); a.Status != http.StatusNotFound || a.Field("code") != "route_not_found" {
				t.Errorf("%s route %s %s answers %d on the other listener", side.name, route[0], route[1], a.Status)
			}
		}
	}
	if status, _ := p.Get(t.Context(), "/admin/", ""); status != http.StatusNotFound {
		t.Errorf("the staff console is on the public listener: %d", status)
	}
	if status, _ := staff.Get(t.Context(), "/admin/", ""); status != http.StatusOK {
		t.Errorf("the staff console is not on its own listener: %d", status)
	}
}

func TestNothingUnderDevWithoutDevelopmentMode(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		for _, path := range []string{"/dev/", "/dev/mail", "/dev/mail/", "/dev/mail?format=json", "/dev/idp/", "/dev/idp/idp_a/authorize", "//dev/mail", "/x/../dev/mail"} {
			for _, method := range []string{"GET", "POST"} {
				s.Want(s.Call(method, path, "", nil), 404)
			}
		}
	})
}

func TestPagesOfDevelopmentModeAreForThisMachineAlone(t *testing.T) {
	p := processtest.Start(t, "UJUMBE_DEV=on")
	for _, path := range []string{"/dev/mail", "/dev/idp/idp_a/.well-known/openid-configuration", "/dev/idp/idp_d/.well-known/openid-configuration"} {
		for host, want := range map[string]int{"localhost": 200, "127.0.0.1:8080": 200, "example.com": 404, "localhost.example.com": 404} {
			ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			ask.Host = host
			answer, err := http.DefaultClient.Do(ask)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("%s for %s: %d, want %d", path, host, answer.StatusCode, want)
			}
		}
	}
}

func TestPagesAreReadAndOtherMethodsAreRefusedByName(t *testing.T) {
	p := processtest.Start(t)
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"POST", "/healthz", 405},
		{"DELETE", "/openapi.json", 405},
		{"GET", "/auth/callback/idp_d", 200}, // the console's, beside a route that takes POST
		{"PUT", "/auth/callback/idp_d", 405},
		{"GET", "/contacts", 200},
		{"POST", "/contacts", 404},
		{"GET", "/api/v1/nothing", 404},
	} {
		a := p.Call(t.Context(), c.method, c.path, "", nil)
		if a.Status != c.status || c.status == 405 && a.Header.Get("Allow") == "" {
			t.Errorf("%s %s: %d, allow %q; want %d", c.method, c.path, a.Status, a.Header.Get("Allow"), c.status)
		}
	}
}

func TestStoppedServerLeavesNoGoroutineBehind(t *testing.T) {
	databasetest.EachURL(t, func(t *testing.T, url string) {
		before := goleak.IgnoreCurrent()
		t.Run("work", func(t *testing.T) {
			db, err := database.Open(t.Context(), url, database.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			s := servertest.Start(t, db)
			owner := s.Owner()
			s.Want(s.Call("GET", "/api/v1/users/me", owner.Access, nil), 200)
			s.Want(s.Call("POST", "/api/v1/auth/refresh", "", map[string]any{"refreshToken": owner.Refresh}), 200)
		})
		goleak.VerifyNone(t, before)
	})
}
