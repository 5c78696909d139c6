package team_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

func changeMe(s *servertest.Server, c servertest.Customer, body any) servertest.Answer {
	return s.Call("PATCH", "/api/v1/users/me", c.Access, body)
}

func TestProfileChanges(t *testing.T) {
	profileFields := slices.Sorted(slices.Values(append([]string{"phone", "profilePhotoUrl", "updatedAt"}, summaryFields...)))
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		type fields = map[string]any
		for _, c := range []struct {
			name   string
			body   any
			status int
			want   fields
		}{
			{"nothing", fields{}, 200, fields{"firstName": "Asha", "lastName": "Juma"}},
			{"names with space around them", fields{"firstName": " Zuri ", "lastName": "O'Neill-Ñandú"}, 200, fields{"firstName": "Zuri", "lastName": "O'Neill-Ñandú"}},
			{"a name of 100 characters", fields{"firstName": strings.Repeat("ü", 100)}, 200, fields{"firstName": strings.Repeat("ü", 100)}},
			{"a name of 101 characters", fields{"firstName": strings.Repeat("ü", 101)}, 422, nil},
			{"an empty name", fields{"lastName": ""}, 422, nil},
			{"null for a name", fields{"lastName": nil}, 422, nil},
			{"null for the address", fields{"email": nil}, 422, nil},
			{"what is no address", fields{"email": "nobody"}, 422, nil},
			{"two addresses", fields{"email": "a@example.com,b@example.com"}, 422, nil},
			{"a number as people write it", fields{"phone": "00254 712 345-678"}, 200, fields{"phone": "+254712345678"}},
			{"a number that can't be", fields{"phone": "+254 71"}, 422, nil},
			{"no number at all", fields{"phone": "call me"}, 422, nil},
			{"a number of another type", fields{"phone": 254712345678}, 422, nil},
			{"the same address in another case", fields{"email": strings.ToUpper(owner.Email)}, 200, fields{"email": strings.ToUpper(owner.Email), "isVerified": true}},
			{"somebody else's address in another case", fields{"email": strings.ToUpper(other.Email)}, 409, nil},
			{"fields that nobody gives themselves", fields{"role": "owner", "isVerified": true, "isActive": false, "accountId": other.AccountID, "id": other.ID}, 200, fields{"role": "owner", "isActive": true, "accountId": owner.AccountID, "id": owner.ID}},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := in(t, s)
				answer := s.Want(changeMe(s, owner, c.body), c.status)
				if c.want == nil {
					return
				}
				got := answer.JSON(t)
				for key, want := range c.want {
					if got[key] != want {
						t.Errorf("%s is %v, want %v", key, got[key], want)
					}
				}
			})
		}
		before := s.Want(s.Call("GET", "/api/v1/users/me", owner.Access, nil), 200).JSON(t)
		wantFields(t, before, profileFields)
		s.Clock.Advance(time.Minute)
		after := s.Want(changeMe(s, owner, map[string]any{"phone": nil}), 200).JSON(t)
		if _, there := after["phone"]; there || after["updatedAt"].(string) <= before["updatedAt"].(string) {
			t.Errorf("after null: %v", after)
		}
		if mails := s.Mail.To(owner.Email); len(mails) != 1 {
			t.Errorf("%d mails, want that of the registration only", len(mails))
		}
	})
}

func TestAChangedAddressIsVerifiedAnew(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		s.Want(s.Call("POST", "/api/v1/auth/magic-link", "", map[string]any{"email": owner.Email}), 200)
		magic := s.Mail.Token(t, owner.Email, "/magic-link")
		next := servertest.Email()
		changed := s.Want(changeMe(s, owner, map[string]any{"email": next}), 200).JSON(t)
		if changed["email"] != next || changed["isVerified"] != false {
			t.Errorf("changed: %v", changed)
		}
		old := s.Mail.Wait(t, owner.Email, 3) // registration, magic link, notice
		if notice := old[len(old)-1]; strings.Contains(notice.Text, next) {
			t.Errorf("the notice names the new address: %s", notice.Text)
		}
		s.Want(s.Call("POST", "/api/v1/auth/magic-link/verify", "", map[string]any{"token": magic}), 400)
		s.Want(login(s, owner.Email, owner.Password), 401)
		s.Want(login(s, next, owner.Password), 401)
		s.Want(s.Call("GET", "/api/v1/users/me", owner.Access, nil), 200)

		link := s.Mail.Token(t, next, "/verify-email")
		s.Want(s.Call("POST", "/api/v1/auth/verify-email", "", map[string]any{"token": link}), 200)
		if me := s.Login(next, owner.Password); me.ID != owner.ID {
			t.Errorf("signed in as %s", me.ID)
		}
		// The old address is free for someone new.
		s.Register(owner.Email)
	})
}

func TestMailsToANewAddressAreBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		victim, other := servertest.Email(), servertest.Email()
		for i := range 5 {
			s.Want(changeMe(s, owner, map[string]any{"email": victim}), 200)
			if i < 4 {
				s.Want(changeMe(s, owner, map[string]any{"email": other}), 200)
			}
		}
		s.Want(changeMe(s, owner, map[string]any{"email": other}), 200)
		refused := s.Want(changeMe(s, owner, map[string]any{"email": victim}), 429)
		if refused.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		s.Want(changeMe(s, owner, map[string]any{"lastName": "Achieng"}), 200)
	}, func(c *config.Config) { c.RateLimits = true })
}

func changePassword(s *servertest.Server, access, current, next string) servertest.Answer {
	return s.Call("PATCH", "/api/v1/users/me/password", access, map[string]any{"currentPassword": current, "newPassword": next})
}

func TestNobodyCallsManyAddressesTheirOwn(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for range 10 {
			s.Want(changeMe(s, owner, map[string]any{"email": servertest.Email()}), 200)
		}
		s.Want(changeMe(s, owner, map[string]any{"email": servertest.Email()}), 429)
	}, func(c *config.Config) { c.RateLimits = true })
}

func TestAChangedPasswordEndsEveryOtherSession(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		other := s.Login(owner.Email, owner.Password)
		for name, c := range map[string]struct {
			body   any
			status int
		}{
			"a wrong current password": {map[string]any{"currentPassword": "not this one", "newPassword": "another password"}, 401},
			"an empty current one":     {map[string]any{"currentPassword": "", "newPassword": "another password"}, 401},
			"a short new one":          {map[string]any{"currentPassword": owner.Password, "newPassword": "1234567"}, 400},
			"a long new one":           {map[string]any{"currentPassword": owner.Password, "newPassword": strings.Repeat("a", 257)}, 400},
			"no new one":               {map[string]any{"currentPassword": owner.Password}, 422},
			"no current one":           {map[string]any{"newPassword": "another password"}, 422},
			"null":                     {map[string]any{"currentPassword": nil, "newPassword": nil}, 422},
		} {
			t.Run("refuses "+name, func(t *testing.T) {
				s := in(t, s)
				s.Want(s.Call("PATCH", "/api/v1/users/me/password", owner.Access, c.body), c.status)
			})
		}
		if done := s.Want(changePassword(s, owner.Access, owner.Password, "another password"), 204); len(done.Body) != 0 {
			t.Errorf("body: %s", done.Body)
		}
		s.Want(refresh(s, other), 401)
		s.Want(refresh(s, owner), 200)
		s.Want(login(s, owner.Email, owner.Password), 401)
		s.Login(owner.Email, "another password")
		s.Mail.Wait(t, owner.Email, 2)

		// What a thief may still hold opens nothing that lasts.
		for name, answer := range map[string]servertest.Answer{
			"move":            s.Call("POST", "/api/v1/accounts/switch", other.Access, map[string]any{"accountId": owner.AccountID}),
			"take the mail":   changeMe(s, other, map[string]any{"email": servertest.Email()}),
			"change it again": changePassword(s, other.Access, "another password", "a third password"),
		} {
			if answer.Status != http.StatusUnauthorized {
				t.Errorf("an ended session could %s: %d", name, answer.Status)
			}
		}
	})
}

func TestAUserWithoutAPasswordHasNoneToChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		err := s.DB.InTx(t.Context(), func(tx database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE users SET password_hash = NULL WHERE id = $1`, userID(t, owner.ID))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, current := range []string{"", owner.Password} {
			s.Want(changePassword(s, owner.Access, current, "another password"), 401)
		}
	})
}

func TestGuessesAtTheCurrentPasswordAreBounded(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for i := range 10 {
			s.Want(changePassword(s, owner.Access, fmt.Sprintf("guess number %d", i), "another password"), 401)
		}
		s.Want(changePassword(s, owner.Access, owner.Password, "another password"), 429)
		s.Clock.Advance(14 * time.Minute)
		s.Want(changePassword(s, owner.Access, owner.Password, "another password"), 429)
		owner = s.Login(owner.Email, owner.Password)
		s.Clock.Advance(2 * time.Minute)
		s.Want(changePassword(s, owner.Access, owner.Password, "another password"), 204)
	}, func(c *config.Config) { c.RateLimits = true })
}
