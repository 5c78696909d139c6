package idp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// appleSecretLife is how long a client secret is good for. Apple would take six
// months; one made for each request need not outlive it.
const appleSecretLife = 5 * time.Minute

// appleSecret makes a client secret: a token by which Apple's team vouches for
// its client.
func (p *openID) appleSecret() (string, error) {
	now := p.Clock.Now().Std()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.RegisteredClaims{
		Issuer: p.TeamID, Subject: p.ClientID, Audience: jwt.ClaimStrings{p.Issuer},
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(appleSecretLife)),
	})
	unsigned.Header["kid"] = p.KeyID
	signed, err := unsigned.SignedString(p.Key)
	if err != nil {
		return "", fmt.Errorf("sign client secret: %w", err)
	}
	return signed, nil
}

// ParseAppleKey reads the private key that Apple hands out as a .p8 file.
func ParseAppleKey(file []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, errors.New("not a PEM file; take the .p8 file as Apple gave it")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("no PKCS #8 private key; take the .p8 file as Apple gave it")
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("not a P-256 key, as Apple's are")
	}
	return key, nil
}
