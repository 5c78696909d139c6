package idp

import "golang.org/x/oauth2"

// Kind is a provider whose ways are known, or "oidc" for any that follows
// OpenID Connect.
type Kind string

// The kinds.
const (
	Google    Kind = "google"
	Microsoft Kind = "microsoft"
	GitHub    Kind = "github"
	OpenID    Kind = "oidc"
	Apple     Kind = "apple"
)

// traits is what a kind is known by.
type traits struct {
	issuer string
	scopes string
	// style is how the client authenticates; found out by discovery when zero.
	style oauth2.AuthStyle
	// formPost makes the provider return by a form that the browser posts.
	formPost bool
	// userinfo asks the userinfo endpoint for an email that the token lacks.
	userinfo bool
}

var kinds = map[Kind]traits{
	Google:    {issuer: "https://accounts.google.com", scopes: "openid email profile", style: oauth2.AuthStyleInParams},
	Microsoft: {issuer: "https://login.microsoftonline.com/common/v2.0", scopes: "openid email profile", style: oauth2.AuthStyleInParams},
	GitHub:    {issuer: "https://github.com", scopes: "read:user user:email", style: oauth2.AuthStyleInParams},
	OpenID:    {scopes: "openid email profile", userinfo: true},
	// Apple demands form_post as soon as name or email is asked for.
	Apple: {issuer: "https://appleid.apple.com", scopes: "name email", style: oauth2.AuthStyleInParams, formPost: true},
}

// algorithms are the signatures an identity token may have: each needs the
// provider's private key. "none" and HMAC, whose key would be the public one, are
// not among them.
var algorithms = []string{"RS256", "PS256", "ES256", "EdDSA"}
