package staff_test

import (
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

func TestLoginAnswersTokensAndTheMember(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		answer := h.Want(h.login(strings.ToUpper(ownerEmail), ownerPassword), 200).JSON(t)
		wantFields(t, answer, "accessToken", "refreshToken", "staff")
		staff, _ := answer["staff"].(map[string]any)
		wantStaffShape(t, staff)
		if staff["email"] != ownerEmail || staff["role"] != "owner" || staff["phone"] != nil || staff["isActive"] != true {
			t.Errorf("staff %v", staff)
		}
	})
}

func TestSignInRefusesAlikeWhateverIsWrong(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		h.Want(h.Call("POST", base+"/staff", owner.access, body{"name": "Pending", "email": "pending@staff.example.com", "role": "staff"}), 201)
		inactive := h.hire(owner, "staff")
		h.Want(h.Call("PATCH", base+"/staff/"+inactive.id+"/active", owner.access, body{"active": false}), 200)
		var first string
		for name, attempt := range map[string][2]string{
			"unknown address":              {"stranger@example.com", ownerPassword},
			"wrong password":               {ownerEmail, "not the password"},
			"empty password":               {ownerEmail, ""},
			"no password set":              {"pending@staff.example.com", ""},
			"inactive with wrong password": {inactive.email, "not the password"},
			"no address at all":            {"owner", ownerPassword},
		} {
			problem := h.Want(h.login(attempt[0], attempt[1]), 401).JSON(t)
			delete(problem, "requestId")
			words := problem["code"].(string) + problem["detail"].(string)
			if first == "" {
				first = words
			}
			if words != first {
				t.Errorf("%s: %s, others: %s", name, words, first)
			}
		}
		h.Want(h.login(inactive.email, inactive.password), 403)
	})
}

func TestSignInValidatesItsBody(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		h.run(t, []row{
			{"login without password", "POST", "/auth/login", "", body{"email": ownerEmail}, 422, "validation_failed"},
			{"login without email", "POST", "/auth/login", "", body{"password": "x"}, 422, "validation_failed"},
			{"login with a number", "POST", "/auth/login", "", body{"email": ownerEmail, "password": 12345678}, 422, ""},
			{"login without body", "POST", "/auth/login", "", nil, 422, ""},
			{"refresh without token", "POST", "/auth/refresh", "", body{}, 422, ""},
			{"refresh with an unknown token", "POST", "/auth/refresh", "", body{"refreshToken": "unknown"}, 401, "invalid_refresh_token"},
			{"refresh with a very long token", "POST", "/auth/refresh", "", body{"refreshToken": strings.Repeat("A", 100_000)}, 401, "invalid_refresh_token"},
			{"logout with a very long token", "POST", "/auth/logout", "", body{"refreshToken": strings.Repeat("A", 100_000)}, 204, ""},
			{"logout with an unknown token", "POST", "/auth/logout", "", body{"refreshToken": "unknown"}, 204, ""},
			{"logout without token", "POST", "/auth/logout", "", body{}, 422, ""},
			{"forgot without email", "POST", "/auth/forgot-password", "", body{}, 422, ""},
			{"reset without token", "POST", "/auth/reset-password", "", body{"newPassword": "long enough"}, 422, ""},
			{"reset with an unknown token", "POST", "/auth/reset-password", "", body{"token": "unknown", "newPassword": "long enough"}, 400, "invalid_link"},
			{"reset with a short password", "POST", "/auth/reset-password", "", body{"token": "unknown", "newPassword": "short"}, 400, "password_bounds"},
		})
	})
}

func TestAnyReplayEndsTheFamily(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		refresh := func(token string, status int) servertest.Answer {
			t.Helper()
			return h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": token}), status)
		}
		pair := refresh(owner.refresh, 200).JSON(t)
		wantFields(t, pair, "accessToken", "refreshToken")
		next := pair["refreshToken"].(string)
		h.Want(h.Call("GET", base+"/staff/me", pair["accessToken"].(string), nil), 200)
		refresh(owner.refresh, 401)
		refresh(next, 401)
	})
}

func TestSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		refresh := func(m member, status int) {
			t.Helper()
			h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": m.refresh}), status)
		}
		left := h.owner()
		h.Want(h.Call("POST", base+"/auth/logout", "", body{"refreshToken": left.refresh}), 204)
		refresh(left, 401)

		idle := h.owner()
		h.Clock.Advance(7*24*time.Hour - time.Second)
		kept := h.owner()
		h.Clock.Advance(2 * time.Second)
		refresh(idle, 401)
		refresh(kept, 200)

		h.Clock.Advance(15*time.Minute + time.Second)
		h.Want(h.Call("GET", base+"/staff/me", kept.access, nil), 401)
	})
}

// An access token outlives its session by minutes, but opens no way back in.
func TestTokenOfAnEndedSessionOpensNoWayIn(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		left := h.owner()
		plain := h.hire(left, "staff")
		h.Want(h.Call("POST", base+"/auth/logout", "", body{"refreshToken": left.refresh}), 204)
		h.run(t, []row{
			{"create", "POST", "/staff", left.access, body{"name": "A", "email": "a@staff.example.com", "role": "owner"}, 401, "invalid_token"},
			{"permit", "PATCH", "/staff/" + plain.id + "/permissions", left.access, body{"permissions": body{"crm": "admin"}}, 401, "invalid_token"},
			{"activate", "PATCH", "/staff/" + plain.id + "/active", left.access, body{"active": true}, 401, "invalid_token"},
		})
	})
}

func TestLockAfterTenFailures(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		fail := func(n int) {
			t.Helper()
			for range n {
				h.Want(h.login(ownerEmail, "not the password"), 401)
			}
		}
		fail(9)
		h.owner() // clears the count
		fail(9)
		h.Clock.Advance(15*time.Minute + time.Millisecond)
		fail(9) // those before are out of the window
		h.owner()

		fail(10)
		locked := h.Want(h.login(ownerEmail, ownerPassword), 401)
		if locked.Code() != "invalid_credentials" {
			t.Errorf("a locked sign-in answers %s", locked.Body)
		}
		h.Clock.Advance(15*time.Minute - time.Millisecond)
		h.Want(h.login(ownerEmail, ownerPassword), 401)
		h.Clock.Advance(time.Millisecond)
		h.owner()
	})
}

func TestWindowOfTheLockSlides(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		h.Want(h.login(ownerEmail, "wrong"), 401)
		h.Clock.Advance(14 * time.Minute)
		for range 5 {
			h.Want(h.login(ownerEmail, "wrong"), 401)
		}
		h.Clock.Advance(2 * time.Minute) // the first is out of the window
		for range 4 {
			h.Want(h.login(ownerEmail, "wrong"), 401)
		}
		h.owner()
	})
}

func TestWrongCurrentPasswordCountsTowardTheLock(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		change := func(current string, status int) {
			t.Helper()
			h.Want(h.Call("POST", base+"/staff/me/change-password", owner.access, body{"currentPassword": current, "newPassword": "another password"}), status)
		}
		for range 10 {
			change("not the password", 401)
		}
		change(ownerPassword, 401)
		h.Want(h.login(ownerEmail, ownerPassword), 401)
	})
}

func TestForgottenPasswordIsResetOnceByMail(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		before := h.owner()
		ask := func(email string) string {
			t.Helper()
			return h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": email}), 200).JSON(t)["message"].(string)
		}
		if known, unknown := ask(ownerEmail), ask("stranger@example.com"); known != unknown {
			t.Errorf("known %q, unknown %q", known, unknown)
		}
		token := h.Mail.Token(t, ownerEmail, "/admin/reset-password")
		reset := func(token, password string, status int) {
			t.Helper()
			h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": password}), status)
		}
		reset(token, "short", 400)
		reset(token, "a new password", 200)
		reset(token, "yet another one", 400)
		h.Want(h.login(ownerEmail, ownerPassword), 401)
		h.signIn(ownerEmail, "a new password")
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": before.refresh}), 401)
		if n := len(h.Mail.To("stranger@example.com")); n != 0 {
			t.Errorf("%d mails to a stranger", n)
		}
	})
}

