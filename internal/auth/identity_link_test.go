package auth_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"ujumbe/internal/server/servertest"
)

func TestNewPersonGetsAnOrganizationOfTheirOwn(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		for _, row := range []struct{ first, last, organization string }{
			{"Asha", "Juma", "Asha Juma"},
			{"Asha", "", "Asha"},
			{"", "", "user"},
			{strings.Repeat("n", 90), strings.Repeat("m", 90), strings.Repeat("n", 90) + " " + strings.Repeat("m", 9)},
		} {
			email := servertest.Email()
			answer := w.Want(w.callback(w.arrive("idp_a", as(email, "firstName", row.first, "lastName", row.last)), nil), 200)
			user, access := w.userOf(answer), answer.JSON(t)["accessToken"].(string)
			if user["firstName"] != row.first || user["lastName"] != row.last || user["role"] != "owner" || user["isVerified"] != true {
				t.Errorf("user %v", user)
			}
			account := w.Want(w.Call("GET", "/api/v1/accounts/me", access, nil), 200).JSON(t)
			if name, _ := account["name"].(string); !strings.HasPrefix(name, row.organization) || account["id"] != user["accountId"] {
				t.Errorf("organization %v, want %s", account, row.organization)
			}
			renamed := w.Want(w.Call("PATCH", "/api/v1/accounts/me", access, map[string]any{"name": "Renamed"}), 200).JSON(t)
			if renamed["name"] != "Renamed" {
				t.Errorf("organization %v", renamed)
			}
		}
		if users, credits := w.count("users"), w.count("credit WHERE balance = 0 AND currency = 'KES'"); users != 4 || credits != users {
			t.Errorf("%d users, %d credit records", users, credits)
		}
	})
}

func TestNameIsStoredWhenItFirstComesAndNeverReplaced(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		names := func(user map[string]any) string {
			return user["firstName"].(string) + "/" + user["lastName"].(string)
		}
		email := servertest.Email()
		for i, visit := range []struct{ first, last, want string }{
			{"", "", "/"},
			{"Asha", "Juma", "Asha/Juma"},
			{"", "", "Asha/Juma"},
			{"Another", "Name", "Asha/Juma"},
		} {
			if got := names(w.signIn("idp_a", as(email, "firstName", visit.first, "lastName", visit.last))); got != visit.want {
				t.Errorf("visit %d: %s, want %s", i, got, visit.want)
			}
		}
		w.run(t, "the client may tell a name that the provider does not", func(t *testing.T, w *world) {
			b := w.arrive("idp_a", as(servertest.Email()))
			user := w.userOf(w.Want(w.callback(b, map[string]any{"firstName": " Asha ", "lastName": "Juma"}), 200))
			if got := names(user); got != "Asha/Juma" {
				t.Errorf("got %s", got)
			}
		})
		w.run(t, "the provider's word comes first", func(t *testing.T, w *world) {
			b := w.arrive("idp_a", as(servertest.Email(), "firstName", "Asha"))
			user := w.userOf(w.Want(w.callback(b, map[string]any{"firstName": "Other", "lastName": "Name"}), 200))
			if got := names(user); got != "Asha/" {
				t.Errorf("got %s", got)
			}
		})
		w.run(t, "too long a name from the client", func(_ *testing.T, w *world) {
			b := w.arrive("idp_a", as(servertest.Email()))
			w.Want(w.callback(b, map[string]any{"firstName": strings.Repeat("a", 101)}), 422)
		})
		w.run(t, "one word for the whole name, and characters that no name has", func(t *testing.T, w *world) {
			p := w.providers["idp_a"]
			p.Forge = func(claims jwt.MapClaims) (string, error) {
				claims["name"] = "  Asha\x00\n Juma  Mwamba "
				return p.Sign(claims)
			}
			if got := names(w.signIn("idp_a", as(servertest.Email()))); got != "Asha/Juma  Mwamba" {
				t.Errorf("got %q", got)
			}
		})
	})
}

