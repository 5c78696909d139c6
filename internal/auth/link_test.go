package auth_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

// kind is one of the mailed links.
type kind struct {
	name     string
	ask      string // path that mails it
	page     string // page it leads to
	redeem   string // path that redeems it
	life     time.Duration
	bodyWith func(token string) body
}

var kinds = []kind{
	{"verification", "/resend-verification", "/verify-email", "/verify-email", 24 * time.Hour, justToken},
	{"reset", "/forgot-password", "/reset-password", "/reset-password", time.Hour, withNewPassword},
	{"magic link", "/magic-link", "/magic-link", "/magic-link/verify", 15 * time.Minute, justToken},
}

func justToken(token string) body { return body{"token": token} }

func withNewPassword(token string) body { return body{"token": token, "newPassword": "a new password"} }

// eachKind runs the test for every kind of link, with a user who can get one.
func eachKind(t *testing.T, test func(t *testing.T, h house, k kind, c servertest.Customer)) {
	t.Helper()
	each(t, func(t *testing.T, h house) {
		for _, k := range kinds {
			t.Run(k.name, func(t *testing.T) {
				h := h.on(t)
				c := h.Register(servertest.Email())
				h.Mail.Wait(t, c.Email, 1)
				test(t, h, k, c)
			})
		}
	})
}

func TestALinkIsGoodUntilItsLifeIsOver(t *testing.T) {
	eachKind(t, func(_ *testing.T, h house, k kind, c servertest.Customer) {
		token := h.ask(k.ask, c.Email, k.page)
		h.advance(k.life + time.Second)
		h.Want(h.post(k.redeem, k.bodyWith(token)), 400)
		token = h.ask(k.ask, c.Email, k.page)
		h.advance(k.life - time.Second)
		h.Want(h.post(k.redeem, k.bodyWith(token)), 200)
	})
}

func TestWhatIsNoGoodLinkHasOneAnswer(t *testing.T) {
	eachKind(t, func(t *testing.T, h house, k kind, c servertest.Customer) {
		older := h.ask(k.ask, c.Email, k.page)
		used := h.ask(k.ask, c.Email, k.page)
		tokens := map[string]string{
			"an older link":   older,
			"unknown":         strings.Repeat("A", 43),
			"garbage":         "garbage",
			"empty":           "",
			"very long":       strings.Repeat("A", 100_000),
			"line breaks":     strings.Repeat("\n", 43),
			"a refresh token": h.Owner().Refresh,
			"an access token": h.Owner().Access,
		}
		for _, other := range kinds {
			if other.name != k.name {
				tokens["a link for "+other.name] = h.ask(other.ask, c.Email, other.page)
			}
		}
		check := func(name, token string) {
			t.Helper()
			if a := h.Want(h.post(k.redeem, k.bodyWith(token)), 400); a.Code() != "invalid_link" {
				t.Errorf("%s: %s", name, a.Body)
			}
		}
		for name, token := range tokens {
			check(name, token)
		}
		h.Want(h.post(k.redeem, k.bodyWith(used)), 200)
		check("a used link", used)
		for _, missing := range []any{body{"newPassword": "a new password"}, nil, body{"token": 7, "newPassword": "a new password"}} {
			h.Want(h.post(k.redeem, missing), 422)
		}
	})
}

func TestOfFiftyRedemptionsAtOnceOneSucceeds(t *testing.T) {
	eachKind(t, func(t *testing.T, h house, k kind, c servertest.Customer) {
		token := h.ask(k.ask, c.Email, k.page)
		got := atOnce(50, func(int) servertest.Answer { return h.post(k.redeem, k.bodyWith(token)) })
		if !maps.Equal(got, map[int]int{200: 1, 400: 49}) {
			t.Errorf("got %v", got)
		}
	})
}

func TestAskingForALinkIsAnsweredAlikeForKnownAndUnknown(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		unverified := h.Register(servertest.Email())
		deactivated := h.Member(owner, "member")
		h.Want(h.Call("POST", "/api/v1/users/"+deactivated.ID+"/deactivate", owner.Access, nil), 200)
		for _, k := range kinds {
			t.Run(k.name, func(t *testing.T) {
				h := h.on(t)
				var first []byte
				for _, email := range []string{owner.Email, unverified.Email, deactivated.Email, servertest.Email(), strings.ToUpper(owner.Email)} {
					a := h.Want(h.post(k.ask, body{"email": email}), 200)
					wantFields(t, a.JSON(t), "message")
					if first == nil {
						first = a.Body
					}
					if !bytes.Equal(first, a.Body) {
						t.Errorf("%s: %s", email, a.Body)
					}
				}
				h.run(t, []row{
					{"no email", k.ask, body{}, 422, "validation_failed"},
					{"no address", k.ask, body{"email": "nobody"}, 422, "validation_failed"},
					{"empty", k.ask, body{"email": ""}, 422, "validation_failed"},
					{"a number", k.ask, body{"email": 7}, 422, "validation_failed"},
					{"two addresses", k.ask, body{"email": owner.Email + ",x@example.com"}, 422, "validation_failed"},
					{"a header", k.ask, body{"email": owner.Email + "\r\nBcc: x@example.com"}, 422, "validation_failed"},
					{"no body", k.ask, nil, 422, "validation_failed"},
				})
			})
		}
	})
}

