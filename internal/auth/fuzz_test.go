package auth_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server"
	"ujumbe/internal/server/servertest"
)

// FuzzAuthBodies sends anything to every path of /auth. Whatever it is, the
// answer is one that the contract has, and nobody gets in.
func FuzzAuthBodies(f *testing.F) {
	handler := fuzzedServer(f)
	paths := []string{
		"/register", "/verify-email", "/resend-verification", "/login", "/refresh", "/logout",
		"/forgot-password", "/reset-password", "/magic-link", "/magic-link/verify",
	}
	for path := range paths {
		for _, seed := range []string{
			"", "{}", "null", "[]", "{", `{"email":"a@example.com","password":"12345678"}`, `{"token":"` + strings.Repeat("A", 43) + `"}`,
			`{"email":{"$ne":""},"password":{"$ne":""}}`, `{"email":"a@example.com' OR 1=1 --","password":""}`,
			`{"email":"a@example.com\u0000","password":"\ud800"}`, `{"refreshToken":"` + strings.Repeat("\\n", 43) + `"}`,
			`{"token":null,"newPassword":[]}`, `{"accountName":"x","firstName":"y","lastName":"z","email":"a@example.com","password":"1234567"}`,
			`{"Email":"a@example.com","EMAIL":"b@example.com","email":"c@example.com","password":"x"}`, "\xff\xfe{}", strings.Repeat("[", 10_000),
		} {
			f.Add(uint8(path), seed)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		path := paths[int(which)%len(paths)]
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, authBase+path, strings.NewReader(text))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		answer := recorder.Result()
		read, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch answer.StatusCode {
		case 200, 201, 204, 400, 401, 409, 413, 422:
		default:
			t.Errorf("%s %q: %d %s", path, text, answer.StatusCode, read)
		}
		if strings.Contains(string(read), "accessToken") {
			t.Errorf("%s %q let somebody in: %s", path, text, read)
		}
		if answer.StatusCode >= 400 {
			var problem struct{ Code, Detail string }
			if err := json.Unmarshal(read, &problem); err != nil || problem.Code == "" || problem.Detail == "" {
				t.Errorf("%s %q: no problem document: %s", path, text, read)
			}
		}
	})
}

// fuzzedServer is a server without workers, whose mails are never sent.
func fuzzedServer(f *testing.F) http.Handler {
	f.Helper()
	db, err := database.Open(f.Context(), databasetest.SQLite(f), database.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	c := &config.Config{
		Listen: "127.0.0.1:0", PublicURL: "http://localhost:8080", DataDir: f.TempDir(), DatabaseURL: "sqlite://given", LogLevel: "info",
		MailFrom: "no-reply@example.com", MaxImportBytes: 1 << 20, MaxBulkBytes: 1 << 20, MaxJSONBytes: 1 << 20,
		GatewayIDHeader: "CF-Access-Client-Id", GatewaySecretHeader: "CF-Access-Client-Secret",
	}
	if err := c.Validate(); err != nil {
		f.Fatal(err)
	}
	product, err := server.New(f.Context(), server.Needs{
		Config: c, Log: slog.New(slog.DiscardHandler), DB: db, Clock: clock.System{}, Mail: &servertest.Mailbox{},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = product.Close() })
	return product.Handler()
}
