package idp_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/auth/idp"
)

func p8(t *testing.T, key crypto.PrivateKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func TestAppleKeyIsReadFromItsFile(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	read, err := idp.ParseAppleKey(p8(t, key))
	if err != nil || !read.Equal(key) {
		t.Errorf("%v", err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"nothing": nil, "text": []byte("AuthKey"), "another curve": p8(t, other), "another kind": p8(t, wrong),
		"not a key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}),
	} {
		if _, err := idp.ParseAppleKey(file); err == nil {
			t.Errorf("%s is taken for a key", name)
		}
	}
	if _, err := idp.New(idp.Settings{Kind: idp.Apple}); err == nil {
		t.Error("apple works without a key")
	}
	if _, err := idp.New(idp.Settings{Kind: "facebook"}); err == nil {
		t.Error("an unknown kind works")
	}
}

func TestAppleClientSecretIsMadeForEachRequest(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := newPartner(t)
	var secrets []string
	p.answer(tokenPath, func(w http.ResponseWriter, r *http.Request) {
		secrets = append(secrets, r.PostFormValue("client_secret"))
		w.WriteHeader(http.StatusBadRequest)
	})
	c := p.client(t, func(s *idp.Settings) {
		s.Kind, s.ClientSecret, s.TeamID, s.KeyID, s.Key = idp.Apple, "", "TEAM", "KEY", key
	})
	for range 2 {
		_, _ = c.Finish(t.Context(), "code", "")
		p.clock.Advance(time.Minute)
	}
	if len(secrets) != 2 || secrets[0] == secrets[1] {
		t.Fatalf("secrets %v", secrets)
	}
	var claims jwt.RegisteredClaims
	parsed, err := jwt.ParseWithClaims(secrets[1], &claims, func(*jwt.Token) (any, error) { return &key.PublicKey, nil }, jwt.WithValidMethods([]string{"ES256"}))
	if err != nil {
		t.Fatal(err)
	}
	life := claims.ExpiresAt.Sub(claims.IssuedAt.Time)
	if parsed.Header["kid"] != "KEY" || claims.Issuer != "TEAM" || claims.Subject != "client" || claims.Audience[0] != p.url || life > 10*time.Minute {
		t.Errorf("header %v, claims %v", parsed.Header, claims)
	}

	address, err := c.Begin(t.Context(), idp.Flow{State: "s", Nonce: "n"})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	if query := u.Query(); query.Get("response_mode") != "form_post" || query.Get("scope") != "name email" || query.Get("nonce") != "n" || strings.Contains(address, "secret") {
		t.Errorf("address %s", address)
	}
}
