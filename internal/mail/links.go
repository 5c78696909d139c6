package mail

import (
	"errors"
	"net/url"
	"strings"
)

// Link is an address that a mail may carry. Only Links makes one.
type Link struct{ url string }

// String returns the address.
func (l Link) String() string { return l.url }

// Links makes the addresses that mails carry, all of them below the configured
// public URL. A token stands in the fragment, which browsers keep to
// themselves: it reaches no server log, no proxy and no Referer header, and a
// scanner that opens the link spends nothing.
type Links struct{ base string }

// NewLinks takes the public URL of this installation, from configuration and
// never from a request.
func NewLinks(publicURL string) (Links, error) {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil ||
		u.Scheme != "http" && u.Scheme != "https" ||
		u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.ContainsAny(publicURL, "#<>\"") {
		return Links{}, errors.New("the public URL must look like https://app.example.com, without user, query or fragment")
	}
	return Links{base: strings.TrimRight(u.String(), "/")}, nil
}

// SignIn leads to the sign-in page.
func (l Links) SignIn() Link { return l.page("/login") }

// VerifyEmail leads to the page that confirms an email address.
func (l Links) VerifyEmail(token string) Link { return l.withToken("/verify-email", token) }

// ResetPassword leads to the page that sets a new password.
func (l Links) ResetPassword(token string) Link { return l.withToken("/reset-password", token) }

// MagicLink leads to the page that signs in without a password.
func (l Links) MagicLink(token string) Link { return l.withToken("/magic-link", token) }

// Invitation leads to the page that accepts an invitation to an organization.
func (l Links) Invitation(token string) Link { return l.withToken("/invitation", token) }

// StaffResetPassword leads to the page where a staff member sets a password.
func (l Links) StaffResetPassword(token string) Link {
	return l.withToken("/admin/reset-password", token)
}

func (l Links) withToken(path, token string) Link {
	return l.page(path + "#token=" + url.QueryEscape(token))
}

// page makes no link at all of a Links that NewLinks did not make, and a letter
// without its link does not render.
func (l Links) page(path string) Link {
	if l.base == "" {
		return Link{}
	}
	return Link{l.base + path}
}
