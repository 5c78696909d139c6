package auth_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/auth"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/server/servertest"
	"ujumbe/internal/session"
	"ujumbe/internal/team"
	"ujumbe/internal/token"
)

// bare is the rules of signing in without a server around them, so that a test
// can count what a call costs.
type bare struct {
	t       *testing.T
	db      *database.DB
	hasher  *token.Hasher
	mail    *servertest.Mailbox
	service *auth.Service
	queue   *job.Queue
}

func eachBare(t *testing.T, test func(t *testing.T, b bare)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		b := bare{t: t, db: db, hasher: token.NewHasher(), mail: &servertest.Mailbox{}, queue: job.NewQueue(db, c, slog.New(slog.DiscardHandler))}
		pages, err := mail.NewLinks("https://app.example.com")
		if err != nil {
			t.Fatal(err)
		}
		keys, accounts := token.NewKeys(db, c), account.NewStore(db, c)
		if err := keys.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.service = auth.NewService(auth.Needs{
			DB: db, Clock: c, Hasher: b.hasher, Accounts: accounts, Users: team.NewStore(db, c),
			Sessions: account.NewSessions(accounts, session.NewStore(db, c, session.CustomerPolicy), token.NewSigner(token.Customer, keys, c)),
			Notices:  team.NewNotices(b.queue, b.mail, pages, c), Links: onetime.New(db, c, b.queue, b.mail), Pages: pages,
			Limiter: ratelimit.New(db, c, true), Trail: audit.NewTrail(db, c),
		})
		test(t, b)
	})
}

// users makes one user of each kind with whom nobody can sign in by password,
// and one who can.
func (b bare) users() map[string]string {
	b.t.Helper()
	emails := map[string]string{"unknown": servertest.Email()}
	for _, kind := range []string{"verified", "unverified", "deactivated", "without a password"} {
		emails[kind] = servertest.Email()
		_, _, err := b.service.Register(b.t.Context(), auth.Registration{
			AccountName: kind, FirstName: "Asha", LastName: "Juma", Email: emails[kind], Password: servertest.Password,
		})
		if err != nil {
			b.t.Fatal(err)
		}
	}
	for _, change := range []struct{ statement, of string }{
		{`UPDATE users SET is_verified = (1 = 1) WHERE email <> $1`, "unverified"},
		{`UPDATE membership SET is_active = (1 = 0) WHERE user_id IN (SELECT id FROM users WHERE email = $1)`, "deactivated"},
		{`UPDATE users SET password_hash = NULL WHERE email = $1`, "without a password"},
	} {
		if _, err := b.db.Exec(b.t.Context(), change.statement, emails[change.of]); err != nil {
			b.t.Fatal(err)
		}
	}
	return emails
}

