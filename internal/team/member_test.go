package team_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ujumbe/internal/account"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/server/servertest"
)

// join makes a user a member of one more organization, as an accepted
// invitation does.
func join(s *servertest.Server, org, user servertest.Customer, role account.Role) {
	s.T.Helper()
	err := s.DB.InTx(s.T.Context(), func(tx database.Tx) error {
		return account.NewStore(s.DB, s.Clock).Join(s.T.Context(), tx, accountID(s.T, org.AccountID), userID(s.T, user.ID), role)
	})
	if err != nil {
		s.T.Fatal(err)
	}
}

func accountID(t *testing.T, text string) account.ID {
	t.Helper()
	parsed, err := id.Parse[account.Account](text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func userID(t *testing.T, text string) account.UserID {
	t.Helper()
	parsed, err := id.Parse[account.Member](text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func login(s *servertest.Server, email, password string) servertest.Answer {
	return s.Call("POST", "/api/v1/auth/login", "", map[string]any{"email": email, "password": password})
}

func refresh(s *servertest.Server, c servertest.Customer) servertest.Answer {
	return s.Call("POST", "/api/v1/auth/refresh", "", map[string]any{"refreshToken": c.Refresh})
}

// switchTo moves a customer to another organization of theirs.
func switchTo(s *servertest.Server, c servertest.Customer, org string) servertest.Customer {
	s.T.Helper()
	body := s.Want(s.Call("POST", "/api/v1/accounts/switch", c.Access, map[string]any{"accountId": org}), 200).JSON(s.T)
	c.AccountID, c.Access, c.Refresh = org, fmt.Sprint(body["accessToken"]), fmt.Sprint(body["refreshToken"])
	return c
}

// The access table of the contract, endpoint by role. A role that may call an
// endpoint gets another answer than 403 for a user who does not exist.
func TestAccessByRole(t *testing.T) {
	const nobody = "/api/v1/users/01980d5e-7c1a-7000-8000-5b1f0c8e2a11"
	endpoints := []struct {
		method, path         string
		body                 any
		member, admin, owner int
	}{
		{"GET", "/api/v1/users/me", nil, 200, 200, 200},
		{"PATCH", "/api/v1/users/me", map[string]any{}, 200, 200, 200},
		{"PATCH", "/api/v1/users/me/password", map[string]any{"currentPassword": "wrong password", "newPassword": "another password"}, 401, 401, 401},
		{"POST", "/api/v1/users/me/photo", nil, 400, 400, 400},
		{"GET", "/api/v1/users", nil, 200, 200, 200},
		{"GET", "/api/v1/users?includeInactive=true", nil, 403, 403, 200},
		{"POST", "/api/v1/users/invite", map[string]any{}, 403, 422, 422},
		{"PATCH", nobody + "/role", map[string]any{"role": "admin"}, 403, 403, 404},
		{"POST", nobody + "/deactivate", nil, 403, 403, 404},
		{"POST", nobody + "/reactivate", nil, 403, 403, 404},
		{"POST", nobody + "/reset-password", map[string]any{"newPassword": "another password"}, 403, 403, 404},
		{"DELETE", nobody, nil, 403, 403, 404},
		{"GET", "/api/v1/users/invitations", nil, 403, 200, 200},
		{"POST", "/api/v1/users/invitations", map[string]any{}, 403, 422, 422},
		{"DELETE", "/api/v1/users/invitations/01980d5e-7c1a-7000-8000-5b1f0c8e2a11", nil, 403, 404, 404},
	}
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		admin, member := s.Member(owner, "admin"), s.Member(owner, "member")
		for _, e := range endpoints {
			for role, c := range map[string]struct {
				access string
				status int
			}{
				"member": {member.Access, e.member}, "admin": {admin.Access, e.admin}, "owner": {owner.Access, e.owner},
				"stranger": {"", 401}, "forger": {"e30.e30.e30", 401},
			} {
				t.Run(fmt.Sprintf("%s %s as %s", e.method, e.path, role), func(t *testing.T) {
					s := in(t, s)
					s.Want(s.Call(e.method, e.path, c.access, e.body), c.status)
				})
			}
		}
	})
}

func TestOwnersMayNotActOnThemselvesOnOwnersOrOnOthers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		theirs := s.Member(stranger, "member")
		password := map[string]any{"newPassword": "another password"}
		for _, c := range []struct {
			name, method, path string
			body               any
			status             int
		}{
			{"own role", "PATCH", owner.ID + "/role", map[string]any{"role": "member"}, 400},
			{"own activity", "POST", owner.ID + "/deactivate", nil, 400},
			{"own password", "POST", owner.ID + "/reset-password", password, 400},
			{"own membership", "DELETE", owner.ID, nil, 400},
			{"own activity, which is there already", "POST", owner.ID + "/reactivate", nil, 200},
			{"the role of another organization's user", "PATCH", theirs.ID + "/role", map[string]any{"role": "admin"}, 404},
			{"the activity of another organization's user", "POST", theirs.ID + "/deactivate", nil, 404},
			{"the return of another organization's user", "POST", theirs.ID + "/reactivate", nil, 404},
			{"the password of another organization's user", "POST", theirs.ID + "/reset-password", password, 404},
			{"another organization's user", "DELETE", theirs.ID, nil, 404},
			{"what is no id", "DELETE", "somebody", nil, 422},
		} {
			t.Run(c.name, func(t *testing.T) {
				in(t, s).Want(s.Call(c.method, "/api/v1/users/"+c.path, owner.Access, c.body), c.status)
			})
		}
		s.Want(s.Call("GET", "/api/v1/users/me", theirs.Access, nil), 200)
	})
}