func TestVerifiedUserIsLinkedByAVerifiedAddressAndKeepsTheirPassword(t *testing.T) {
	eachWorld(t, []string{"idp_a", "idp_b"}, func(t *testing.T, w *world) {
		owner := w.Owner()
		for _, slot := range []string{"idp_a", "idp_b"} {
			if user := w.signIn(slot, as(strings.ToUpper(owner.Email[:1])+owner.Email[1:])); user["id"] != owner.ID || user["email"] != owner.Email {
				t.Errorf("%s: %v", slot, user)
			}
		}
		if n := w.count("identity_link"); n != 2 {
			t.Errorf("%d links, want 2", n)
		}
		w.Login(owner.Email, owner.Password)
		w.Want(w.Call("GET", "/api/v1/users/me", owner.Access, nil), 200)
		trail := w.Want(w.Call("GET", "/api/v1/accounts/me/audit", owner.Access, nil), 200)
		for _, want := range []string{"user.identity_linked", "by idp_a", "idp_b " + w.providers["idp_b"].URL} {
			if !strings.Contains(string(trail.Body), want) {
				t.Errorf("the trail lacks %q: %s", want, trail.Body)
			}
		}
	})
}

func TestAddressThatTheProviderHasNotVerifiedLinksNobody(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		victim, p := w.Owner(), w.providers["idp_a"]
		unverified := func(value any) func(jwt.MapClaims) (string, error) {
			return func(claims jwt.MapClaims) (string, error) { return changed("email_verified", value)(p, claims) }
		}
		for name, forge := range map[string]func(jwt.MapClaims) (string, error){
			"said to be unverified":     unverified(false),
			"said so by a string":       unverified("false"),
			"not said":                  unverified(nil),
			"said in another way":       unverified("yes"),
			"verified, but no address":  func(claims jwt.MapClaims) (string, error) { return changed("email", nil)(p, claims) },
			"verified, but not a valid": func(claims jwt.MapClaims) (string, error) { return changed("email", "no address")(p, claims) },
		} {
			w.run(t, name, func(t *testing.T, w *world) {
				p.Forge = forge
				wantCode(t, w.callback(w.arrive("idp_a", as(victim.Email)), nil), 400, "email_not_verified")
				wantCode(t, w.callback(w.arrive("idp_a", as(servertest.Email())), nil), 400, "email_not_verified")
				if users, links := w.count("users"), w.count("identity_link"); users != 1 || links != 0 {
					t.Errorf("%d users, %d links", users, links)
				}
			})
		}
		w.run(t, "but whoever is linked needs no address", func(t *testing.T, w *world) {
			p.Forge = nil
			email := servertest.Email()
			user := w.signIn("idp_a", as(email))
			for _, claim := range []string{"email", "email_verified"} {
				p.Forge = func(claims jwt.MapClaims) (string, error) { return changed(claim, nil)(p, claims) }
				if again := w.signIn("idp_a", as(email)); again["id"] != user["id"] {
					t.Error("another user")
				}
			}
		})
	})
}

func TestWhoeverRegisteredAnAddressThatIsNotTheirsLosesTheirWaysIn(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		squatter := w.Register(servertest.Email())
		verification := w.Mail.Token(t, squatter.Email, "/verify-email")
		w.Want(w.Call("POST", "/api/v1/auth/forgot-password", "", map[string]any{"email": squatter.Email}), 200)
		reset := w.Mail.Token(t, squatter.Email, "/reset-password")

		user := w.signIn("idp_a", as(squatter.Email))
		if user["id"] != squatter.ID || user["isVerified"] != true {
			t.Errorf("user %v", user)
		}
		w.Want(w.Call("POST", "/api/v1/auth/login", "", map[string]any{"email": squatter.Email, "password": squatter.Password}), 401)
		w.Want(w.Call("POST", "/api/v1/auth/verify-email", "", map[string]any{"token": verification}), 400)
		w.Want(w.Call("POST", "/api/v1/auth/reset-password", "", map[string]any{"token": reset, "newPassword": "another password"}), 400)
	})
}

