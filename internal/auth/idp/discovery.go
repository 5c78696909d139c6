package idp

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/oauth2"
)

// document is what is read of a discovery document beyond what the library
// shows.
type document struct {
	Issuer      string   `json:"issuer"`
	AuthURL     string   `json:"authorization_endpoint"`
	TokenURL    string   `json:"token_endpoint"`
	KeysURL     string   `json:"jwks_uri"`
	UserinfoURL string   `json:"userinfo_endpoint"`
	Styles      []string `json:"token_endpoint_auth_methods_supported"`
}

// check refuses a provider that is reached by https and would have us continue
// without.
func (d document) check(issuer string) error {
	endpoints := []string{d.AuthURL, d.TokenURL, d.KeysURL}
	if d.UserinfoURL != "" {
		endpoints = append(endpoints, d.UserinfoURL)
	}
	for _, endpoint := range endpoints {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" {
			return fmt.Errorf("endpoint %q is no address", endpoint)
		}
		if strings.HasPrefix(issuer, "https://") && u.Scheme != "https" {
			return fmt.Errorf("endpoint %q is not https", endpoint)
		}
	}
	return nil
}

// style is how the client authenticates at the token endpoint. The usual guess,
// to try one way and then the other, would spend the code on the first.
func (d document) style() oauth2.AuthStyle {
	if slices.Contains(d.Styles, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// issuerRule says whose tokens are believed: those of one issuer, or, at
// Microsoft's addresses for several tenants, those of the token's own tenant.
type issuerRule struct {
	stated string // by the discovery document, perhaps with a tenantMark
}

const tenantMark = "{tenantid}"

// issuerRule reads the issuer of a discovery document. Microsoft's names the
// tenant by its id, or by a mark for any tenant, where our address says "common",
// "consumers" or a domain; so there it need only be at the same host.
func (p *openID) issuerRule(issuer string) (issuerRule, error) {
	if p.Kind == Microsoft && !sameHost(issuer, p.Issuer) {
		return issuerRule{}, fmt.Errorf("issuer %q is not at the host of %q", issuer, p.Issuer)
	}
	return issuerRule{stated: issuer}, nil
}

func sameHost(a, b string) bool {
	left, errLeft := url.Parse(a)
	right, errRight := url.Parse(b)
	return errLeft == nil && errRight == nil && left.Scheme == right.Scheme && left.Host == right.Host
}

func (r issuerRule) isTemplate() bool { return strings.Contains(r.stated, tenantMark) }

// accepts completes the library's check where there are many tenants.
func (r issuerRule) accepts(issuer, tenant string) bool {
	if !r.isTemplate() {
		return true
	}
	_, err := uuid.Parse(tenant)
	return err == nil && len(tenant) == 36 && issuer == strings.ReplaceAll(r.stated, tenantMark, tenant)
}

// name is what an accepted issuer is stored by: Google writes its own in two
// ways.
func (r issuerRule) name(issuer string) string {
	if r.isTemplate() {
		return issuer
	}
	return r.stated
}
