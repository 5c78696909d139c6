package auth_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

func TestLoginAnswersAPairAndSetsLastLogin(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		for _, email := range []string{owner.Email, strings.ToUpper(owner.Email), " " + owner.Email + " "} {
			h.advance(time.Minute)
			user := h.wantSignedIn(h.login(email, owner.Password), owner.Email)
			if at := moment(t, user["lastLoginAt"]); at != h.Clock.Now() {
				t.Errorf("last login at %v, want %v", at, h.Clock.Now())
			}
		}
		me := h.Want(h.Call("GET", "/api/v1/users/me", owner.Access, nil), 200).JSON(t)
		if moment(t, me["lastLoginAt"]) != h.Clock.Now() {
			t.Errorf("GET /users/me has last login %v", me["lastLoginAt"])
		}
	})
}

var requestID = regexp.MustCompile(`"requestId":"[^"]*"`)

// cases are users with whom nobody can sign in, and what is tried with them.
func (h house) cases() map[string]body {
	h.T.Helper()
	owner := h.Owner()
	unverified := h.Register(servertest.Email())
	deactivated := h.Member(owner, "member")
	h.Want(h.Call("POST", "/api/v1/users/"+deactivated.ID+"/deactivate", owner.Access, nil), 200)
	bare := h.Register(servertest.Email()) // a magic link leaves no password
	h.Want(h.post("/magic-link/verify", body{"token": h.askMagic(bare.Email)}), 200)
	return map[string]body{
		"unknown email":                   {"email": servertest.Email(), "password": servertest.Password},
		"wrong password":                  {"email": owner.Email, "password": "not the password"},
		"empty password":                  {"email": owner.Email, "password": ""},
		"empty password of unknown email": {"email": servertest.Email(), "password": ""},
		"unverified email":                {"email": unverified.Email, "password": unverified.Password},
		"unverified, wrong password":      {"email": unverified.Email, "password": "not the password"},
		"deactivated":                     {"email": deactivated.Email, "password": deactivated.Password},
		"deactivated, wrong password":     {"email": deactivated.Email, "password": "not the password"},
		"without a password":              {"email": bare.Email, "password": bare.Password},
		"without a password, none given":  {"email": bare.Email, "password": ""},
		"no address":                      {"email": "not an address", "password": servertest.Password},
		"no email at all":                 {"email": "", "password": servertest.Password},
		"a very long password":            {"email": owner.Email, "password": strings.Repeat("a", 100_000)},
	}
}

func TestRefusedLoginsHaveOneAnswer(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		var first []byte
		for name, b := range h.cases() {
			a := h.Want(h.post("/login", b), 401)
			answer := requestID.ReplaceAll(a.Body, nil)
			if first == nil {
				first = answer
			}
			if !bytes.Equal(first, answer) || a.Code() != "invalid_credentials" {
				t.Errorf("%s: %s\nanother: %s", name, answer, first)
			}
		}
	})
}

// Validation comes before anything is looked up, so it is the same for all.
func TestLoginsThatAreNoneHaveOneAnswer(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		for name, missing := range map[string]func(email string) any{
			"no password":        func(email string) any { return body{"email": email} },
			"password null":      func(email string) any { return null(body{"email": email}, "password") },
			"password a number":  func(email string) any { return body{"email": email, "password": 12345678} },
			"password an object": func(email string) any { return body{"email": email, "password": body{"$ne": ""}} },
			"email an array":     func(email string) any { return body{"email": []string{email}, "password": "x"} },
			"nothing":            func(string) any { return body{} },
		} {
			known := h.Want(h.post("/login", missing(owner.Email)), 422)
			unknown := h.Want(h.post("/login", missing("u"+owner.Email[1:]+"x")), 422)
			if !bytes.Equal(requestID.ReplaceAll(known.Body, nil), requestID.ReplaceAll(unknown.Body, nil)) {
				t.Errorf("%s: %s\nunknown: %s", name, known.Body, unknown.Body)
			}
		}
		h.run(t, []row{
			{"no email", "/login", body{"password": "x"}, 422, "validation_failed"},
			{"no body", "/login", nil, 422, "validation_failed"},
			{"no JSON", "/login", `{"email":`, 400, "bad_request"},
		})
	})
}

