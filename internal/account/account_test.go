package account_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/server/servertest"
)

var (
	accountFields   = []string{"address", "city", "country", "createdAt", "id", "name", "state", "status", "timezone", "type", "zipCode"}
	belongingFields = []string{"accountId", "accountName", "accountStatus", "isCurrent", "role", "userId"}
	reducedFields   = []string{"email", "firstName", "id", "lastName", "role"}
)

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

// moved reads the answer of switch or create into the customer who asked.
func moved(t *testing.T, c servertest.Customer, answer servertest.Answer) servertest.Customer {
	t.Helper()
	body := answer.JSON(t)
	user, _ := body["user"].(map[string]any)
	wantFields(t, user, reducedFields)
	if user["id"] != c.ID || user["email"] != c.Email {
		t.Fatalf("user: %v", user)
	}
	c.Access, c.Refresh = fmt.Sprint(body["accessToken"]), fmt.Sprint(body["refreshToken"])
	if org, ok := body["account"].(map[string]any); ok {
		c.AccountID = fmt.Sprint(org["id"])
	}
	return c
}

func create(s *servertest.Server, c servertest.Customer, name string) servertest.Customer {
	s.T.Helper()
	return moved(s.T, c, s.Want(s.Call("POST", "/api/v1/accounts", c.Access, map[string]any{"name": name}), 201))
}

func switchTo(s *servertest.Server, c servertest.Customer, org string) servertest.Customer {
	s.T.Helper()
	c = moved(s.T, c, s.Want(s.Call("POST", "/api/v1/accounts/switch", c.Access, map[string]any{"accountId": org}), 200))
	c.AccountID = org
	return c
}

func refresh(s *servertest.Server, c servertest.Customer) servertest.Answer {
	return s.Call("POST", "/api/v1/auth/refresh", "", map[string]any{"refreshToken": c.Refresh})
}

func accountOf(s *servertest.Server, access string) string {
	s.T.Helper()
	return fmt.Sprint(s.Want(s.Call("GET", "/api/v1/users/me", access, nil), 200).JSON(s.T)["accountId"])
}

func TestCreateMakesAnOrganizationAndMovesThere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		before := s.Owner()
		elsewhere := s.Login(before.Email, before.Password) // a second device in the same organization
		answer := s.Want(s.Call("POST", "/api/v1/accounts/", before.Access, map[string]any{"name": "  Second shop "}), 201)
		body := answer.JSON(t)
		wantFields(t, body, []string{"accessToken", "account", "refreshToken", "user"})
		org := body["account"].(map[string]any)
		wantFields(t, org, []string{"id", "name"})
		after := moved(t, before, answer)
		if org["name"] != "Second shop" || org["id"] == before.AccountID || body["user"].(map[string]any)["role"] != "owner" {
			t.Fatalf("created: %s", answer.Body)
		}

		var billing, owner id.Of[any]
		var balance int64
		var currency string
		target, err := id.Parse[any](after.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.QueryRow(t.Context(), `SELECT a.billing_account_id, c.balance, c.currency, m.user_id FROM account a
			JOIN credit c ON c.account_id = a.id JOIN membership m ON m.account_id = a.id WHERE a.id = $1`, target).Scan(&billing, &balance, &currency, &owner)
		if err != nil || billing != target || balance != 0 || currency != "KES" || owner.String() != before.ID {
			t.Fatalf("stored: %v %v %v %v %v", billing, balance, currency, owner, err)
		}

		for name, c := range map[string]servertest.Customer{"the session that moved": before, "another device": elsewhere} {
			if got := refresh(s, c); got.Status != http.StatusUnauthorized {
				t.Errorf("refresh token of the organization left, %s: %d", name, got.Status)
			}
		}
		if got := accountOf(s, before.Access); got != before.AccountID {
			t.Errorf("the old access token shows %s", got)
		}
		s.Want(refresh(s, after), 200)
		if again := s.Login(before.Email, before.Password); again.AccountID != after.AccountID {
			t.Errorf("signed in to %s next, want %s", again.AccountID, after.AccountID)
		}
		all := s.Want(s.Call("GET", "/api/v1/accounts", after.Access, nil), 200).Array(t)
		if len(all) != 2 || all[0]["accountId"] != before.AccountID || all[0]["isCurrent"] != false || all[1]["isCurrent"] != true ||
			all[1]["accountName"] != "Second shop" || all[1]["accountStatus"] != "active" || all[1]["role"] != "owner" || all[1]["userId"] != before.ID {
			t.Errorf("organizations: %v", all)
		}
		wantFields(t, all[0], belongingFields)
	})
}

