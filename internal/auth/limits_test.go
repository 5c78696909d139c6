package auth_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/servertest"
)

// limited turns the limits on and lets tests say where a request comes from.
func limited(c *config.Config) {
	c.RateLimits = true
	c.TrustedProxies = []string{"127.0.0.0/8", "::1/128"}
}

func eachLimited(t *testing.T, test func(t *testing.T, h house)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) { test(t, house{s}) }, limited)
}

// from makes a request come from an address.
func from(address string) []string { return []string{"X-Forwarded-For", address} }

const (
	here      = "192.0.2.1"
	elsewhere = "198.51.100.7"
)

// fail has n logins refused as wrong.
func (h house) fail(n int, email, address string) {
	h.T.Helper()
	for i := range n {
		if a := h.login(email, "not the password", from(address)...); a.Status != 401 {
			h.T.Fatalf("failure %d: %d %s", i+1, a.Status, a.Body)
		}
	}
}

// bump sets the one counter that stands at a number to another, which spares the
// test hundreds of hashes.
func (h house) bump(at, to int) {
	h.T.Helper()
	n, err := h.DB.Exec(h.T.Context(), `UPDATE rate_limit SET count = $1 WHERE count = $2`, to, at)
	if err != nil || n != 1 {
		h.T.Fatalf("%d counters stand at %d, %v; want one", n, at, err)
	}
}

// wantLimited fails unless the answer is 429 and asks to wait this long.
func (h house) wantLimited(a servertest.Answer, wait time.Duration) {
	h.T.Helper()
	h.Want(a, 429)
	if seconds, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || a.Code() != "rate_limited" || time.Duration(seconds)*time.Second != wait {
		h.T.Errorf("%s with Retry-After %q, want %v", a.Code(), a.Header.Get("Retry-After"), wait)
	}
}

func TestTenFailedLoginsOfAnAddressAndEmailLimitBothTogether(t *testing.T) {
	eachLimited(t, func(t *testing.T, h house) {
		owner, other := h.Owner(), h.Owner()
		for name, email := range map[string]string{"known": owner.Email, "unknown": "nobody@example.com"} {
			t.Run(name, func(t *testing.T) {
				h := h.on(t)
				h.fail(9, email, here)
				h.advance(time.Minute)
				h.fail(1, strings.ToUpper(email), here)
				h.wantLimited(h.login(email, "not the password", from(here)...), 14*time.Minute)
				h.wantLimited(h.login(email, owner.Password, from(here)...), 14*time.Minute)
				h.fail(1, email, elsewhere)
				h.Want(h.login(other.Email, other.Password, from(here)...), 200)
				h.advance(13*time.Minute + 59*time.Second)
				h.wantLimited(h.login(email, owner.Password, from(here)...), time.Second)
				h.advance(time.Second)
				h.fail(1, email, here)
			})
		}
		h.Want(h.login(owner.Email, owner.Password, from(here)...), 200)
	})
}

func TestSuccessfulLoginsAreNotLimited(t *testing.T) {
	eachLimited(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		for range 15 {
			h.Want(h.login(owner.Email, owner.Password, from(here)...), 200)
		}
	})
}

// Guesses made at the same moment all begin before any is counted.
func TestParallelGuessesAreAnsweredNoMoreOftenThanOthers(t *testing.T) {
	eachLimited(t, func(t *testing.T, h house) {
		owner := h.Owner()
		got := atOnce(30, func(int) servertest.Answer { return h.login(owner.Email, "not the password", from(here)...) })
		if !maps.Equal(got, map[int]int{401: 10, 429: 20}) {
			t.Errorf("got %v", got)
		}
		h.Want(h.login(owner.Email, owner.Password, from(here)...), 429)
	})
}

// A stranger with many addresses can use up what an email may fail everywhere.
// The customer is not kept out where they have signed in before, nor by a link.
func TestStrangersCanNotLockACustomerOut(t *testing.T) {
	eachLimited(t, func(_ *testing.T, h house) {
		owner := h.Owner()
		h.Want(h.login(owner.Email, owner.Password, from(here)...), 200)
		for i := range 3 {
			h.fail(7, owner.Email, fmt.Sprintf("203.0.113.%d", i))
		}
		h.bump(21, 100)
		h.wantLimited(h.login(owner.Email, owner.Password, from("203.0.113.200")...), 15*time.Minute)
		h.Want(h.login(owner.Email, owner.Password, from(here)...), 200)
		h.fail(10, owner.Email, here) // their own failures count
		h.wantLimited(h.login(owner.Email, owner.Password, from(here)...), 15*time.Minute)
		h.Want(h.post("/magic-link/verify", body{"token": h.askMagic(owner.Email)}, from("203.0.113.200")...), 200)
		h.advance(15 * time.Minute)
		h.Want(h.login(owner.Email, owner.Password, from("203.0.113.200")...), 200)
	})
}

