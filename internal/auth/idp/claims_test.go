package idp_test

import (
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"pgregory.net/rapid"

	"ujumbe/internal/auth/idp"
)

// Whatever a provider writes into a claim, only a clear yes verifies an address,
// and a strange token is an error or an identity, never a crash.
func TestOnlyAClearYesVerifiesAnAddress(t *testing.T) {
	p := newPartner(t)
	c := p.client(t)
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false), rapid.Just[any]("true"), rapid.Just[any]("1"), rapid.Just[any](1),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Map(rapid.SliceOf(rapid.Bool()), func(b []bool) any { return b }),
	)
	rapid.Check(t, func(rt *rapid.T) {
		verified, name := scalar.Draw(rt, "email_verified"), scalar.Draw(rt, "name")
		p.Forge = func(claims jwt.MapClaims) (string, error) {
			claims["email_verified"], claims["name"] = verified, name
			return p.Sign(claims)
		}
		identity, err := c.Finish(t.Context(), p.code(t, c, idp.Flow{State: "s", Nonce: "n"}), "")
		isYes := verified == true || verified == "true" || verified == "1" || verified == 1
		if err == nil && identity.EmailVerified != isYes {
			rt.Fatalf("email_verified %#v: %+v", verified, identity)
		}
	})
}