// No route makes a second owner; the rules protect one all the same.
func TestASecondOwnerIsBeyondTheFirst(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		owner, second := s.Owner(), s.Owner()
		join(s, owner, second, account.Owner)
		for _, c := range []struct{ method, path string }{
			{"PATCH", "/role"}, {"POST", "/deactivate"}, {"POST", "/reset-password"}, {"DELETE", ""},
		} {
			body := map[string]any{"role": "member", "newPassword": "another password"}
			s.Want(s.Call(c.method, "/api/v1/users/"+second.ID+c.path, owner.Access, body), 400)
		}
	})
}

func TestRoleBitesAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		user := s.Member(owner, "member")
		path := "/api/v1/users/" + user.ID + "/role"
		s.Want(s.Call("POST", "/api/v1/users/invite", user.Access, invitee(nil)), 403)
		changed := s.Want(s.Call("PATCH", path, owner.Access, map[string]any{"role": "admin"}), 200).JSON(t)
		wantFields(t, changed, summaryFields)
		if changed["role"] != "admin" || changed["id"] != user.ID {
			t.Errorf("changed: %v", changed)
		}
		s.Want(s.Call("POST", "/api/v1/users/invite", user.Access, invitee(nil)), 201)
		s.Want(s.Call("PATCH", path, owner.Access, map[string]any{"role": "member"}), 200)
		s.Want(s.Call("POST", "/api/v1/users/invite", user.Access, invitee(nil)), 403)
		for name, body := range map[string]any{
			"owner": map[string]any{"role": "owner"}, "unknown": map[string]any{"role": "boss"}, "none": map[string]any{}, "null": map[string]any{"role": nil},
		} {
			t.Run("refuses the role "+name, func(t *testing.T) { in(t, s).Want(s.Call("PATCH", path, owner.Access, body), 422) })
		}
	})
}