// cost is what a call leaves behind: hashes made, and rows and events written.
func (b bare) cost(call func()) string {
	b.t.Helper()
	counted := []string{"hashes", "audit", "rate_limit", "rate limit events", "job", "one_time_token", "session", "refresh_token", "users"}
	read := func() []int64 {
		b.t.Helper()
		all := []int64{b.hasher.Hashed()}
		for _, what := range counted[1:] {
			query := `SELECT COUNT(*) FROM ` + what
			if what == "rate limit events" {
				query = `SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM rate_limit`
			}
			n, err := database.Column[int64](b.db.QueryRow(b.t.Context(), query))
			if err != nil {
				b.t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	before := read()
	call()
	after := read()
	var costs []string
	for i, what := range counted {
		if d := after[i] - before[i]; d != 0 {
			costs = append(costs, fmt.Sprintf("%s %+d", what, d))
		}
	}
	return strings.Join(costs, ", ")
}

// The time of an answer is made of these costs; if they are the same, it tells
// nothing.
func TestEveryRefusedLoginCostsOneHashAndTheSameWrites(t *testing.T) {
	const want = "hashes +1, audit +1, rate_limit +2, rate limit events +3"
	eachBare(t, func(t *testing.T, b bare) {
		emails := b.users()
		refuse := func(email, password string) {
			t.Helper()
			if _, err := b.service.Login(t.Context(), email, password); !fault.Is(err, fault.KindUnauthorized) {
				t.Fatalf("%s: %v", email, err)
			}
		}
		refuse(servertest.Email(), "x") // the counter of this address is there from now on
		for kind, email := range emails {
			password := servertest.Password
			if kind == "verified" {
				password = "not the password"
			}
			if cost := b.cost(func() { refuse(email, password) }); cost != want {
				t.Errorf("%s: %s", kind, cost)
			}
			if cost := b.cost(func() { refuse(email, "") }); cost != strings.Replace(want, "rate_limit +2, ", "", 1) {
				t.Errorf("%s with an empty password: %s", kind, cost)
			}
		}
	})
}

func TestAskingForALinkCostsTheSameForEveryAddress(t *testing.T) {
	const want = "rate_limit +1, rate limit events +2, job +1"
	eachBare(t, func(t *testing.T, b bare) {
		emails := b.users()
		for name, ask := range map[string]func(context.Context, string) error{
			"verification": b.service.RequestVerification,
			"reset":        b.service.RequestReset,
			"magic link":   b.service.RequestMagicLink,
		} {
			if err := ask(t.Context(), servertest.Email()); err != nil {
				t.Fatal(err)
			}
			for kind, email := range emails {
				cost := b.cost(func() {
					if err := ask(t.Context(), email); err != nil {
						t.Error(err)
					}
				})
				if cost != want {
					t.Errorf("%s for %s: %s", name, kind, cost)
				}
			}
		}
	})
}

// What comes after the request may hold up the next one, so it is the same too.
func TestDeliveringALinkWritesTheSameForEveryAddress(t *testing.T) {
	eachBare(t, func(t *testing.T, b bare) {
		emails := b.users()
		deliver := func() {
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				b.queue.Run(ctx)
			}()
			for n := int64(1); n > 0; {
				waiting, _, err := b.queue.Depth(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				n = waiting
			}
			stop()
			<-done
		}
		ask := func(email string) {
			t.Helper()
			if err := b.service.RequestMagicLink(t.Context(), email); err != nil {
				t.Fatal(err)
			}
		}
		deliver() // the mails of the registrations
		for _, email := range emails {
			ask(email)
		}
		deliver() // each address, and nobody, has a row from now on
		for kind, email := range emails {
			ask(email)
			if cost := b.cost(deliver); cost != "job -1" {
				t.Errorf("%s: %s", kind, cost)
			}
		}
	})
}

func TestAResetWithoutALinkCostsNoHash(t *testing.T) {
	eachBare(t, func(t *testing.T, b bare) {
		for _, raw := range []string{"", "garbage", token.NewOpaque().Reveal()} {
			cost := b.cost(func() {
				if err := b.service.ResetPassword(t.Context(), raw, "a new password"); !fault.Is(err, fault.KindBadRequest) {
					t.Error(err)
				}
			})
			if cost != "" {
				t.Errorf("%q: %s", raw, cost)
			}
		}
	})
}

func TestARightPasswordWithAnOlderHashIsHashedAnew(t *testing.T) {
	const weak = "$argon2id$v=19$m=4096,t=1,p=1$"
	eachBare(t, func(t *testing.T, b bare) {
		email := b.users()["verified"]
		old := argon2Hash(weak, servertest.Password)
		if _, err := b.db.Exec(t.Context(), `UPDATE users SET password_hash = $1 WHERE email = $2`, old, email); err != nil {
			t.Fatal(err)
		}
		for _, hashes := range []string{"hashes +2", "hashes +1"} {
			cost := b.cost(func() {
				if _, err := b.service.Login(t.Context(), email, servertest.Password); err != nil {
					t.Error(err)
				}
			})
			if !slices.Contains(strings.Split(cost, ", "), hashes) {
				t.Errorf("%s, want %s", cost, hashes)
			}
		}
		stored, err := database.Column[string](b.db.QueryRow(t.Context(), `SELECT password_hash FROM users WHERE email = $1`, email))
		if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("stored %q, %v", stored, err)
		}
	})
}

// argon2Hash is a hash as an installation of long ago may have stored it.
func argon2Hash(parameters, password string) string {
	sum := argon2.IDKey([]byte(password), []byte("sixteen bytes :)"), 1, 4096, 1, 32)
	return parameters + base64.RawStdEncoding.EncodeToString([]byte("sixteen bytes :)")) + "$" + base64.RawStdEncoding.EncodeToString(sum)
}
