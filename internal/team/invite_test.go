package team_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

// invitee is the body of a good invitation, with changes.
func invitee(changes map[string]any) map[string]any {
	body := map[string]any{
		"firstName": "Baraka", "lastName": "Otieno", "email": servertest.Email(), "password": servertest.Password, "role": "member",
	}
	for key, value := range changes {
		if value == nil {
			delete(body, key)
		} else {
			body[key] = value
		}
	}
	return body
}

// summaryFields is the subset of a user that lists and invitations show.
var summaryFields = []string{
	"accountId", "createdAt", "email", "firstName", "id", "isActive", "isVerified", "lastLoginAt", "lastName", "role",
}

func wantFields(t *testing.T, object map[string]any, want []string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, want) {
		t.Fatalf("fields %v, want %v", got, want)
	}
}

// in makes a subtest's failures its own.
func in(t *testing.T, s *servertest.Server) *servertest.Server {
	inner := *s
	inner.T = t
	return &inner
}

func TestAnInvitedUserCanSignInAtOnceAndIsListed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		body := invitee(map[string]any{"role": "admin"})
		user := s.Want(s.Call("POST", "/api/v1/users/invite", owner.Access, body), 201).JSON(t)
		wantFields(t, user, summaryFields)
		if user["accountId"] != owner.AccountID || user["role"] != "admin" || user["isVerified"] != true || user["isActive"] != true || user["lastLoginAt"] != nil {
			t.Fatalf("invited user: %v", user)
		}
		s.Login(body["email"].(string), servertest.Password)
		all := s.Want(s.Call("GET", "/api/v1/users/", owner.Access, nil), 200).Array(t)
		if len(all) != 2 || all[0]["id"] != owner.ID || all[1]["id"] != user["id"] || all[1]["lastLoginAt"] == nil {
			t.Fatalf("team: %v", all)
		}
		wantFields(t, all[1], summaryFields)
	})
}

// An invitation waits for its hash; who was let in before that may be out by then.
func TestAnAdminWhoIsOutMeanwhileInvitesNobody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for name, change := range map[string]struct {
			statement string
			status    int
		}{
			"deactivated": {`UPDATE membership SET is_active = (1 = 0) WHERE user_id = $1`, 401},
			"demoted":     {`UPDATE membership SET role = 'member' WHERE user_id = $1`, 403},
		} {
			admin := s.Member(owner, "admin")
			answer := make(chan int)
			body := invitee(nil)
			err := s.DB.InTx(t.Context(), func(tx database.Tx) error {
				if err := account.NewStore(s.DB, s.Clock).Hold(t.Context(), tx, userID(t, admin.ID)); err != nil {
					return err
				}
				go func() { answer <- s.Call("POST", "/api/v1/users/invite", admin.Access, body).Status }()
				time.Sleep(300 * time.Millisecond) // for the invitation to come to the row that is held
				_, err := tx.Exec(t.Context(), change.statement, userID(t, admin.ID))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := <-answer; got != change.status {
				t.Errorf("%s: %d, want %d", name, got, change.status)
			}
			s.Want(login(s, body["email"].(string), servertest.Password), 401)
		}
	})
}

func TestInviteRefuses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		member := s.Member(owner, "member")
		for name, c := range map[string]struct {
			access string
			change map[string]any
			status int
		}{
			"the role of an owner":                     {owner.Access, map[string]any{"role": "owner"}, 422},
			"an unknown role":                          {owner.Access, map[string]any{"role": "root"}, 422},
			"no role":                                  {owner.Access, map[string]any{"role": nil}, 422},
			"no password":                              {owner.Access, map[string]any{"password": nil}, 422},
			"a short password":                         {owner.Access, map[string]any{"password": "1234567"}, 422},
			"an empty first name":                      {owner.Access, map[string]any{"firstName": "  "}, 422},
			"a long last name":                         {owner.Access, map[string]any{"lastName": strings.Repeat("é", 101)}, 422},
			"a line break in a name":                   {owner.Access, map[string]any{"lastName": "a\nb"}, 422},
			"no address":                               {owner.Access, map[string]any{"email": "nobody"}, 422},
			"a registered address in another case":     {owner.Access, map[string]any{"email": strings.ToUpper(other.Email)}, 409},
			"a member, before looking at the body":     {member.Access, map[string]any{"email": nil}, 403},
			"a caller without a token, before looking": {"", map[string]any{"email": nil}, 401},
		} {
			t.Run(name, func(t *testing.T) {
				s := in(t, s)
				s.Want(s.Call("POST", "/api/v1/users/invite", c.access, invitee(c.change)), c.status)
			})
		}
	})
}