func TestWhoeverMovedToAnAddressThatIsNotTheirsLosesTheirWaysIn(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		// The squatter has a user with a link, and gives it the victim's address.
		own, victim := servertest.Email(), servertest.Email()
		answer := w.Want(w.callback(w.arrive("idp_a", as(own)), nil), 200).JSON(t)
		w.Want(w.Call("PATCH", "/api/v1/users/me", answer["accessToken"].(string), map[string]any{"email": victim}), 200)
		wantCode(t, w.callback(w.arrive("idp_a", as(own)), nil), 401, "email_not_verified")

		user := w.signIn("idp_a", as(victim))
		w.Want(w.Call("POST", "/api/v1/auth/refresh", "", map[string]any{"refreshToken": answer["refreshToken"]}), 401)
		if again := w.signIn("idp_a", as(own)); again["id"] == user["id"] {
			t.Error("the squatter's identity still leads to the user who is the victim's now")
		}
	})
}

func TestLinkedUserVerifiesAChangedAddressByTheProvidersWord(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		old, email, p := servertest.Email(), servertest.Email(), w.providers["idp_a"]
		answer := w.Want(w.callback(w.arrive("idp_a", as(old)), nil), 200).JSON(t)
		w.Want(w.Call("PATCH", "/api/v1/users/me", answer["accessToken"].(string), map[string]any{"email": email}), 200)
		p.Forge = func(claims jwt.MapClaims) (string, error) { return changed("email", email)(p, claims) }
		user := w.signIn("idp_a", as(old))
		if user["email"] != email || user["isVerified"] != true {
			t.Errorf("user %v", user)
		}
	})
}

func TestFirstSignInsAtOnceMakeOneUser(t *testing.T) {
	eachWorld(t, []string{"idp_a", "idp_b"}, func(t *testing.T, w *world) {
		for range 5 {
			email := servertest.Email()
			var flows []begun
			for i := range 6 {
				flows = append(flows, w.arrive([]string{"idp_a", "idp_b"}[i%2], as(email)))
			}
			ids := make([]any, len(flows))
			var all sync.WaitGroup
			for i, b := range flows {
				all.Go(func() {
					answer := w.callback(b, nil)
					if answer.Status != 200 {
						t.Errorf("status %d: %s", answer.Status, answer.Body)
						return
					}
					ids[i] = answer.JSON(t)["user"].(map[string]any)["id"]
				})
			}
			all.Wait()
			if len(slices.Compact(ids)) != 1 {
				t.Errorf("users %v", ids)
			}
		}
		if users, accounts, links := w.count("users"), w.count("account"), w.count("identity_link"); users != 5 || accounts != 5 || links != 10 {
			t.Errorf("%d users, %d accounts, %d links; want 5, 5, 10", users, accounts, links)
		}
	})
}

func TestDeactivatedUserCanNotSignInByAProvider(t *testing.T) {
	eachWorld(t, []string{"idp_a", "idp_b"}, func(t *testing.T, w *world) {
		owner := w.Owner()
		member := w.Member(owner, "member")
		if user := w.signIn("idp_a", as(member.Email)); user["id"] != member.ID || user["accountId"] != owner.AccountID {
			t.Errorf("user %v", user)
		}
		w.Want(w.Call("POST", "/api/v1/users/"+member.ID+"/deactivate", owner.Access, nil), 200)
		for _, slot := range []string{"idp_a", "idp_b"} { // linked and not
			wantCode(t, w.callback(w.arrive(slot, as(member.Email)), nil), 401, "user_not_active")
		}
		if n := w.count("identity_link"); n != 1 {
			t.Errorf("%d links, want 1", n)
		}
		w.Want(w.Call("POST", "/api/v1/users/"+member.ID+"/reactivate", owner.Access, nil), 200)
		w.signIn("idp_b", as(member.Email))
	})
}

func TestRemovedPersonComesBackAsANewOne(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		owner := w.Owner()
		member := w.Member(owner, "member")
		w.signIn("idp_a", as(member.Email))
		w.Want(w.Call("DELETE", "/api/v1/users/"+member.ID, owner.Access, nil), 204)
		user := w.signIn("idp_a", as(member.Email))
		if user["id"] == member.ID || user["accountId"] == owner.AccountID {
			t.Errorf("user %v", user)
		}
	})
}
