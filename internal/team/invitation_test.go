package team_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

const invitations = "/api/v1/users/invitations"

func invite(s *servertest.Server, by servertest.Customer, email, role string) servertest.Answer {
	return s.Call("POST", invitations, by.Access, map[string]any{"email": email, "role": role})
}

func accept(s *servertest.Server, token string) servertest.Answer {
	return s.Call("POST", invitations+"/accept", "", map[string]any{"token": token})
}

// waitForJobs returns when nothing is left to be done in the background.
func waitForJobs(s *servertest.Server) {
	s.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var waiting int
		if err := s.DB.QueryRow(s.T.Context(), `SELECT COUNT(*) FROM job WHERE failed_at IS NULL`).Scan(&waiting); err != nil {
			s.T.Fatal(err)
		}
		if waiting == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("%d jobs are still waiting", waiting)
		}
	}
}

func TestAnInvitationMakesAUserAMemberOfOneMoreOrganization(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, guest := s.Owner(), s.Owner()
		admin := s.Member(owner, "admin")
		sent := s.Want(invite(s, admin, strings.ToUpper(guest.Email), "admin"), 201).JSON(t)
		wantFields(t, sent, []string{"createdAt", "email", "expiresAt", "id", "invitedBy", "role"})
		open := s.Want(s.Call("GET", invitations, owner.Access, nil), 200).Array(t)
		if len(open) != 1 || fmt.Sprint(open[0]) != fmt.Sprint(sent) || sent["invitedBy"] != admin.Email || sent["role"] != "admin" {
			t.Errorf("open: %v, sent: %v", open, sent)
		}
		s.Want(s.Call("POST", "/api/v1/accounts/switch", guest.Access, map[string]any{"accountId": owner.AccountID}), 403)

		link := s.Mail.Token(t, guest.Email, "/invitation")
		joined := s.Want(accept(s, link), 200).JSON(t)
		wantFields(t, joined, []string{"account", "message", "role"})
		if joined["account"].(map[string]any)["id"] != owner.AccountID || joined["role"] != "admin" {
			t.Errorf("joined: %v", joined)
		}
		s.Want(accept(s, link), 400)
		there := switchTo(s, guest, owner.AccountID)
		if me := s.Want(s.Call("GET", "/api/v1/users/me", there.Access, nil), 200).JSON(t); me["role"] != "admin" || me["id"] != guest.ID {
			t.Errorf("there: %v", me)
		}
		if open := s.Want(s.Call("GET", invitations, owner.Access, nil), 200).Array(t); len(open) != 0 {
			t.Errorf("still open: %v", open)
		}
		s.Want(invite(s, owner, guest.Email, "member"), 409)
		s.Want(s.Call("POST", "/api/v1/users/"+guest.ID+"/deactivate", owner.Access, nil), 200)
		if got := s.Want(invite(s, owner, guest.Email, "member"), 409); got.Code() != "member_deactivated" {
			t.Errorf("code %q", got.Code())
		}
		s.Login(guest.Email, guest.Password) // their own password still is
	})
}

func TestInvitationRefuses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, guest := s.Owner(), s.Owner()
		member := s.Member(owner, "member")
		for _, c := range []struct {
			name        string
			by          servertest.Customer
			email, role string
			status      int
		}{
			{"the role of an owner", owner, guest.Email, "owner", 422},
			{"an unknown role", owner, guest.Email, "boss", 422},
			{"what is no address", owner, "guest", "member", 422},
			{"a member of the organization", owner, member.Email, "admin", 409},
			{"oneself", owner, owner.Email, "admin", 409},
			{"a caller who is a member", member, guest.Email, "member", 403},
			{"an unknown address no less than a known one", owner, servertest.Email(), "member", 201},
		} {
			t.Run(c.name, func(t *testing.T) { in(t, s).Want(invite(s, c.by, c.email, c.role), c.status) })
		}
		for name, token := range map[string]string{"an unknown token": strings.Repeat("A", 43), "what is no token": "token", "nothing": ""} {
			t.Run(name, func(t *testing.T) { in(t, s).Want(accept(s, token), 400) })
		}
		s.Want(s.Call("POST", invitations+"/accept", "", map[string]any{}), 422)
	})
}

func TestOnlyAVerifiedUserIsMailed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, verified := s.Owner(), s.Owner()
		unverified, unknown := s.Register(servertest.Email()), servertest.Email()
		for _, email := range []string{unknown, unverified.Email, verified.Email} {
			s.Want(invite(s, owner, email, "member"), 201)
		}
		s.Mail.Token(t, verified.Email, "/invitation")
		waitForJobs(s)
		if got := s.Mail.To(unknown); len(got) != 0 {
			t.Errorf("mailed an unknown address: %v", got)
		}
		for _, one := range s.Mail.To(unverified.Email) {
			if strings.Contains(one.Text, "/invitation#") {
				t.Errorf("mailed an unverified user: %v", one)
			}
		}
		if open := s.Want(s.Call("GET", invitations, owner.Access, nil), 200).Array(t); len(open) != 3 {
			t.Errorf("open: %v", open)
		}
	})
}

func TestAnInvitationEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		send := func(role string) (servertest.Customer, string, string) {
			guest := s.Owner()
			sent := s.Want(invite(s, owner, guest.Email, role), 201).JSON(t)
			return guest, fmt.Sprint(sent["id"]), s.Mail.Token(t, guest.Email, "/invitation")
		}
		t.Run("when it is withdrawn", func(t *testing.T) {
			s := in(t, s)
			_, id, link := send("member")
			s.Want(s.Call("DELETE", invitations+"/"+id, stranger.Access, nil), 404)
			s.Want(s.Call("DELETE", invitations+"/"+id, owner.Access, nil), 204)
			s.Want(s.Call("DELETE", invitations+"/"+id, owner.Access, nil), 404)
			s.Want(accept(s, link), 400)
		})
		t.Run("when a newer one replaces it", func(t *testing.T) {
			s := in(t, s)
			guest, _, link := send("admin")
			s.Want(invite(s, owner, guest.Email, "member"), 201)
			mails := s.Mail.Wait(t, guest.Email, 3)
			s.Want(accept(s, link), 400)
			_, rest, _ := strings.Cut(mails[2].Text, "/invitation#token=")
			if joined := s.Want(accept(s, strings.Fields(rest)[0]), 200).JSON(t); joined["role"] != "member" {
				t.Errorf("joined: %v", joined)
			}
		})
		t.Run("when the guest's address changes", func(t *testing.T) {
			s := in(t, s)
			guest, _, link := send("member")
			s.Want(changeMe(s, guest, map[string]any{"email": servertest.Email()}), 200)
			s.Want(accept(s, link), 400)
		})
		t.Run("after seven days", func(t *testing.T) {
			s := in(t, s)
			_, _, good := send("member")
			_, _, late := send("member")
			s.Clock.Advance(7*24*time.Hour - time.Minute)
			s.Want(accept(s, good), 200)
			s.Clock.Advance(2 * time.Minute)
			s.Want(accept(s, late), 400)
			owner = s.Login(owner.Email, owner.Password)
			if open := s.Want(s.Call("GET", invitations, owner.Access, nil), 200).Array(t); len(open) != 0 {
				t.Errorf("still open: %v", open)
			}
		})
	})
}

func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, guest := s.Owner(), s.Owner()
		s.Want(invite(s, owner, guest.Email, "member"), 201)
		link := s.Mail.Token(t, guest.Email, "/invitation")
		statuses := make([]int, 8)
		var wg sync.WaitGroup
		for i := range statuses {
			wg.Go(func() { statuses[i] = accept(s, link).Status })
		}
		wg.Wait()
		won := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				won++
			}
		}
		if won != 1 {
			t.Errorf("statuses %v", statuses)
		}
	})
}

// The colleague who chose a user's password knows it. It must not open the next
// organization that the user joins, nor may a session that was opened by it.
func TestAGivenPasswordDoesNotComeAlong(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		first, second := s.Owner(), s.Owner()
		user := s.Member(first, "member") // the colleague holds this session
		s.Want(changePassword(s, user.Access, user.Password, "changed by the same"), 204)
		s.Want(invite(s, second, user.Email, "admin"), 201)
		s.Want(accept(s, s.Mail.Token(t, user.Email, "/invitation")), 200)

		s.Want(s.Call("POST", "/api/v1/accounts/switch", user.Access, map[string]any{"accountId": second.AccountID}), 401)
		s.Want(refresh(s, user), 401)
		s.Want(login(s, user.Email, "changed by the same"), 401)
		s.Want(s.Call("POST", "/api/v1/users/"+user.ID+"/reset-password", first.Access, map[string]any{"newPassword": "another password"}), 400)

		link := s.Mail.Token(t, user.Email, "/reset-password")
		s.Want(s.Call("POST", "/api/v1/auth/reset-password", "", map[string]any{"token": link, "newPassword": "a password of my own"}), 200)
		switchTo(s, s.Login(user.Email, "a password of my own"), second.AccountID)

		// A password of one's own does.
		third := s.Owner()
		s.Want(invite(s, third, user.Email, "member"), 201)
		mails := s.Mail.Wait(t, user.Email, 5)
		_, rest, _ := strings.Cut(mails[len(mails)-1].Text, "/invitation#token=")
		s.Want(accept(s, strings.Fields(rest)[0]), 200)
		s.Login(user.Email, "a password of my own")
	})
}

func TestMailedInvitationsAreBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		guest := servertest.Email()
		var by servertest.Customer
		for range 5 {
			by = s.Owner()
			s.Want(invite(s, by, guest, "member"), 201)
		}
		s.Want(invite(s, by, guest, "member"), 429)
		s.Want(invite(s, by, servertest.Email(), "member"), 201)

		email := servertest.Email()
		for i := range 6 {
			answer := s.Call("POST", "/api/v1/users/invite", by.Access, invitee(map[string]any{"email": email, "sendInvitation": true}))
			if i == 5 {
				s.Want(answer, 429)
				break
			}
			user := s.Want(answer, 201).JSON(t)
			s.Want(s.Call("DELETE", fmt.Sprintf("/api/v1/users/%v", user["id"]), by.Access, nil), 204)
		}
	}, func(c *config.Config) { c.RateLimits = true })
}

func TestAnInvitedUserIsToldOnDemand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		quiet, told := servertest.Email(), servertest.Email()
		s.Want(s.Call("POST", "/api/v1/users/invite", owner.Access, invitee(map[string]any{"email": quiet, "sendInvitation": false})), 201)
		s.Want(s.Call("POST", "/api/v1/users/invite", owner.Access, invitee(map[string]any{"email": told, "sendInvitation": true})), 201)
		letter := s.Mail.Wait(t, told, 1)[0]
		if !strings.Contains(letter.Text, "http://localhost:8080/login") || !strings.Contains(letter.Text, "Asha") || strings.Contains(letter.Text, servertest.Password) {
			t.Errorf("letter: %s", letter.Text)
		}
		waitForJobs(s)
		if got := s.Mail.To(quiet); len(got) != 0 {
			t.Errorf("mailed without being asked: %v", got)
		}
	})
}
