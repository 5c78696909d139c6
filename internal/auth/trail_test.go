package auth_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
	"ujumbe/internal/server/servertest"
)

// trail reads what an organization's owner sees of its trail, oldest first, as
// "who action target from".
func (h house) trail(access string) []string {
	h.T.Helper()
	answer := h.Want(h.Call("GET", "/api/v1/accounts/me/audit?pageSize=100", access, nil), 200).JSON(h.T)
	var lines []string
	for key, value := range answer {
		all, ok := value.([]any)
		if !ok {
			continue
		}
		for _, one := range all {
			entry, ok := one.(body)
			if !ok || entry["at"] == nil || entry["ip"] == nil {
				h.T.Fatalf("%s: %v", key, one)
			}
			lines = append(lines, fmt.Sprintf("%v %v %v %v from %v", entry["actorKind"], entry["actor"], entry["action"], entry["target"], entry["ip"]))
		}
	}
	slices.Reverse(lines)
	return lines
}

func TestTheTrailTellsOfSignInsFailuresAndResets(t *testing.T) {
	eachLimited(t, func(t *testing.T, h house) {
		owner, other := h.Owner(), h.Owner()
		h.Want(h.login(owner.Email, owner.Password, from(here)...), 200)
		h.Want(h.login(owner.Email, "not the password", from(elsewhere)...), 401)
		h.Want(h.post("/magic-link/verify", body{"token": h.askMagic(owner.Email)}, from(here)...), 200)
		h.Want(h.post("/reset-password", body{"token": h.askReset(owner.Email), "newPassword": "a new password"}, from(here)...), 200)
		now := h.Want(h.login(owner.Email, "a new password", from(here)...), 200).JSON(t)
		h.Want(h.post("/refresh", body{"refreshToken": now["refreshToken"]}, from(here)...), 200)
		h.advance(time.Minute)
		h.Want(h.post("/refresh", body{"refreshToken": now["refreshToken"]}, from(elsewhere)...), 401)
		h.Want(h.login(servertest.Email(), "not the password", from(elsewhere)...), 401)

		want := []string{
			"user " + owner.Email + " user.registered Org of " + owner.Email + " from 127.0.0.1",
			"user " + owner.Email + " user.email_verified by verification link from 127.0.0.1",
			"user " + owner.Email + " session.signed_in by verification link from 127.0.0.1",
			"user " + owner.Email + " session.signed_in by password from " + here,
			"stranger " + owner.Email + " session.sign_in_failed by password from " + elsewhere,
			"user " + owner.Email + " session.signed_in by magic link from " + here,
			"user " + owner.Email + " user.password_reset by mailed link from " + here,
			"user " + owner.Email + " session.signed_in by password from " + here,
			"system  session.ended_by_replay " + owner.Email + " from " + elsewhere,
			"user " + owner.Email + " session.signed_in by password from " + here,
		}
		access := fmt.Sprint(h.Want(h.login(owner.Email, "a new password", from(here)...), 200).JSON(t)["accessToken"])
		if got := h.trail(access); !slices.Equal(got, want) {
			t.Errorf("trail:\n%v\nwant:\n%v", got, want)
		}
		if got := h.trail(other.Access); len(got) != 3 {
			t.Errorf("the other organization's trail: %v", got)
		}
		// What nobody is known to have done is the platform's to see.
		if n := h.number(`SELECT COUNT(*) FROM audit WHERE account_id = $1`, id.Of[house]{}); n != 1 {
			t.Errorf("%d entries of no organization, want 1", n)
		}
	})
}

// Somebody removed from an organization fails to sign in: that is none of its
// business any more.
func TestFailuresStandInTheTrailOfAnOrganizationTheUserBelongsTo(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		member := h.Member(owner, "member")
		created := h.Want(h.Call("POST", "/api/v1/accounts", member.Access, body{"name": "Own"}), 201).JSON(t)
		switched := h.Want(h.Call("POST", "/api/v1/accounts/switch", fmt.Sprint(created["accessToken"]), body{"accountId": owner.AccountID}), 200).JSON(t)
		if switched["accessToken"] == "" {
			t.Fatal(switched)
		}
		h.Want(h.Call("DELETE", "/api/v1/users/"+member.ID, owner.Access, nil), 204)
		before := len(h.trail(owner.Access))
		h.Want(h.login(member.Email, "not the password"), 401)
		if after := h.trail(owner.Access); len(after) != before {
			t.Errorf("the trail of the organization left: %v", after[before:])
		}
		own := h.Login(member.Email, member.Password)
		if !slices.ContainsFunc(h.trail(own.Access), func(line string) bool {
			return line == "stranger "+member.Email+" session.sign_in_failed by password from 127.0.0.1"
		}) {
			t.Error("the failure is in no trail")
		}
	})
}

func TestAServerSweepsWhatIsOver(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		long := clock.System{}.Now().Add(-time.Hour)
		subject := id.New[house]()
		err := db.InTx(t.Context(), func(tx database.Tx) error {
			for _, s := range []struct {
				text string
				args []any
			}{
				{`INSERT INTO session (id, realm, subject_id, family, created_at, ends_at) VALUES ($1, 'customer', $1, $1, $2, $2)`, []any{subject, long}},
				{`INSERT INTO refresh_token (hash, session_id, expires_at) VALUES ($1, $2, $3)`, []any{[]byte("refresh"), subject, long}},
				{`INSERT INTO one_time_token (hash, purpose, subject_id, email_key, created_at, expires_at) VALUES ($1, 'magic_link', $2, 'x', $3, $3)`, []any{[]byte("link"), subject, long}},
				{`INSERT INTO one_time_token (hash, purpose, subject_id, email_key, created_at, expires_at, used_at) VALUES ($1, 'verify_email', $2, 'x', $3, $4, $3)`, []any{[]byte("used"), subject, long, long.Add(24 * time.Hour)}},
				{`INSERT INTO rate_limit (key, count, reset_at) VALUES ($1, 1, $2)`, []any{[]byte("key"), long}},
			} {
				if _, err := tx.Exec(t.Context(), s.text, s.args...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		h := house{servertest.Start(t, db)}
		for _, table := range []string{"refresh_token", "session", "one_time_token", "rate_limit"} {
			for deadline := time.Now().Add(20 * time.Second); h.number(`SELECT COUNT(*) FROM `+table) > 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%s was not swept", table)
				}
			}
		}
	})
}