func TestAReactivatedUserCanLogInAgain(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		member := h.Member(owner, "member")
		h.Want(h.Call("POST", "/api/v1/users/"+member.ID+"/deactivate", owner.Access, nil), 200)
		h.Want(h.login(member.Email, member.Password), 401)
		h.Want(h.Call("POST", "/api/v1/users/"+member.ID+"/reactivate", owner.Access, nil), 200)
		h.Want(h.login(member.Email, member.Password), 200)
	})
}

func TestRefreshExchangesATokenOnce(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		answer := h.Want(h.post("/refresh", body{"refreshToken": owner.Refresh}), 200).JSON(t)
		wantFields(t, answer, "accessToken", "refreshToken")
		if answer["refreshToken"] == owner.Refresh || answer["accessToken"] == owner.Access {
			t.Error("the pair is not new")
		}
		h.Want(h.Call("GET", "/api/v1/users/me", fmt.Sprint(answer["accessToken"]), nil), 200)
		other := h.Owner()
		h.run(t, []row{
			{"used", "/refresh", body{"refreshToken": owner.Refresh}, 401, "invalid_refresh_token"},
			{"unknown", "/refresh", body{"refreshToken": strings.Repeat("A", 43)}, 401, "invalid_refresh_token"},
			{"garbage", "/refresh", body{"refreshToken": "garbage"}, 401, "invalid_refresh_token"},
			{"empty", "/refresh", body{"refreshToken": ""}, 401, "invalid_refresh_token"},
			{"very long", "/refresh", body{"refreshToken": strings.Repeat("A", 100_000)}, 401, "invalid_refresh_token"},
			{"an access token", "/refresh", body{"refreshToken": other.Access}, 401, "invalid_refresh_token"},
			{"missing", "/refresh", body{}, 422, "validation_failed"},
			{"null", "/refresh", null(body{}, "refreshToken"), 422, "validation_failed"},
			{"a number", "/refresh", body{"refreshToken": 7}, 422, "validation_failed"},
			{"no body", "/refresh", nil, 422, "validation_failed"},
		})
		if !h.refreshes(fmt.Sprint(answer["refreshToken"])) {
			t.Error("a replay at once cost the family")
		}
	})
}

func TestALateReplayEndsTheFamilyAndNoOther(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		elsewhere := h.Login(owner.Email, owner.Password)
		next := h.Want(h.post("/refresh", body{"refreshToken": owner.Refresh}), 200).JSON(t)
		h.advance(11 * time.Second)
		h.Want(h.post("/refresh", body{"refreshToken": owner.Refresh}), 401)
		if h.refreshes(fmt.Sprint(next["refreshToken"])) {
			t.Error("the family goes on after a late replay")
		}
		if !h.refreshes(elsewhere.Refresh) {
			t.Error("another session ended")
		}
	})
}

func TestARefreshTokenExpires(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		h.advance(30*24*time.Hour + time.Second)
		if h.refreshes(owner.Refresh) {
			t.Error("refreshed after 30 idle days")
		}
	})
}

func TestAnAccessTokenLivesFifteenMinutes(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		h.advance(14*time.Minute + 58*time.Second)
		h.Want(h.Call("GET", "/api/v1/users/me", owner.Access, nil), 200)
		h.advance(3 * time.Second)
		h.Want(h.Call("GET", "/api/v1/users/me", owner.Access, nil), 401)
	})
}