func TestResetLinkExpiresAndEndsWithANewerOne(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		ask := func(nth int) string {
			t.Helper()
			h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
			h.Mail.Wait(t, ownerEmail, nth)
			return h.Mail.Token(t, ownerEmail, "/admin/reset-password")
		}
		reset := func(token string, status int) {
			t.Helper()
			h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "a new password"}), status)
		}
		older := ask(1)
		newer := ask(2)
		reset(older, 400)
		h.Clock.Advance(time.Hour)
		reset(newer, 400)
		last := ask(3)
		h.Clock.Advance(time.Hour - time.Millisecond)
		reset(last, 200)
	})
}

func TestResetLiftsTheLock(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		for range 10 {
			h.Want(h.login(ownerEmail, "wrong"), 401)
		}
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
		token := h.Mail.Token(t, ownerEmail, "/admin/reset-password")
		h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "a new password"}), 200)
		h.signIn(ownerEmail, "a new password")
	})
}

func TestInactiveMemberGetsNoResetMail(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		gone := h.hire(owner, "staff")
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": gone.email}), 200)
		token := h.Mail.Token(t, gone.email, "/admin/reset-password")
		h.Want(h.Call("PATCH", base+"/staff/"+gone.id+"/active", owner.access, body{"active": false}), 200)
		h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "a new password"}), 400)

		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": gone.email}), 200)
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
		h.Mail.Wait(t, ownerEmail, 1) // by then the mail before it would be there too, or on its way
		if n := len(h.Mail.To(gone.email)); n != 1 {
			t.Errorf("%d mails, want the first alone", n)
		}
	})
}

func TestMailsAreLimitedByRecipient(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		for _, email := range []string{ownerEmail, "stranger@example.com"} {
			for range 5 {
				h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": email}), 200)
			}
			refused := h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": strings.ToUpper(email)}), 429)
			if refused.Header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		}
		h.Clock.Advance(time.Hour)
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
	}, func(c *config.Config) { c.RateLimits = true })
}

func TestRealmsDoNotMix(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, customer := h.owner(), h.Owner()
		h.Want(h.Call("GET", base+"/staff/me", customer.Access, nil), 401)
		h.Want(h.Call("GET", base+"/accounts", customer.Access, nil), 401)
		h.Want(h.Call("GET", "/api/v1/users/me", owner.access, nil), 401)
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": customer.Refresh}), 401)
		h.Want(h.Call("POST", "/api/v1/auth/refresh", "", body{"refreshToken": owner.refresh}), 401)
		h.Want(h.Call("POST", base+"/auth/logout", "", body{"refreshToken": customer.Refresh}), 204)
		h.Want(h.Call("POST", "/api/v1/auth/logout", "", body{"refreshToken": owner.refresh}), 204)
		// Neither attempt has cost the other side its session.
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": owner.refresh}), 200)
		h.Want(h.Call("POST", "/api/v1/auth/refresh", "", body{"refreshToken": customer.Refresh}), 200)
		h.Want(h.login(customer.Email, customer.Password), 401)
		h.Want(h.Call("POST", "/api/v1/auth/login", "", body{"email": ownerEmail, "password": ownerPassword}), 401)

		// Links of one side are unknown to the other.
		h.Want(h.Call("POST", base+"/auth/forgot-password", "", body{"email": ownerEmail}), 200)
		h.Want(h.Call("POST", "/api/v1/auth/forgot-password", "", body{"email": customer.Email}), 200)
		ours, theirs := h.Mail.Token(t, ownerEmail, "/admin/reset-password"), h.Mail.Token(t, customer.Email, "/reset-password")
		h.Want(h.Call("POST", "/api/v1/auth/reset-password", "", body{"token": ours, "newPassword": "a new password"}), 400)
		h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": theirs, "newPassword": "a new password"}), 400)
	})
}

func TestStaffNamespaceHasItsListenerToItself(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		owner := h.owner()
		h.Want(h.Call("GET", base+"/staff/me", owner.access, nil), 200)
		h.Admin, h.URL = h.URL, h.Admin
		h.Want(h.Call("GET", base+"/staff/me", owner.access, nil), 404)
		h.Want(h.Call("GET", "/api/v1/users/me", owner.access, nil), 404)
	}, func(c *config.Config) { c.AdminListen = "127.0.0.1:0" })
}
