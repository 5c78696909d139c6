package config_test

import (
	"strings"
	"testing"

	"ujumbe/internal/config"
)

func TestSlotSaysWhichSettingItLacks(t *testing.T) {
	for _, row := range []struct {
		name string
		slot config.IDP
		want string // the variable of idp_b that is named, or nothing
	}{
		{"nothing set", config.IDP{}, ""},
		{"redirect address alone, for the development provider", config.IDP{RedirectURL: "http://localhost:5173/auth/callback/idp_b"}, ""},
		{"google", config.IDP{Kind: "google", ClientID: "id", ClientSecret: "secret"}, ""},
		{"microsoft", config.IDP{Kind: "microsoft", ClientID: "id", ClientSecret: "secret"}, ""},
		{"github", config.IDP{Kind: "github", ClientID: "id", ClientSecret: "secret"}, ""},
		{"oidc", config.IDP{Kind: "oidc", Issuer: "https://id.example.com", ClientID: "id", ClientSecret: "secret"}, ""},
		{"apple", config.IDP{Kind: "apple", ClientID: "id", TeamID: "team", KeyID: "key", KeyFile: "key.p8"}, ""},
		{"unknown kind", config.IDP{Kind: "facebook", ClientID: "id"}, "KIND"},
		{"settings without a kind", config.IDP{ClientID: "id", ClientSecret: "secret"}, "KIND"},
		{"google without id", config.IDP{Kind: "google", ClientSecret: "secret"}, "CLIENT_ID"},
		{"google without secret", config.IDP{Kind: "google", ClientID: "id"}, "CLIENT_SECRET"},
		{"github without secret", config.IDP{Kind: "github", ClientID: "id"}, "CLIENT_SECRET"},
		{"oidc without issuer", config.IDP{Kind: "oidc", ClientID: "id", ClientSecret: "secret"}, "ISSUER"},
		{"apple without team", config.IDP{Kind: "apple", ClientID: "id", KeyID: "key", KeyFile: "key.p8"}, "TEAM_ID"},
		{"apple without key id", config.IDP{Kind: "apple", ClientID: "id", TeamID: "team", KeyFile: "key.p8"}, "KEY_ID"},
		{"apple without key file", config.IDP{Kind: "apple", ClientID: "id", TeamID: "team", KeyID: "key"}, "KEY_FILE"},
		{"issuer that is no address", config.IDP{Kind: "oidc", Issuer: "id.example.com", ClientID: "id", ClientSecret: "secret"}, "ISSUER"},
		{"redirect address with a fragment", config.IDP{RedirectURL: "https://sms.example.com/#x"}, "REDIRECT_URL"},
		{"endpoint of another scheme", config.IDP{Kind: "github", ClientID: "id", ClientSecret: "secret", UserURL: "file:///etc"}, "USER_URL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := config.Config{
				Listen: "127.0.0.1:8080", PublicURL: "http://localhost:8080", MailFrom: "no-reply@example.com", LogLevel: "info",
				MaxImportBytes: 1 << 20, MaxBulkBytes: 1 << 20, MaxJSONBytes: 1 << 20, IDPB: row.slot,
			}
			err := c.Validate()
			switch {
			case row.want == "" && err != nil:
				t.Error(err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), "UJUMBE_IDP_B_"+row.want+" ")):
				t.Errorf("got %v, want it to name %s", err, row.want)
			}
		})
	}
}