// evilRequest asks for a link in the name of another host.
func evilRequest(t *testing.T, address, email string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"email":"`+email+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Origin": "https://evil.example", "Referer": "https://evil.example/",
		"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher", "Forwarded": "host=evil.example",
	} {
		request.Header.Set(name, value)
	}
	return request
}

func TestLinksLeadToTheConfiguredAddressWithTheTokenInTheFragment(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		h := house{s}
		c := h.Register(servertest.Email())
		h.Mail.Wait(t, c.Email, 1)
		for _, k := range kinds {
			n := len(h.Mail.To(c.Email))
			h.Want(h.Do(evilRequest(t, h.URL+authBase+k.ask, c.Email)), 200)
			mail := h.Mail.Wait(t, c.Email, n+1)[n]
			token := h.Mail.Token(t, c.Email, k.page)
			if len(token) != 43 || !strings.Contains(mail.Text, "https://app.example.com/console"+k.page+"#token="+token) {
				t.Errorf("%s: %s", k.name, mail.Text)
			}
			if strings.Contains(mail.Text+mail.HTML, "evil") || strings.Contains(mail.Text+mail.HTML, "?token") {
				t.Errorf("%s: %s", k.name, mail.Text)
			}
		}
	}, func(c *config.Config) { c.PublicURL = "https://app.example.com/console" })
}

func TestVerificationSignsInOnce(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		c := h.Register(servertest.Email())
		token := h.Mail.Token(t, c.Email, "/verify-email")
		user := h.wantSignedIn(h.post("/verify-email", body{"token": token}), c.Email)
		if user["id"] != c.ID || user["accountId"] != c.AccountID || user["role"] != "owner" {
			t.Errorf("user %v", user)
		}
		h.wantSignedIn(h.login(c.Email, c.Password), c.Email)
		h.Want(h.post("/resend-verification", body{"email": c.Email}), 200)
		h.askMagic(c.Email) // the queue has been worked through when this mail is here
		if mails := h.Mail.To(c.Email); len(mails) != 2 {
			t.Errorf("%d mails; a verified address needs no verification", len(mails))
		}
	})
}

func TestAMagicLinkSignsInAndSetsLastLogin(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		token := h.askMagic(strings.ToUpper(owner.Email[:4]) + owner.Email[4:])
		h.advance(time.Minute)
		user := h.wantSignedIn(h.post("/magic-link/verify", body{"token": token}), owner.Email)
		if moment(t, user["lastLoginAt"]) != h.Clock.Now() {
			t.Errorf("last login %v", user["lastLoginAt"])
		}
		h.Want(h.login(owner.Email, owner.Password), 200) // who has verified keeps their password
	})
}

func TestAResetEndsEverySessionAndTheOldPassword(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		elsewhere, stranger := h.Login(owner.Email, owner.Password), h.Owner()
		magic, token := h.askMagic(owner.Email), h.askReset(owner.Email)
		answer := h.Want(h.post("/reset-password", body{"token": token, "newPassword": "a new password"}), 200).JSON(t)
		wantFields(t, answer, "message")
		if h.refreshes(owner.Refresh) || h.refreshes(elsewhere.Refresh) {
			t.Error("a session goes on")
		}
		if !h.refreshes(stranger.Refresh) {
			t.Error("somebody else's session ended")
		}
		h.Want(h.post("/magic-link/verify", body{"token": magic}), 400)
		h.Want(h.login(owner.Email, owner.Password), 401)
		h.wantSignedIn(h.login(owner.Email, "a new password"), owner.Email)
		if mails := h.Mail.Wait(t, owner.Email, 4); strings.Contains(mails[3].Text, "#token=") {
			t.Errorf("the last mail is no notice: %s", mails[3].Text)
		}
	})
}

func TestAResetRefusesWhatIsNotRight(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		token := h.askReset(owner.Email)
		h.run(t, []row{
			{"a short password", "/reset-password", body{"token": token, "newPassword": "1234567"}, 400, "password_bounds"},
			{"an empty password", "/reset-password", body{"token": token, "newPassword": ""}, 400, "password_bounds"},
			{"a long password", "/reset-password", body{"token": token, "newPassword": strings.Repeat("a", 257)}, 400, "password_bounds"},
			{"a very long password", "/reset-password", body{"token": token, "newPassword": strings.Repeat("a", 100_000)}, 400, "password_bounds"},
			{"a short password and no link", "/reset-password", body{"token": "x", "newPassword": "1234567"}, 400, ""},
			{"no password", "/reset-password", body{"token": token}, 422, "validation_failed"},
			{"password null", "/reset-password", null(body{"token": token}, "newPassword"), 422, "validation_failed"},
		})
		if !h.refreshes(owner.Refresh) {
			t.Error("a refused reset ended a session")
		}
		h.Want(h.post("/reset-password", body{"token": token, "newPassword": "12345678"}), 200)
		h.Want(h.login(owner.Email, "12345678"), 200)
	})
}