func TestADeactivatedUserIsOutUntilReactivated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		user := s.Member(owner, "admin")
		gone := s.Want(s.Call("POST", "/api/v1/users/"+user.ID+"/deactivate", owner.Access, nil), 200).JSON(t)
		wantFields(t, gone, summaryFields)
		if gone["isActive"] != false {
			t.Errorf("deactivated: %v", gone)
		}
		s.Want(s.Call("GET", "/api/v1/users/me", user.Access, nil), 401)
		s.Want(refresh(s, user), 401)
		s.Want(login(s, user.Email, user.Password), 401)
		if team := s.Want(s.Call("GET", "/api/v1/users", owner.Access, nil), 200).Array(t); len(team) != 1 {
			t.Errorf("team without them: %v", team)
		}
		all := s.Want(s.Call("GET", "/api/v1/users?includeInactive=true", owner.Access, nil), 200).Array(t)
		if len(all) != 2 || all[1]["id"] != user.ID || all[1]["isActive"] != false {
			t.Errorf("team with them: %v", all)
		}
		s.Want(s.Call("POST", "/api/v1/users/"+user.ID+"/deactivate", owner.Access, nil), 200)

		back := s.Want(s.Call("POST", "/api/v1/users/"+user.ID+"/reactivate", owner.Access, nil), 200).JSON(t)
		wantFields(t, back, summaryFields)
		if back["isActive"] != true || back["role"] != "admin" {
			t.Errorf("reactivated: %v", back)
		}
		s.Want(refresh(s, user), 401) // the old session stays ended
		s.Login(user.Email, user.Password)
	})
}

func TestDeactivationStaysInItsOrganization(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		first, second := s.Owner(), s.Owner()
		user := s.Member(first, "member")
		join(s, second, user, account.Admin)
		there := switchTo(s, s.Login(user.Email, user.Password), second.AccountID)
		s.Want(s.Call("POST", "/api/v1/users/"+user.ID+"/deactivate", first.Access, nil), 200)
		s.Want(s.Call("GET", "/api/v1/users/me", there.Access, nil), 200)
		s.Want(refresh(s, there), 200)
		s.Want(s.Call("POST", "/api/v1/accounts/switch", there.Access, map[string]any{"accountId": first.AccountID}), 403)
		if again := s.Login(user.Email, user.Password); again.AccountID != second.AccountID {
			t.Errorf("signed in to %s", again.AccountID)
		}
		if all := s.Want(s.Call("GET", "/api/v1/accounts", there.Access, nil), 200).Array(t); len(all) != 1 || all[0]["accountId"] != second.AccountID {
			t.Errorf("organizations: %v", all)
		}
	})
}

func TestRemovalTakesThePersonWithTheLastMembershipOnly(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		first, second := s.Owner(), s.Owner()
		user := s.Member(first, "member")
		join(s, second, user, account.PlainMember)
		there := switchTo(s, s.Login(user.Email, user.Password), second.AccountID)

		s.Want(s.Call("DELETE", "/api/v1/users/"+user.ID, first.Access, nil), 204)
		s.Want(s.Call("DELETE", "/api/v1/users/"+user.ID, first.Access, nil), 404)
		s.Want(s.Call("GET", "/api/v1/users/me", user.Access, nil), 401)
		s.Want(s.Call("GET", "/api/v1/users/me", there.Access, nil), 200)
		s.Want(s.Call("POST", "/api/v1/users/invite", first.Access, invitee(map[string]any{"email": user.Email})), 409)

		s.Want(s.Call("DELETE", "/api/v1/users/"+user.ID, second.Access, nil), 204)
		s.Want(s.Call("GET", "/api/v1/users/me", there.Access, nil), 401)
		s.Want(refresh(s, there), 401)
		s.Want(login(s, user.Email, user.Password), 401)
		s.Want(s.Call("POST", "/api/v1/users/invite", first.Access, invitee(map[string]any{"email": user.Email})), 201)
	})
}