// One password on many emails, from one network.
func TestAnAddressThatFailsOnManyEmailsIsLimited(t *testing.T) {
	eachLimited(t, func(_ *testing.T, h house) {
		owner, neighbour := h.Owner(), h.Owner()
		const mine, theirs = "2001:db8:1:2::1", "2001:db8:1:3::1"
		h.Want(h.login(neighbour.Email, neighbour.Password, from(mine)...), 200)
		for _, address := range []string{mine, "2001:db8:1:2::2", "2001:db8:1:2:ffff::9"} {
			h.fail(1, servertest.Email(), address)
		}
		h.bump(3, 300)
		h.wantLimited(h.login(owner.Email, owner.Password, from("2001:db8:1:2:aaaa::1")...), 15*time.Minute)
		h.Want(h.login(owner.Email, owner.Password, from(theirs)...), 200)
		h.Want(h.login(neighbour.Email, neighbour.Password, from("2001:db8:1:2::5")...), 200)
	})
}

func TestFiveMailsAnHourGoToARecipientOfEachKind(t *testing.T) {
	eachLimited(t, func(t *testing.T, h house) {
		known := h.Register(servertest.Email())
		h.Mail.Wait(t, known.Email, 1)
		for _, k := range kinds {
			for name, email := range map[string]string{"known": known.Email, "unknown": servertest.Email()} {
				t.Run(k.name+" for "+name, func(t *testing.T) {
					h := h.on(t)
					for range 4 {
						h.Want(h.post(k.ask, body{"email": email}, from(here)...), 200)
					}
					h.advance(10 * time.Minute)
					h.Want(h.post(k.ask, body{"email": strings.ToUpper(email)}, from(elsewhere)...), 200)
					h.wantLimited(h.post(k.ask, body{"email": email}, from(elsewhere)...), 50*time.Minute)
					h.Want(h.post(k.ask, body{"email": servertest.Email()}, from(here)...), 200)
					h.advance(50 * time.Minute)
					h.Want(h.post(k.ask, body{"email": email}, from(here)...), 200)
				})
			}
		}
		h.advance(0)
		if n := len(h.Mail.To(known.Email)); n != 1+3*6 {
			t.Errorf("%d mails, want %d", n, 1+3*6)
		}
	})
}

func TestOneAddressCanNotMailEverybody(t *testing.T) {
	eachLimited(t, func(_ *testing.T, h house) {
		h.Want(h.post("/forgot-password", body{"email": servertest.Email()}, from(here)...), 200)
		h.Want(h.post("/magic-link", body{"email": servertest.Email()}, from(here)...), 200)
		h.bump(2, 300)
		h.wantLimited(h.post("/magic-link", body{"email": servertest.Email()}, from(here)...), time.Hour)
		h.Want(h.post("/magic-link", body{"email": servertest.Email()}, from(elsewhere)...), 200)
	})
}

func TestRegistrationsOfAnAddressAreLimited(t *testing.T) {
	eachLimited(t, func(_ *testing.T, h house) {
		h.Want(h.post("/register", newcomer(servertest.Email()), from(here)...), 201)
		h.bump(1, 1000)
		h.wantLimited(h.post("/register", newcomer(servertest.Email()), from(here)...), time.Hour)
		h.Want(h.post("/register", newcomer(servertest.Email()), from(elsewhere)...), 201)
	})
}

func TestTwoServersShareTheLimits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		one, two := house{servertest.Start(t, db, limited)}, house{servertest.Start(t, db, limited)}
		owner := one.Owner()
		for i := range 10 {
			[]house{one, two}[i%2].fail(1, owner.Email, here)
		}
		for _, h := range []house{one, two} {
			h.Want(h.login(owner.Email, owner.Password, from(here)...), 429)
		}
		for i := range 5 {
			h := []house{one, two}[i%2]
			h.Want(h.post("/magic-link", body{"email": owner.Email}, from(here)...), 200)
		}
		for _, h := range []house{one, two} {
			h.Want(h.post("/magic-link", body{"email": owner.Email}, from(here)...), 429)
		}
	})
}

func TestWithoutLimitsNobodyIsLimited(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.Owner()
		for range 12 {
			h.Want(h.login(owner.Email, "not the password"), 401)
			h.Want(h.post("/magic-link", body{"email": owner.Email}), 200)
		}
		if n := h.number(`SELECT COUNT(*) FROM rate_limit`); n != 0 {
			t.Errorf("%d counters", n)
		}
	})
}
