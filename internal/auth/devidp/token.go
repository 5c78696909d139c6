package devidp

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"

	"ujumbe/internal/token"
)

// tokenLife is how long an identity token is good for.
const tokenLife = 10 * time.Minute

// exchange is the token endpoint.
func (p *Provider) exchange(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		deny(w, http.StatusBadRequest, "invalid_request")
		return
	}
	if !p.knowsClient(r) {
		deny(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	if r.PostForm.Get("grant_type") != "authorization_code" {
		deny(w, http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	g, ok := p.spend(r.PostForm)
	if !ok {
		deny(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	sign := p.Sign
	if p.Forge != nil {
		sign = p.Forge
	}
	identity, err := sign(p.claims(g))
	if err != nil {
		deny(w, http.StatusInternalServerError, "server_error")
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"access_token": token.NewOpaque().Reveal(), "token_type": "Bearer", "expires_in": int(tokenLife.Seconds()), "id_token": identity,
	})
}

func deny(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]string{"error": code})
}

// knowsClient checks the client's id and secret, sent either way.
func (p *Provider) knowsClient(r *http.Request) bool {
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
	}
	if id != p.ClientID {
		return false
	}
	if p.Apple {
		return p.signedByClient(secret)
	}
	return subtle.ConstantTimeCompare([]byte(secret), []byte(p.ClientSecret)) == 1
}

// signedByClient checks a client secret as Apple does.
func (p *Provider) signedByClient(secret string) bool {
	parsed, err := jwt.Parse(secret, func(*jwt.Token) (any, error) { return p.ClientKey, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}), jwt.WithIssuer(p.TeamID), jwt.WithSubject(p.ClientID),
		jwt.WithAudience(p.Issuer), jwt.WithExpirationRequired(), jwt.WithTimeFunc(func() time.Time { return p.Clock.Now().Std() }))
	return err == nil && parsed.Header["kid"] == p.KeyID
}

// spend redeems a code once.
func (p *Provider) spend(form url.Values) (grant, bool) {
	code := form.Get("code")
	p.mu.Lock()
	defer p.mu.Unlock()
	g, ok := p.grants[code]
	if !p.KeepCodes {
		delete(p.grants, code)
	}
	verifier := form.Get("code_verifier")
	proven := g.challenge == oauth2.S256ChallengeFromVerifier(verifier) || (g.challenge == "" && verifier == "")
	return g, ok && proven && p.Clock.Now() < g.expires && form.Get("redirect_uri") == p.RedirectURL
}

func (p *Provider) claims(g grant) jwt.MapClaims {
	now := p.Clock.Now().Std()
	claims := jwt.MapClaims{
		"iss": p.Issuer, "sub": g.person.subject(), "aud": p.ClientID, "iat": now.Unix(), "exp": now.Add(tokenLife).Unix(),
		"email": g.person.address(), "email_verified": !g.person.Unverified,
	}
	if g.nonce != "" {
		claims["nonce"] = g.nonce
	}
	if p.Apple {
		claims["email_verified"] = strconv.FormatBool(!g.person.Unverified)
		if g.person.HideEmail {
			claims["is_private_email"] = "true"
		}
		return claims
	}
	if g.person.FirstName != "" {
		claims["given_name"] = g.person.FirstName
	}
	if g.person.LastName != "" {
		claims["family_name"] = g.person.LastName
	}
	return claims
}
