package auth_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

// dump writes out every row of every table, blobs in hex.
func (h house) dump() string {
	h.T.Helper()
	var b strings.Builder
	for _, table := range h.column(map[database.Engine]string{
		database.SQLite:   `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
		database.Postgres: `SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'`,
	}[h.DB.Engine()]) {
		row := `t::text`
		if h.DB.Engine() == database.SQLite {
			row = strings.Join(h.column(`SELECT 'quote("' || name || '")' FROM pragma_table_info('`+table+`')`), ` || '|' || `)
		}
		for _, line := range h.column(`SELECT ` + row + ` FROM ` + table + ` t`) {
			fmt.Fprintln(&b, table, line)
		}
	}
	return strings.ToLower(b.String())
}

func (h house) column(query string) []string {
	h.T.Helper()
	all, err := database.Collect(h.T.Context(), h.DB, database.Column[string], query)
	if err != nil {
		h.T.Fatalf("%s: %v", query, err)
	}
	return all
}

// spellings are the ways in which a secret could lie in a table.
func spellings(secret string) []string {
	all := []string{secret, hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret))}
	if raw, err := base64.RawURLEncoding.DecodeString(secret); err == nil {
		all = append(all, hex.EncodeToString(raw), base64.RawStdEncoding.EncodeToString(raw))
	}
	return all
}

// wantUnwritten fails if one of the secrets stands in a table or in the log.
func (h house) wantUnwritten(when string, secrets map[string]string) {
	h.T.Helper()
	tables, log := h.dump(), strings.ToLower(h.Log.String())
	if !strings.Contains(tables, "users") || !strings.Contains(log, "request") {
		h.T.Fatal("nothing was dumped")
	}
	for name, secret := range secrets {
		if len(secret) < 8 {
			h.T.Fatalf("%s is no secret: %q", name, secret)
		}
		for _, spelling := range spellings(secret) {
			if strings.Contains(tables, strings.ToLower(spelling)) {
				h.T.Errorf("%s: %s stands in a table", when, name)
			}
			if strings.Contains(log, strings.ToLower(spelling)) {
				h.T.Errorf("%s: %s stands in the log", when, name)
			}
		}
	}
}

func TestNoSecretStandsInATableOrInTheLog(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		waiting := h.Register(servertest.Email())
		secrets := map[string]string{
			"password":           servertest.Password,
			"new password":       "a password of Pemba",
			"mistyped password":  "a password in the field of the email",
			"refresh token":      owner.Refresh,
			"access token":       owner.Access,
			"signature":          jwtParts(owner.Access)[2],
			"verification link":  h.Mail.Token(t, waiting.Email, "/verify-email"),
			"reset link":         h.askReset(owner.Email),
			"magic link":         h.askMagic(owner.Email),
			"used verification":  h.Mail.Token(t, owner.Email, "/verify-email"),
			"next refresh token": fmt.Sprint(h.Want(h.post("/refresh", body{"refreshToken": owner.Refresh}), 200).JSON(t)["refreshToken"]),
		}
		h.Want(h.login(secrets["mistyped password"], "x"), 401)
		h.Want(h.login(owner.Email, "a wrong password, nearly right"), 401)
		secrets["wrong password"] = "a wrong password, nearly right"
		h.wantUnwritten("while open", secrets)
		h.Want(h.post("/magic-link/verify", body{"token": secrets["magic link"]}), 200)
		h.Want(h.post("/reset-password", body{"token": secrets["reset link"], "newPassword": secrets["new password"]}), 200)
		h.Want(h.post("/verify-email", body{"token": secrets["verification link"]}), 200)
		h.Want(h.post("/refresh", body{"refreshToken": secrets["next refresh token"]}), 401)
		h.wantUnwritten("when used", secrets)
	})
}

func TestAMailThatWaitsHasNoTokenInTheQueue(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		h.Mail.Break(errors.New("the mail server is down"))
		for _, k := range kinds {
			h.Want(h.post(k.ask, body{"email": owner.Email}), 200)
		}
		waiting := h.Register(servertest.Email())
		jobs := h.column(`SELECT args FROM job`)
		if len(jobs) == 0 {
			t.Fatal("no job waits")
		}
		for _, args := range jobs {
			if len(args) > 120 || strings.Contains(args, "token") || strings.Contains(args, "http") {
				t.Errorf("a job knows too much: %s", args)
			}
		}
		h.Mail.Break(nil)
		h.advance(10 * time.Second)
		h.Want(h.post("/verify-email", body{"token": h.Mail.Token(t, waiting.Email, "/verify-email")}), 200)
	})
}

// Every hash has a salt of its own, and is slow.
func TestPasswordsAreStoredAsSaltedArgon2(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		h.Register(servertest.Email())
		h.Register(servertest.Email())
		hashes := h.column(`SELECT password_hash FROM users`)
		if len(hashes) != 2 || hashes[0] == hashes[1] {
			t.Errorf("hashes %v", hashes)
		}
		for _, hash := range hashes {
			if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
				t.Errorf("hash %s", hash)
			}
		}
	})
}
