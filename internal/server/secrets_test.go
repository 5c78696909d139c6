package server_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

// TestNoSecretIsStoredOrLogged goes through every way in and then looks for what
// was secret in each table and in the log.
func TestNoSecretIsStoredOrLogged(t *testing.T) {
	const gatewaySecret, newPassword, wrongPassword = "a gateway's own secret", "a second long password", "a guess at a password"
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		secrets := map[string]string{
			"password": servertest.Password, "new password": newPassword, "wrong password": wrongPassword, "gateway secret": gatewaySecret,
		}
		post := func(path, access string, status int, body map[string]any) servertest.Answer {
			return s.Want(s.Call("POST", "/api/v1/auth"+path, access, body, "CF-Access-Client-Id", "edge", "CF-Access-Client-Secret", gatewaySecret), status)
		}
		email := servertest.Email()
		post("/register", "", 201, map[string]any{"accountName": "Duka", "firstName": "Asha", "lastName": "Juma", "email": email, "password": servertest.Password})
		secrets["verification token"] = s.Mail.Token(t, email, "/verify-email")
		post("/verify-email", "", 200, map[string]any{"token": secrets["verification token"]})
		post("/login", "", 401, map[string]any{"email": email, "password": wrongPassword})
		signedIn := post("/login", "", 200, map[string]any{"email": email, "password": servertest.Password}).JSON(t)
		secrets["access token"], secrets["refresh token"] = signedIn["accessToken"].(string), signedIn["refreshToken"].(string)
		secrets["second refresh token"] = post("/refresh", "", 200, map[string]any{"refreshToken": secrets["refresh token"]}).JSON(t)["refreshToken"].(string)
		post("/magic-link", "", 200, map[string]any{"email": email})
		secrets["magic link"] = s.Mail.Token(t, email, "/magic-link")
		post("/forgot-password", "", 200, map[string]any{"email": email})
		secrets["reset token"] = s.Mail.Token(t, email, "/reset-password")
		post("/reset-password", "", 200, map[string]any{"token": secrets["reset token"], "newPassword": newPassword})

		tables := everyTable(t, s.DB)
		log := s.Log.String()
		for what, secret := range secrets {
			for _, form := range formsOf(secret) {
				if strings.Contains(log, form) {
					t.Errorf("the log has the %s", what)
				}
				for table, content := range tables {
					if strings.Contains(content, form) {
						t.Errorf("table %s has the %s", table, what)
					}
				}
			}
		}
	}, func(c *config.Config) { c.GatewayTokens = "edge:" + gatewaySecret })
}

// formsOf are the ways in which a secret may be written down: as it is, in hex
// and, when it is itself base64, as the bytes it stands for.
func formsOf(secret string) []string {
	forms := []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret)}
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		forms = append(forms, fmt.Sprintf("%x", raw), fmt.Sprintf("%X", raw))
	}
	return forms
}

// everyTable writes down all rows of all tables, bytes in hex.
func everyTable(t *testing.T, db *database.DB) map[string]string {
	t.Helper()
	query := `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`
	if db.Engine() == database.SQLite {
		query = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\_fts%' ESCAPE '\'`
	}
	names, err := database.Collect(t.Context(), db, database.Column[string], query)
	if err != nil || len(names) < 10 {
		t.Fatalf("tables: %v, %v", names, err)
	}
	all := map[string]string{}
	for _, name := range names {
		var b strings.Builder
		rows(t, &b, db, name, `$1 = $1`, nil)
		all[name] = b.String()
	}
	if !strings.Contains(all["users"], "@example.com") {
		t.Fatal("the tables were not read")
	}
	return all
}
