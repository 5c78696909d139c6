package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/server/servertest"
)

// changed signs rightly what should not be signed.
func changed(name string, value any) func(*provider, jwt.MapClaims) (string, error) {
	return func(p *provider, claims jwt.MapClaims) (string, error) {
		if value == nil {
			delete(claims, name)
		} else {
			claims[name] = value
		}
		return p.Sign(claims)
	}
}

func signed(method jwt.SigningMethod, kid string, key any, claims jwt.MapClaims) (string, error) {
	token := jwt.NewWithClaims(method, claims)
	if kid != "" {
		token.Header["kid"] = kid
	}
	return token.SignedString(key)
}

// withPublicKey signs by HMAC with what everybody knows.
func withPublicKey(encode func(der []byte) []byte) func(*provider, jwt.MapClaims) (string, error) {
	return func(p *provider, claims jwt.MapClaims) (string, error) {
		public, kid := p.PublicKey()
		der, err := x509.MarshalPKIXPublicKey(public)
		if err != nil {
			return "", err
		}
		return signed(jwt.SigningMethodHS256, kid, encode(der), claims)
	}
}

func withOtherKey(kid func(*provider) string) func(*provider, jwt.MapClaims) (string, error) {
	return func(p *provider, claims jwt.MapClaims) (string, error) {
		other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return "", err
		}
		return signed(jwt.SigningMethodES256, kid(p), other, claims)
	}
}

func TestForgedIdentityTokenIsRefusedAndMakesNothing(t *testing.T) {
	past, future := time.Now().Add(-time.Hour).Unix(), time.Now().Add(time.Hour).Unix()
	forgeries := map[string]struct {
		forge func(*provider, jwt.MapClaims) (string, error)
		code  string
	}{
		"algorithm none": {func(_ *provider, claims jwt.MapClaims) (string, error) {
			return signed(jwt.SigningMethodNone, "", jwt.UnsafeAllowNoneSignatureType, claims)
		}, "invalid_identity_token"},
		"algorithm none with the right key id": {func(p *provider, claims jwt.MapClaims) (string, error) {
			_, kid := p.PublicKey()
			return signed(jwt.SigningMethodNone, kid, jwt.UnsafeAllowNoneSignatureType, claims)
		}, "invalid_identity_token"},
		"HMAC with the public key":            {withPublicKey(func(der []byte) []byte { return der }), "invalid_identity_token"},
		"HMAC with the public key as PEM":     {withPublicKey(asPEM), "invalid_identity_token"},
		"HMAC with the client secret":         {withClientSecret, "invalid_identity_token"},
		"another key under the right key id":  {withOtherKey(func(p *provider) string { _, kid := p.PublicKey(); return kid }), "invalid_identity_token"},
		"another key under an unknown key id": {withOtherKey(func(*provider) string { return "unknown" }), "invalid_identity_token"},
		"another key without a key id":        {withOtherKey(func(*provider) string { return "" }), "invalid_identity_token"},
		"tampered payload":                    {tampered, "invalid_identity_token"},
		"not a token":                         {func(*provider, jwt.MapClaims) (string, error) { return "nonsense", nil }, "invalid_identity_token"},
		"empty":                               {func(*provider, jwt.MapClaims) (string, error) { return "", nil }, "invalid_identity_token"},
		"expired":                             {changed("exp", past), "invalid_identity_token"},
		"without expiry":                      {changed("exp", nil), "invalid_identity_token"},
		"not yet valid":                       {changed("nbf", future), "invalid_identity_token"},
		"other audience":                      {changed("aud", "another client"), "invalid_identity_token"},
		"without audience":                    {changed("aud", nil), "invalid_identity_token"},
		"other authorized party":              {changed("azp", "another client"), "invalid_identity_token"},
		"other issuer":                        {changed("iss", "https://accounts.example.com"), "invalid_identity_token"},
		"without issuer":                      {changed("iss", nil), "invalid_identity_token"},
		"without subject":                     {changed("sub", nil), "invalid_identity_token"},
		"endless subject":                     {changed("sub", string(make([]byte, 300))), "invalid_identity_token"},
		"claims of the wrong type":            {changed("email", 5), "invalid_identity_token"},
		"other nonce":                         {changed("nonce", "n-0S6_WzA2Mj"), "invalid_flow"},
		"nonce of no flow":                    {changed("nonce", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), "invalid_flow"},
		"without nonce":                       {changed("nonce", nil), "invalid_flow"},
	}
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		victim := w.Owner()
		before := [...]int{w.count("users"), w.count("account"), w.count("identity_link"), w.count("session")}
		for name, forgery := range forgeries {
			w.run(t, name, func(t *testing.T, w *world) {
				p := w.providers["idp_a"]
				p.Forge = func(claims jwt.MapClaims) (string, error) { return forgery.forge(p, claims) }
				for _, email := range []string{servertest.Email(), victim.Email} {
					b := w.arrive("idp_a", as(email))
					wantCode(t, w.callback(b, nil), 400, forgery.code)
					b = w.arrive("idp_a", as(email))
					wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, forgery.code)
				}
				if after := [...]int{w.count("users"), w.count("account"), w.count("identity_link"), w.count("session")}; after != before {
					t.Errorf("users, accounts, links, sessions: %v, before %v", after, before)
				}
			})
		}
	})
}

func asPEM(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}) }

func withClientSecret(_ *provider, claims jwt.MapClaims) (string, error) {
	return signed(jwt.SigningMethodHS256, "", []byte(clientSecret), claims)
}

func tampered(p *provider, claims jwt.MapClaims) (string, error) {
	honest, err := p.Sign(claims)
	if err != nil {
		return "", err
	}
	claims["email"] = "victim@example.com"
	other, err := p.Sign(claims)
	if err != nil {
		return "", err
	}
	parts, payload := jwtParts(honest), jwtParts(other)
	return parts[0] + "." + payload[1] + "." + parts[2], nil
}

func TestNewKeyOfAProviderIsFetched(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		w.signIn("idp_a", as(servertest.Email()))
		if err := w.providers["idp_a"].Rotate(); err != nil {
			t.Fatal(err)
		}
		w.signIn("idp_a", as(servertest.Email()))
	})
}

func TestDeadProviderIsUnavailableAndHarmsNobodyElse(t *testing.T) {
	eachWorld(t, []string{"idp_a", "idp_b"}, func(t *testing.T, w *world) {
		p := w.providers["idp_a"]
		p.down.Store(true)
		answer := w.Call("GET", "/api/v1/auth/idp_a", "", nil)
		wantCode(t, answer, 503, "identity_provider_unavailable")
		if answer.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		w.signIn("idp_b", as(servertest.Email()))

		p.down.Store(false)
		b := w.arrive("idp_a", as(servertest.Email()))
		p.down.Store(true)
		wantCode(t, w.callback(b, nil), 503, "identity_provider_unavailable")
		wantCode(t, w.callback(b, map[string]any{"state": b.state}), 503, "identity_provider_unavailable")
		p.down.Store(false)
		w.Want(w.callback(b, map[string]any{"state": b.state}), 200) // the flow was not spent

		p.down.Store(true)
		w.begin("idp_a") // what is known of the provider is known for an hour
	})
}