func TestNamesAreUniqueAmongTheCallersOwnOrganizations(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		member := s.Member(owner, "member")
		create(s, owner, "Écurie")
		for _, c := range []struct {
			name   string
			access string
			body   any
			status int
		}{
			{"the same name", owner.Access, map[string]any{"name": "Écurie"}, 409},
			{"in another case and with space", owner.Access, map[string]any{"name": " éCURIE "}, 409},
			{"the name given at registration", owner.Access, map[string]any{"name": "org of " + owner.Email}, 409},
			{"somebody else's name", other.Access, map[string]any{"name": "Écurie"}, 201},
			{"the name of an organization one only works for", member.Access, map[string]any{"name": "Org of " + owner.Email}, 201},
			{"an empty name", owner.Access, map[string]any{"name": ""}, 422},
			{"a blank name", owner.Access, map[string]any{"name": " \t"}, 422},
			{"no name", owner.Access, map[string]any{}, 422},
			{"no body", owner.Access, nil, 422},
			{"a name of 101 characters", owner.Access, map[string]any{"name": fmt.Sprintf("%0101d", 1)}, 422},
			{"no token", "", map[string]any{"name": "Mine"}, 401},
		} {
			t.Run(c.name, func(t *testing.T) { in(t, s).Want(s.Call("POST", "/api/v1/accounts", c.access, c.body), c.status) })
		}
	})
}

func TestOfManyRequestsForOneNameOneWins(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		const callers = 8
		statuses := make([]int, callers)
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				name := []string{"Duka", "DUKA", " duka "}[i%3]
				statuses[i] = s.Call("POST", "/api/v1/accounts", owner.Access, map[string]any{"name": name}).Status
			})
		}
		wg.Wait()
		slices.Sort(statuses)
		want := slices.Repeat([]int{409}, callers)
		want[0] = 201
		if !slices.Equal(statuses, want) {
			t.Errorf("statuses %v", statuses)
		}
	})
}

func TestSwitch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		first, stranger := s.Owner(), s.Owner()
		second := create(s, first, "Second")
		for _, c := range []struct {
			name   string
			body   any
			status int
		}{
			{"an organization of others", map[string]any{"accountId": stranger.AccountID}, 403},
			{"an organization that does not exist", map[string]any{"accountId": id.New[any]().String()}, 403},
			{"no id", map[string]any{}, 422},
			{"null", map[string]any{"accountId": nil}, 422},
			{"what is no id", map[string]any{"accountId": "first"}, 422},
			{"a number", map[string]any{"accountId": 5}, 422},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := in(t, s)
				s.Want(s.Call("POST", "/api/v1/accounts/switch", second.Access, c.body), c.status)
			})
		}
		back := switchTo(s, second, first.AccountID)
		if got := accountOf(s, back.Access); got != first.AccountID {
			t.Errorf("switched to %s", got)
		}
		s.Want(refresh(s, second), 401)
		if got := accountOf(s, second.Access); got != second.AccountID {
			t.Errorf("the old access token shows %s", got)
		}
		if again := s.Login(first.Email, first.Password); again.AccountID != first.AccountID {
			t.Errorf("signed in to %s next", again.AccountID)
		}
		// To where one is already: the tokens are new, the old refresh token is not good.
		same := switchTo(s, back, first.AccountID)
		s.Want(refresh(s, back), 401)
		s.Want(refresh(s, same), 200)
	})
}

// An access token would outlive its session by minutes, in which a thief could
// make himself a way back.
func TestAnEndedSessionsAccessTokenIsWorthNothing(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		owner := s.Owner()
		s.Want(s.Call("POST", "/api/v1/auth/logout", "", map[string]any{"refreshToken": owner.Refresh}), 204)
		s.Want(s.Call("GET", "/api/v1/users/me", owner.Access, nil), 401)
		s.Want(s.Call("POST", "/api/v1/accounts/switch", owner.Access, map[string]any{"accountId": owner.AccountID}), 401)
		s.Want(s.Call("POST", "/api/v1/accounts", owner.Access, map[string]any{"name": "Another"}), 401)
		// A session that was left by a switch is not ended, until its successor is.
		owner = s.Login(owner.Email, owner.Password)
		second := create(s, owner, "Second")
		s.Want(s.Call("GET", "/api/v1/users/me", owner.Access, nil), 200)
		s.Want(s.Call("POST", "/api/v1/auth/logout", "", map[string]any{"refreshToken": second.Refresh}), 204)
		s.Want(s.Call("POST", "/api/v1/accounts/switch", owner.Access, map[string]any{"accountId": second.AccountID}), 401)
	})
}