func TestAPasswordIsResetOnlyForAUserOfThisOrganizationAlone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, second := s.Owner(), s.Owner()
		user := s.Member(owner, "member")
		path := "/api/v1/users/" + user.ID + "/reset-password"
		for name, c := range map[string]struct {
			body   any
			status int
		}{
			"too short":                  {map[string]any{"newPassword": "1234567"}, 400},
			"too short in characters":    {map[string]any{"newPassword": "éééé"}, 400},
			"too long":                   {map[string]any{"newPassword": strings.Repeat("a", 257)}, 400},
			"far too long":               {map[string]any{"newPassword": strings.Repeat("a", 100_000)}, 400},
			"missing":                    {map[string]any{}, 422},
			"empty, which is also short": {map[string]any{"newPassword": ""}, 400},
		} {
			t.Run(name, func(t *testing.T) { in(t, s).Want(s.Call("POST", path, owner.Access, c.body), c.status) })
		}
		answer := s.Want(s.Call("POST", path, owner.Access, map[string]any{"newPassword": "another password"}), 200).JSON(t)
		wantFields(t, answer, []string{"message"})
		s.Want(refresh(s, user), 401)
		s.Want(login(s, user.Email, user.Password), 401)
		s.Login(user.Email, "another password")
		s.Mail.Wait(t, user.Email, 1)

		join(s, second, user, account.PlainMember)
		for _, by := range []servertest.Customer{owner, second} {
			if got := s.Want(s.Call("POST", path, by.Access, map[string]any{"newPassword": "a third password"}), 400); got.Code() != "user_is_shared" {
				t.Errorf("code %q", got.Code())
			}
		}
		s.Login(user.Email, "another password")
	})
}

// Removing somebody from the last organization while they make one of their own
// must not leave the new one without an owner.
func TestNoticesOfAResetPasswordAreBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		member := s.Member(owner, "member")
		for range 7 {
			s.Want(s.Call("POST", "/api/v1/users/"+member.ID+"/reset-password", owner.Access, map[string]any{"newPassword": "another password"}), 200)
		}
		s.Want(login(s, member.Email, "another password"), 200)
		waitForJobs(s)
		if told := len(s.Mail.To(member.Email)); told != 5 {
			t.Errorf("told %d times, want 5", told)
		}
	}, func(c *config.Config) { c.RateLimits = true })
}

func TestRemovalAndANewOrganizationAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for range 5 {
			user := s.Member(owner, "member")
			var wg sync.WaitGroup
			var removed, created servertest.Answer
			wg.Go(func() { removed = s.Call("DELETE", "/api/v1/users/"+user.ID, owner.Access, nil) })
			wg.Go(func() { created = s.Call("POST", "/api/v1/accounts", user.Access, map[string]any{"name": "Mine"}) })
			wg.Wait()
			if removed.Status != http.StatusNoContent || created.Status != http.StatusCreated && created.Status != http.StatusUnauthorized {
				t.Fatalf("removed %d, created %d: %s", removed.Status, created.Status, created.Body)
			}
			if created.Status == http.StatusCreated {
				s.Want(s.Call("GET", "/api/v1/users/me", fmt.Sprint(created.JSON(t)["accessToken"]), nil), 200)
			}
		}
		var orphans int
		err := s.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM account a WHERE NOT EXISTS (
			SELECT 1 FROM membership m WHERE m.account_id = a.id AND m.role = 'owner' AND m.is_active)`).Scan(&orphans)
		if err != nil || orphans != 0 {
			t.Errorf("%d organizations without an owner, %v", orphans, err)
		}
	})
}

// While others keep asking, a change is never overtaken by what was read before
// it: the very next request after the answer feels it.
func TestDeactivationIsFeltAmidstRequests(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		user := s.Member(owner, "member")
		done := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						s.Call("GET", "/api/v1/users/me", user.Access, nil)
					}
				}
			})
		}
		for range 20 {
			for action, status := range map[string]int{"/deactivate": 401, "/reactivate": 200} {
				changed := s.Call("POST", "/api/v1/users/"+user.ID+action, owner.Access, nil)
				if got := s.Call("GET", "/api/v1/users/me", user.Access, nil); changed.Status != http.StatusOK || got.Status != status {
					t.Errorf("after %s (%d): %d, want %d", action, changed.Status, got.Status, status)
				}
			}
		}
		close(done)
		wg.Wait()
	})
}
