package team_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/server/servertest"
)

// A check costs dozens of requests and hashes; `-rapid.checks` asks for more.
func init() { _ = flag.Set("rapid.checks", "8") }

// Any callers, with any tokens they ever held, may do anything in any order: the
// answers are those of a simple model, and so an organization always has an
// active owner, nobody acts where they are no active member, and a refresh token
// of an organization that was left is dead.
func TestMembershipsFollowTheModel(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		rapid.Check(t, func(r *rapid.T) {
			w := &world{s: s, members: map[string]map[string]*place{}}
			for range 2 {
				owner := s.Owner()
				w.members[owner.AccountID] = map[string]*place{owner.ID: {"owner", true}}
				w.tokens = append(w.tokens, &holding{owner, true})
			}
			r.Repeat(map[string]func(*rapid.T){
				"invite":     w.invite,
				"join":       w.join,
				"role":       w.role,
				"deactivate": w.deactivate,
				"reactivate": w.reactivate,
				"remove":     w.remove,
				"create":     w.create,
				"switch":     w.switchTo,
				"refresh":    w.refresh,
				"":           w.check,
			})
		})
	})
}

// world is what the model knows.
type world struct {
	s       *servertest.Server
	members map[string]map[string]*place // organization, user
	tokens  []*holding
}

type place struct {
	role   string
	active bool
}

// holding is a pair that somebody was given. It is never thrown away.
type holding struct {
	servertest.Customer
	refreshable bool
}

// standing is the active place that a pair stands for, or nil.
func (w *world) standing(h *holding) *place {
	if p := w.members[h.AccountID][h.ID]; p != nil && p.active {
		return p
	}
	return nil
}

// leave kills the refresh tokens of a user in an organization.
func (w *world) leave(org, user string) {
	for _, h := range w.tokens {
		if h.AccountID == org && h.ID == user {
			h.refreshable = false
		}
	}
}

func (w *world) caller(r *rapid.T) *holding { return rapid.SampledFrom(w.tokens).Draw(r, "caller") }

func (w *world) want(r *rapid.T, what string, got servertest.Answer, status int) bool {
	r.Helper()
	if got.Status != status {
		r.Fatalf("%s: status %d, the model says %d: %s", what, got.Status, status, got.Body)
	}
	return status < 300
}

func (w *world) invite(r *rapid.T) {
	by, role := w.caller(r), rapid.SampledFrom([]string{"admin", "member"}).Draw(r, "role")
	status, body := http.StatusCreated, invitee(map[string]any{"role": role})
	switch p := w.standing(by); {
	case p == nil:
		status = http.StatusUnauthorized
	case p.role == "member":
		status = http.StatusForbidden
	}
	if w.want(r, "invite", w.s.Call("POST", "/api/v1/users/invite", by.Access, body), status) {
		user := w.s.Login(fmt.Sprint(body["email"]), servertest.Password)
		w.members[by.AccountID][user.ID] = &place{role, true}
		w.tokens = append(w.tokens, &holding{user, true})
	}
}

// join has somebody accept an invitation to an organization they may not be in.
func (w *world) join(r *rapid.T) {
	by, guest := w.caller(r), w.caller(r)
	if w.standing(by) == nil || !w.exists(guest.ID) || w.members[by.AccountID][guest.ID] != nil {
		return
	}
	join(w.s, by.Customer, guest.Customer, "member")
	w.members[by.AccountID][guest.ID] = &place{"member", true}
}

func (w *world) exists(user string) bool {
	for _, org := range w.members {
		if org[user] != nil {
			return true
		}
	}
	return false
}

// manage calls a route of owners on some user and returns whom it met.
func (w *world) manage(r *rapid.T, method, action string, body any, done int, spares bool) (org, user string, p *place) {
	by, target := w.caller(r), w.caller(r)
	met := w.members[by.AccountID][target.ID]
	status := done
	switch p := w.standing(by); {
	case p == nil:
		status = http.StatusUnauthorized
	case p.role != "owner":
		status = http.StatusForbidden
	case met == nil:
		status = http.StatusNotFound
	case met.role == "owner" && spares:
		status = http.StatusBadRequest
	}
	if w.want(r, method+action, w.s.Call(method, "/api/v1/users/"+target.ID+action, by.Access, body), status) {
		return by.AccountID, target.ID, met
	}
	return "", "", nil
}

