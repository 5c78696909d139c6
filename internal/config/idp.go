package config

import (
	"net/url"
	"strings"
)

// IDP is one slot for an identity provider.
type IDP struct {
	Kind         string `env:"KIND" hidden:"" help:"google, microsoft, github, oidc or apple."`
	Issuer       string `env:"ISSUER" hidden:"" help:"Overrides the kind's own issuer."`
	ClientID     string `name:"client-id" env:"CLIENT_ID" hidden:"" help:"Client id at the provider."`
	ClientSecret string `env:"CLIENT_SECRET" hidden:"" help:"Client secret at the provider."`
	RedirectURL  string `name:"redirect-url" env:"REDIRECT_URL" hidden:"" help:"Where the provider sends the browser back to."`
	Scopes       string `env:"SCOPES" hidden:"" help:"Overrides the kind's scopes, separated by spaces."`
	AuthURL      string `name:"auth-url" env:"AUTH_URL" hidden:"" help:"Overrides the kind's authorization endpoint."`
	TokenURL     string `name:"token-url" env:"TOKEN_URL" hidden:"" help:"Overrides the kind's token endpoint."`
	UserURL      string `name:"user-url" env:"USER_URL" hidden:"" help:"Overrides GitHub's user endpoint."`
	TeamID       string `name:"team-id" env:"TEAM_ID" hidden:"" help:"Apple's team id."`
	KeyID        string `name:"key-id" env:"KEY_ID" hidden:"" help:"Apple's key id."`
	KeyFile      string `env:"KEY_FILE" hidden:"" help:"File with Apple's private key (.p8)."`
}

// SlotNames are the path segments of the slots, in their order.
var SlotNames = []string{"idp_a", "idp_b", "idp_c", "idp_d"}

// Slots returns the providers by their path segment.
func (c *Config) Slots() map[string]IDP {
	return map[string]IDP{"idp_a": c.IDPA, "idp_b": c.IDPB, "idp_c": c.IDPC, "idp_d": c.IDPD}
}

// SlotVariable names the environment variable of one setting of a slot, like
// UJUMBE_IDP_A_CLIENT_ID.
func SlotVariable(slot, setting string) string {
	return "UJUMBE_" + strings.ToUpper(slot) + "_" + setting
}

// slotNeeds are the settings without which a kind can't work.
var slotNeeds = map[string][]string{
	"google":    {"CLIENT_ID", "CLIENT_SECRET"},
	"microsoft": {"CLIENT_ID", "CLIENT_SECRET"},
	"github":    {"CLIENT_ID", "CLIENT_SECRET"},
	"oidc":      {"ISSUER", "CLIENT_ID", "CLIENT_SECRET"},
	"apple":     {"CLIENT_ID", "TEAM_ID", "KEY_ID", "KEY_FILE"},
}

// settings are those of a slot by the end of their variable. The redirect
// address is not among them: the development provider takes one too.
func (i IDP) settings() map[string]string {
	return map[string]string{
		"ISSUER": i.Issuer, "CLIENT_ID": i.ClientID, "CLIENT_SECRET": i.ClientSecret, "SCOPES": i.Scopes,
		"AUTH_URL": i.AuthURL, "TOKEN_URL": i.TokenURL, "USER_URL": i.UserURL,
		"TEAM_ID": i.TeamID, "KEY_ID": i.KeyID, "KEY_FILE": i.KeyFile,
	}
}

func (c *Config) checkSlots(fail func(name, takes string)) {
	slots := c.Slots()
	for _, slot := range SlotNames {
		slots[slot].check(func(setting, takes string) { fail(SlotVariable(slot, setting), takes) })
	}
}

func (i IDP) check(fail func(setting, takes string)) {
	settings := i.settings()
	needs, known := slotNeeds[i.Kind]
	switch {
	case i.Kind == "":
		for _, value := range settings {
			if value != "" {
				fail("KIND", "must be set where other settings of the slot are: google, microsoft, github, oidc or apple")
				break
			}
		}
	case !known:
		fail("KIND", "must be google, microsoft, github, oidc or apple")
	}
	for _, setting := range needs {
		if settings[setting] == "" {
			fail(setting, "must be set for the kind "+i.Kind)
		}
	}
	settings["REDIRECT_URL"] = i.RedirectURL
	for _, setting := range []string{"ISSUER", "REDIRECT_URL", "AUTH_URL", "TOKEN_URL", "USER_URL"} {
		if value := settings[setting]; value != "" && !isWebAddress(value) {
			fail(setting, "must be an address like https://id.example.com, without a fragment")
		}
	}
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && u.Fragment == "" && oneOf(u.Scheme, "http", "https")
}
