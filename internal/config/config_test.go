package config_test

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ujumbe/internal/config"
)

// parse reads a configuration from the environment as `ujumbe serve` does.
func parse(t *testing.T, environment map[string]string) (config.Config, error) {
	t.Helper()
	for name, value := range environment {
		t.Setenv(name, value)
	}
	var c config.Config
	parser, err := kong.New(&c, kong.Name("ujumbe"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		return c, err
	}
	return c, c.Validate()
}

func TestNothingSetIsAWorkingConfiguration(t *testing.T) {
	c, err := parse(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:8080" || c.DatabaseURL != "sqlite://data/ujumbe.db" || !bool(c.RateLimits) || bool(c.Dev) {
		t.Errorf("%+v", c)
	}
}

func TestWrongValueIsRefusedByTheNameOfItsVariable(t *testing.T) {
	for _, wrong := range []struct{ name, value string }{
		{"UJUMBE_LISTEN", "8080"},
		{"UJUMBE_ADMIN_LISTEN", "nowhere"},
		{"UJUMBE_PUBLIC_URL", "example.com"},
		{"UJUMBE_PUBLIC_URL", "ftp://example.com"},
		{"UJUMBE_ADMIN_URL", "staff"},
		{"UJUMBE_DATABASE_URL", "mysql://localhost/x"},
		{"UJUMBE_SMTP_URL", "mail.example.com:25"},
		{"UJUMBE_MAIL_FROM", "not an address"},
		{"UJUMBE_BLOB_URL", "ftp://x"},
		{"UJUMBE_STAFF_OWNER_EMAIL", "nobody"},
		{"UJUMBE_STAFF_OWNER_PASSWORD", "password without an email"},
		{"UJUMBE_GATEWAY_TOKENS", "noseparator"},
		{"UJUMBE_TRUSTED_PROXIES", "everyone"},
		{"UJUMBE_MAX_JSON_BYTES", "12"},
		{"UJUMBE_LOG_LEVEL", "loud"},
		{"UJUMBE_LOG_FORMAT", "xml"},
		{"UJUMBE_IDP_B_KIND", "myspace"},
		{"UJUMBE_DEV", "maybe"},
	} {
		t.Run(wrong.name+"="+wrong.value, func(t *testing.T) {
			_, err := parse(t, map[string]string{wrong.name: wrong.value})
			if err == nil || (!strings.Contains(err.Error(), wrong.name) && !strings.Contains(err.Error(), flagOf(wrong.name))) {
				t.Errorf("got %v, want a message that names the variable", err)
			}
		})
	}
}

// flagOf is how the parser itself names a variable whose text it can't read.
func flagOf(variable string) string {
	return "--" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, "UJUMBE_"), "_", "-"))
}

func TestDevelopmentModeWorksOnLoopbackOnly(t *testing.T) {
	for name, environment := range map[string]map[string]string{
		"listens outside":       {"UJUMBE_LISTEN": "0.0.0.0:8080"},
		"listens everywhere":    {"UJUMBE_LISTEN": ":8080"},
		"public address":        {"UJUMBE_PUBLIC_URL": "https://sms.example.com"},
		"admin listens outside": {"UJUMBE_ADMIN_LISTEN": "0.0.0.0:8081"},
	} {
		t.Run(name, func(t *testing.T) {
			environment["UJUMBE_DEV"] = "on"
			if _, err := parse(t, environment); err == nil || !strings.Contains(err.Error(), "UJUMBE_DEV") {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
	if _, err := parse(t, map[string]string{"UJUMBE_DEV": "on", "UJUMBE_LISTEN": "[::1]:8080", "UJUMBE_PUBLIC_URL": "http://127.0.0.1:8080"}); err != nil {
		t.Errorf("on loopback: %v", err)
	}
}
