package idp

import (
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// claims are what is read of an identity token.
type claims struct {
	Email         string `json:"email"`
	EmailVerified loose  `json:"email_verified"`
	GivenName     string `json:"given_name"`
	FamilyName    string `json:"family_name"`
	Name          string `json:"name"`
	// AuthorizedParty is the client that a token of several audiences is for.
	AuthorizedParty string `json:"azp"`
	// Tenant and DomainVerified are Microsoft's.
	Tenant         string `json:"tid"`
	DomainVerified loose  `json:"xms_edov"`
}

// loose is a boolean as providers write it: Apple sends "true", Microsoft 1.
// Whatever else comes is false.
type loose bool

// UnmarshalJSON never fails: what is not clearly true is false.
func (l *loose) UnmarshalJSON(raw []byte) error {
	switch string(raw) {
	case `true`, `"true"`, `1`, `"1"`:
		*l = true
	default:
		*l = false
	}
	return nil
}

func (p *openID) identity(issuer string, t *oidc.IDToken, c claims) Identity {
	i := Identity{
		Issuer: issuer, Subject: t.Subject, Nonce: t.Nonce,
		Email: c.Email, EmailVerified: bool(c.EmailVerified),
		FirstName: c.GivenName, LastName: c.FamilyName,
	}
	if i.FirstName == "" && i.LastName == "" {
		i.FirstName, i.LastName = splitName(c.Name)
	}
	if p.Kind == Microsoft {
		i.EmailVerified = i.EmailVerified || bool(c.DomainVerified) || isPersonal(issuer, c.Tenant)
	}
	return i
}

// personalTenant holds the personal accounts of Microsoft, whose addresses it
// verifies itself. In any other tenant an administrator may write what they like
// into "email", so there only xms_edov says that the domain is the tenant's own.
const personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

func isPersonal(issuer, tenant string) bool {
	return tenant == personalTenant && strings.Contains(issuer, "/"+personalTenant+"/")
}

// splitName takes the first word for the first name.
func splitName(name string) (first, last string) {
	first, last, _ = strings.Cut(strings.TrimSpace(name), " ")
	return first, strings.TrimSpace(last)
}