func TestLogoutEndsTheSessionAndIsSilentAboutTheRest(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		elsewhere := h.Login(owner.Email, owner.Password)
		if a := h.Want(h.post("/logout", body{"refreshToken": owner.Refresh}), 204); len(a.Body) > 0 {
			t.Errorf("body %q", a.Body)
		}
		if h.refreshes(owner.Refresh) || !h.refreshes(elsewhere.Refresh) {
			t.Error("the wrong sessions ended")
		}
		h.run(t, []row{
			{"again", "/logout", body{"refreshToken": owner.Refresh}, 204, ""},
			{"unknown", "/logout", body{"refreshToken": strings.Repeat("A", 43)}, 204, ""},
			{"garbage", "/logout", body{"refreshToken": "x"}, 204, ""},
			{"empty", "/logout", body{"refreshToken": ""}, 204, ""},
			{"missing", "/logout", body{}, 422, "validation_failed"},
			{"no body", "/logout", nil, 422, "validation_failed"},
		})
	})
}

// A login with the old password may come at the very moment of a reset. Whichever
// is first, no session of the old password outlives it.
func TestALoginThatRacesAResetLeavesNoSession(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		for round := range 6 {
			old, next := owner.Password, fmt.Sprintf("password of round %d", round)
			token := h.askReset(owner.Email)
			var (
				wg      sync.WaitGroup
				entered string
			)
			wg.Go(func() {
				if a := h.login(owner.Email, old); a.Status == 200 {
					entered = fmt.Sprint(a.JSON(t)["refreshToken"])
				}
			})
			wg.Go(func() { h.post("/reset-password", body{"token": token, "newPassword": next}) })
			wg.Wait()
			if entered != "" && h.refreshes(entered) {
				t.Fatal("a session of the old password goes on")
			}
			h.Want(h.login(owner.Email, old), 401)
			h.Want(h.login(owner.Email, next), 200)
			owner.Password = next
		}
	})
}

// The password is checked before the transaction that opens the session. What
// was right then need not be right any more.
func TestAPasswordThatIsReplacedDuringALoginOpensNothing(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, other := h.Owner(), h.Owner()
		answer := make(chan int)
		err := h.DB.InTx(t.Context(), func(tx database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE email = $1) WHERE email = $2`, other.Email, owner.Email)
			go func() { answer <- h.login(owner.Email, owner.Password).Status }()
			time.Sleep(300 * time.Millisecond) // for the login to come to the row that is held
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if status := <-answer; status != 401 {
			t.Errorf("status %d", status)
		}
		if n := h.number(`SELECT COUNT(*) FROM session`); n != 2 {
			t.Errorf("%d sessions, want the two of the registrations", n)
		}
		hashes, err := database.Collect(t.Context(), h.DB, database.Column[string], `SELECT DISTINCT password_hash FROM users`)
		if err != nil || len(hashes) != 1 {
			t.Errorf("the login put the old password back: %d hashes, %v", len(hashes), err)
		}
	})
}

// A deactivation ends all sessions, so none may be opened behind its back.
func TestAUserWhoIsDeactivatedDuringALoginGetsNoSession(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		member := h.Member(owner, "member")
		before := h.number(`SELECT COUNT(*) FROM session`)
		answer := make(chan int)
		err := h.DB.InTx(t.Context(), func(tx database.Tx) error {
			if _, err := tx.Exec(t.Context(), `UPDATE users SET updated_at = updated_at WHERE email = $1`, member.Email); err != nil {
				return err
			}
			go func() { answer <- h.login(member.Email, member.Password).Status }()
			time.Sleep(300 * time.Millisecond) // for the login to come to the row that is held
			_, err := tx.Exec(t.Context(), `UPDATE membership SET is_active = (1 = 0) WHERE user_id IN (SELECT id FROM users WHERE email = $1)`, member.Email)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if status := <-answer; status != 401 {
			t.Errorf("status %d", status)
		}
		if after := h.number(`SELECT COUNT(*) FROM session`); after != before {
			t.Errorf("%d sessions, want %d", after, before)
		}
	})
}