func TestDeactivatedUsersGetInByNoLink(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		member := h.Member(owner, "member")
		magic, reset := h.askMagic(member.Email), h.askReset(member.Email)
		h.Want(h.Call("POST", "/api/v1/users/"+member.ID+"/deactivate", owner.Access, nil), 200)
		h.Want(h.post("/magic-link/verify", body{"token": magic}), 400)
		h.Want(h.post("/reset-password", body{"token": reset, "newPassword": "a new password"}), 200)
		h.Want(h.login(member.Email, "a new password"), 401)
		h.Want(h.Call("POST", "/api/v1/users/"+member.ID+"/reactivate", owner.Access, nil), 200)
		h.Want(h.login(member.Email, "a new password"), 200)
	})
}

func TestAChangedEmailEndsOpenLinks(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, moved := h.Owner(), servertest.Email()
		magic, reset := h.askMagic(owner.Email), h.askReset(owner.Email)
		h.Want(h.Call("PATCH", "/api/v1/users/me", owner.Access, body{"email": moved}), 200)
		verify := h.Mail.Token(t, moved, "/verify-email")
		h.Want(h.post("/magic-link/verify", body{"token": magic}), 400)
		h.Want(h.post("/reset-password", body{"token": reset, "newPassword": "a new password"}), 400)
		h.Want(h.login(moved, owner.Password), 401)
		h.Want(h.login(owner.Email, owner.Password), 401)

		// Back again: the link that went to the address in between is void.
		h.Want(h.Call("PATCH", "/api/v1/users/me", owner.Access, body{"email": owner.Email}), 200)
		h.Want(h.post("/verify-email", body{"token": verify}), 400)
		h.Mail.Wait(t, owner.Email, 5) // verification, magic link, reset, notice, verification
		h.wantSignedIn(h.post("/verify-email", body{"token": h.Mail.Token(t, owner.Email, "/verify-email")}), owner.Email)
	})
}

// Somebody registers an address that is not theirs and waits. When its owner
// comes, by whichever link, nothing that was set before is left.
func TestWhoeverRegisteredAnAddressOfSomebodyElseIsLeftWithNothing(t *testing.T) {
	for _, k := range kinds[1:] {
		t.Run(k.name, func(t *testing.T) {
			each(t, func(t *testing.T, h house) {
				victim := h.Register(servertest.Email())
				early := h.Mail.Token(t, victim.Email, "/verify-email")
				h.Want(h.post(k.redeem, k.bodyWith(h.ask(k.ask, victim.Email, k.page))), 200)
				h.Want(h.login(victim.Email, victim.Password), 401)
				h.Want(h.post("/verify-email", body{"token": early}), 400)
				if n := h.number(`SELECT COUNT(*) FROM users WHERE is_verified`); n != 1 {
					t.Errorf("%d verified, want 1", n)
				}
				h.wantSignedIn(h.post("/magic-link/verify", body{"token": h.askMagic(victim.Email)}), victim.Email)
			})
		})
	}
}

// Somebody signed in moves to an address that is not theirs, keeps the session,
// and waits.
func TestWhoeverMovedToAnAddressOfSomebodyElseIsLeftWithNothing(t *testing.T) {
	for _, k := range kinds[1:] {
		t.Run(k.name, func(t *testing.T) {
			each(t, func(t *testing.T, h house) {
				attacker, victim := h.Owner(), servertest.Email()
				h.Want(h.Call("PATCH", "/api/v1/users/me", attacker.Access, body{"email": victim}), 200)
				h.Mail.Wait(t, victim, 1)
				h.Want(h.post(k.redeem, k.bodyWith(h.ask(k.ask, victim, k.page))), 200)
				h.Want(h.login(victim, attacker.Password), 401)
				if h.refreshes(attacker.Refresh) {
					t.Error("the session of the first owner goes on")
				}
			})
		})
	}
}

func TestASecondResetByAnOlderLinkIsRefused(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		var tokens []string
		for range 3 {
			tokens = append(tokens, h.askReset(owner.Email))
		}
		for i, token := range tokens {
			want := 400
			if i == 2 {
				want = 200
			}
			h.Want(h.post("/reset-password", body{"token": token, "newPassword": fmt.Sprint("password number ", i)}), want)
		}
		h.Want(h.login(owner.Email, "password number 2"), 200)
	})
}
