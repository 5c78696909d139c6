package auth_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

const authBase = "/api/v1/auth"

type body = map[string]any

// house is a server as the tests of signing in use it.
type house struct {
	*servertest.Server
}

// on returns the house for a subtest.
func (h house) on(t *testing.T) house {
	server := *h.Server
	server.T = t
	return house{&server}
}

// post sends a request to a path below /auth.
func (h house) post(path string, b any, headers ...string) servertest.Answer {
	h.T.Helper()
	return h.Call("POST", authBase+path, "", b, headers...)
}

// row is one request and what it must answer.
type row struct {
	name   string
	path   string
	body   any
	status int
	code   string
}

func (h house) run(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := h.on(t)
			a := h.Want(h.post(r.path, r.body), r.status)
			if r.code != "" && a.Code() != r.code {
				t.Errorf("code %q, want %q: %s", a.Code(), r.code, a.Body)
			}
		})
	}
}

// atOnce makes calls at the same moment and returns how often each status came.
func atOnce(n int, call func(i int) servertest.Answer) map[int]int {
	var (
		mu       sync.Mutex
		statuses = map[int]int{}
		wg       sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			a := call(i)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	wg.Wait()
	return statuses
}

// with is an object with fields changed; a nil value takes one away.
func with(object body, changes body) body {
	changed := maps.Clone(object)
	for key, value := range changes {
		if value == nil {
			delete(changed, key)
		} else {
			changed[key] = value
		}
	}
	return changed
}

// The fields of a user in the answers of register and sign-in, as the contract
// has them.
var userFields = []string{"accountId", "createdAt", "email", "firstName", "id", "isActive", "isVerified", "lastLoginAt", "lastName", "role"}

func wantFields(t *testing.T, object body, fields ...string) {
	t.Helper()
	slices.Sort(fields)
	if have := slices.Sorted(maps.Keys(object)); !slices.Equal(have, fields) {
		t.Errorf("fields %v, want %v", have, fields)
	}
}

// wantSignedIn checks the shape of a successful sign-in and returns its user.
func (h house) wantSignedIn(a servertest.Answer, email string) body {
	h.T.Helper()
	answer := h.Want(a, 200).JSON(h.T)
	wantFields(h.T, answer, "accessToken", "refreshToken", "user")
	user, _ := answer["user"].(body)
	wantFields(h.T, user, slices.Clone(userFields)...)
	if user["email"] != email || user["isVerified"] != true || user["isActive"] != true {
		h.T.Errorf("signed in as %v, want %s", user, email)
	}
	access := fmt.Sprint(answer["accessToken"])
	me := h.Want(h.Call("GET", "/api/v1/users/me", access, nil), 200).JSON(h.T)
	if me["id"] != user["id"] || me["accountId"] != user["accountId"] {
		h.T.Errorf("the access token is of %v, want %v", me, user)
	}
	if refresh := fmt.Sprint(answer["refreshToken"]); len(refresh) != 43 || strings.Contains(refresh, ".") {
		h.T.Errorf("refresh token %q is not opaque", refresh)
	}
	return user
}

// login signs in, or not.
func (h house) login(email, password string, headers ...string) servertest.Answer {
	h.T.Helper()
	return h.post("/login", body{"email": email, "password": password}, headers...)
}

// refreshes tells whether a refresh token is good, and spends it.
func (h house) refreshes(raw string) bool {
	h.T.Helper()
	switch a := h.post("/refresh", body{"refreshToken": raw}); a.Status {
	case 200:
		return true
	case 401:
		return false
	default:
		h.T.Fatalf("refresh: %d %s", a.Status, a.Body)
		return false
	}
}

// ask requests a link and returns its token, from the mail with a link to the
// page.
func (h house) ask(path, email, page string) string {
	h.T.Helper()
	n := len(h.Mail.To(email))
	h.Want(h.post(path, body{"email": email}), 200)
	h.Mail.Wait(h.T, email, n+1)
	return h.Mail.Token(h.T, email, page)
}

// advance moves the clock on once the queue is empty. A job in hand would be
// taken for one whose worker died, and be done again.
func (h house) advance(d time.Duration) {
	h.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); h.number(`SELECT COUNT(*) FROM job WHERE last_error IS NULL`) > 0; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.T.Fatal("the queue does not empty")
		}
	}
	h.Clock.Advance(d)
}

func (h house) askReset(email string) string {
	h.T.Helper()
	return h.ask("/forgot-password", email, "/reset-password")
}

func (h house) askMagic(email string) string {
	h.T.Helper()
	return h.ask("/magic-link", email, "/magic-link")
}

// moment reads a timestamp of an answer.
func moment(t *testing.T, value any) clock.Time {
	t.Helper()
	var at clock.Time
	if err := at.UnmarshalText(fmt.Append(nil, value)); err != nil || at.String() != value {
		t.Errorf("%v is not a timestamp with milliseconds: %v", value, err)
	}
	return at
}

// number reads one number from the database.
func (h house) number(query string, args ...any) int64 {
	h.T.Helper()
	n, err := database.Column[int64](h.DB.QueryRow(h.T.Context(), query, args...))
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}