// Whoever stole a refresh token can't get away from its replay by a switch.
func TestALateReplayEndsASessionThatMovedOn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		thief := owner
		thief.Refresh = fmt.Sprint(s.Want(refresh(s, owner), 200).JSON(t)["refreshToken"])
		thief = create(s, thief, "Second")
		s.Clock.Advance(11 * time.Second)
		s.Want(refresh(s, owner), 401)
		s.Want(refresh(s, thief), 401)
		s.Want(s.Call("GET", "/api/v1/users/me", thief.Access, nil), 401)
	})
}

func TestAChangedPasswordEndsOtherSessionsAtOnce(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		here := s.Owner()
		there := s.Login(here.Email, here.Password)
		s.Want(s.Call("GET", "/api/v1/users/me", there.Access, nil), 200)
		s.Want(s.Call("PATCH", "/api/v1/users/me/password", here.Access, map[string]any{"currentPassword": here.Password, "newPassword": "another password"}), 204)
		s.Want(s.Call("POST", "/api/v1/users/invite", there.Access, map[string]any{
			"firstName": "Way", "lastName": "Back", "email": servertest.Email(), "password": "a way back in", "role": "admin",
		}), 401)
		s.Want(s.Call("GET", "/api/v1/users/me", here.Access, nil), 200)
	})
}

func TestMembersOfASuspendedOrganizationMayLookAndMoveAway(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		free := s.Owner()
		owner := create(s, free, "Suspended")
		org, _ := id.Parse[any](owner.AccountID)
		err := s.DB.InTx(t.Context(), func(tx database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE account SET status = 'suspended' WHERE id = $1`, org)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Second)
		for _, c := range []struct {
			method, path string
			body         any
			status       int
		}{
			{"GET", "/api/v1/users/me", nil, 200},
			{"GET", "/api/v1/accounts", nil, 200},
			{"GET", "/api/v1/accounts/me", nil, 200},
			{"PATCH", "/api/v1/accounts/me", map[string]any{"name": "Free"}, 403},
			{"GET", "/api/v1/accounts/me/audit", nil, 403},
			{"GET", "/api/v1/users", nil, 403},
			{"POST", "/api/v1/accounts/switch", map[string]any{"accountId": free.AccountID}, 200},
			{"POST", "/api/v1/accounts", map[string]any{"name": "Third"}, 201},
		} {
			t.Run(c.method+" "+c.path, func(t *testing.T) { in(t, s).Want(s.Call(c.method, c.path, owner.Access, c.body), c.status) })
		}
	})
}

func TestHistoryIsPagedAndForLeadersOfTheOrganization(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		admin, member := s.Member(owner, "admin"), s.Member(owner, "member")
		s.Want(s.Call("PATCH", "/api/v1/accounts/me", admin.Access, map[string]any{"name": "New name", "city": "Mombasa", "country": "KE"}), 200)
		for _, access := range []string{owner.Access, admin.Access} {
			page := s.Want(s.Call("GET", "/api/v1/accounts/me/audit?pageSize=2", access, nil), 200).JSON(t)
			wantFields(t, page, []string{"entries", "page", "pageSize", "total"})
			entries := page["entries"].([]any)
			newest := entries[0].(map[string]any)
			wantFields(t, newest, []string{"action", "actor", "actorId", "actorKind", "at", "id", "ip", "target", "userAgent"})
			if len(entries) != 2 || page["page"] != 1.0 || page["pageSize"] != 2.0 || page["total"].(float64) < 5 ||
				newest["action"] != "account.updated" || newest["actor"] != admin.Email || newest["target"] != "name, city" {
				t.Errorf("history: %v", page)
			}
		}
		last := s.Want(s.Call("GET", "/api/v1/accounts/me/audit?page=1000", owner.Access, nil), 200).JSON(t)
		if len(last["entries"].([]any)) != 0 {
			t.Errorf("beyond the end: %v", last)
		}
		theirs := s.Want(s.Call("GET", "/api/v1/accounts/me/audit?pageSize=100", stranger.Access, nil), 200)
		for _, one := range theirs.JSON(t)["entries"].([]any) {
			if one.(map[string]any)["actor"] != stranger.Email {
				t.Errorf("a stranger sees %v", one)
			}
		}
		s.Want(s.Call("GET", "/api/v1/accounts/me/audit", member.Access, nil), 403)
		s.Want(s.Call("GET", "/api/v1/accounts/me/audit?pageSize=101", owner.Access, nil), 422)
		s.Want(s.Call("GET", "/api/v1/accounts/me/audit?page=0", owner.Access, nil), 422)
	})
}