func (w *world) role(r *rapid.T) {
	role := rapid.SampledFrom([]string{"admin", "member"}).Draw(r, "role")
	if _, _, p := w.manage(r, "PATCH", "/role", map[string]any{"role": role}, 200, true); p != nil {
		p.role = role
	}
}

func (w *world) deactivate(r *rapid.T) {
	if org, user, p := w.manage(r, "POST", "/deactivate", nil, 200, true); p != nil {
		p.active = false
		w.leave(org, user)
	}
}

func (w *world) reactivate(r *rapid.T) {
	if _, _, p := w.manage(r, "POST", "/reactivate", nil, 200, false); p != nil {
		p.active = true
	}
}

func (w *world) remove(r *rapid.T) {
	if org, user, p := w.manage(r, "DELETE", "", nil, 204, true); p != nil {
		delete(w.members[org], user)
		w.leave(org, user)
	}
}

// moved keeps the pair that a caller was given for another organization.
func (w *world) moved(r *rapid.T, by *holding, org string, answer servertest.Answer) {
	var body struct{ AccessToken, RefreshToken string }
	decode(r, answer, &body)
	w.leave(by.AccountID, by.ID)
	next := by.Customer
	next.AccountID, next.Access, next.Refresh = org, body.AccessToken, body.RefreshToken
	w.tokens = append(w.tokens, &holding{next, true})
}

func (w *world) create(r *rapid.T) {
	by, status := w.caller(r), http.StatusCreated
	if w.standing(by) == nil {
		status = http.StatusUnauthorized
	}
	answer := w.s.Call("POST", "/api/v1/accounts", by.Access, map[string]any{"name": servertest.Email()})
	if w.want(r, "create", answer, status) {
		var body struct{ Account struct{ ID string } }
		decode(r, answer, &body)
		w.members[body.Account.ID] = map[string]*place{by.ID: {"owner", true}}
		w.moved(r, by, body.Account.ID, answer)
	}
}

func (w *world) switchTo(r *rapid.T) {
	by, status := w.caller(r), http.StatusOK
	org := rapid.SampledFrom(slices.Sorted(maps.Keys(w.members))).Draw(r, "organization")
	switch p := w.members[org][by.ID]; {
	case w.standing(by) == nil:
		status = http.StatusUnauthorized
	case p == nil || !p.active:
		status = http.StatusForbidden
	}
	answer := w.s.Call("POST", "/api/v1/accounts/switch", by.Access, map[string]any{"accountId": org})
	if w.want(r, "switch", answer, status) {
		w.moved(r, by, org, answer)
	}
}

func (w *world) refresh(r *rapid.T) {
	h, status := w.caller(r), http.StatusUnauthorized
	if h.refreshable && w.standing(h) != nil {
		status = http.StatusOK
	}
	answer := refresh(w.s, h.Customer)
	if w.want(r, "refresh", answer, status) {
		var body struct{ AccessToken, RefreshToken string }
		decode(r, answer, &body)
		h.Access, h.Refresh = body.AccessToken, body.RefreshToken
	}
}

// check looks at what must hold at any time.
func (w *world) check(r *rapid.T) {
	h := w.caller(r)
	status := http.StatusOK
	if w.standing(h) == nil {
		status = http.StatusUnauthorized
	}
	answer := w.s.Call("GET", "/api/v1/users/me", h.Access, nil)
	if w.want(r, "me", answer, status) {
		var me struct{ ID, AccountID, Role string }
		if decode(r, answer, &me); me.ID != h.ID || me.AccountID != h.AccountID || me.Role != w.standing(h).role {
			r.Fatalf("me: %+v, the model says %+v", me, w.standing(h))
		}
	}
	var orphans int
	err := w.s.DB.QueryRow(w.s.T.Context(), `SELECT COUNT(*) FROM account a WHERE NOT EXISTS (
		SELECT 1 FROM membership m WHERE m.account_id = a.id AND m.role = 'owner' AND m.is_active)`).Scan(&orphans)
	if err != nil || orphans != 0 {
		r.Fatalf("%d organizations without an active owner, %v", orphans, err)
	}
}

func decode(r *rapid.T, answer servertest.Answer, into any) {
	r.Helper()
	if err := json.Unmarshal(answer.Body, into); err != nil {
		r.Fatalf("%v: %s", err, answer.Body)
	}
}
