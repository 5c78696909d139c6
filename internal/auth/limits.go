package auth

import (
	"context"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/mail"
	"ujumbe/internal/ratelimit"
)

// The limits on guessing and on mail. The first is by address and email
// together, so that a stranger elsewhere can't lock a customer out; the wider ones
// stop those who change one of the two.
var (
	failuresByBoth    = ratelimit.Rule{Name: "login", Events: 10, Window: 15 * time.Minute}
	failuresByAddress = ratelimit.Rule{Name: "login-ip", Events: 300, Window: 15 * time.Minute}
	failuresByEmail   = ratelimit.Rule{Name: "login-email", Events: 100, Window: 15 * time.Minute}
	registrations     = ratelimit.Rule{Name: "register-ip", Events: 1000, Window: time.Hour}
)

// signIns remembers from where somebody has signed in.
var signIns = ratelimit.Rule{Name: "login-place", Events: 1, Window: 30 * 24 * time.Hour}

// place is where a request comes from, as the limits see it.
func place(ctx context.Context) string { return ratelimit.Network(httpapi.ClientOf(ctx).IP) }

// guess is one try to sign in by password, as the limits see it.
type guess struct {
	limiter *ratelimit.Limiter
	place   string
	email   string
	// bound is how many of the counters hold for this guess.
	bound int
}

func (s *Service) newGuess(ctx context.Context, email string) *guess {
	return &guess{limiter: s.Limiter, place: place(ctx), email: mail.AddressKey(email)}
}

func (g *guess) counters() []ratelimit.Counter {
	return []ratelimit.Counter{failuresByBoth.On(g.place, g.email), failuresByAddress.On(g.place), failuresByEmail.On(g.email)}
}

// check refuses a guess when the failures so far have used up a limit. From
// where somebody has signed in before, only their own failures count: strangers
// can make neither the customer's address nor their network fail so often that
// the customer is kept out. It is asked again once the password was right: others
// may have used up a limit meanwhile.
func (g *guess) check(ctx context.Context, q database.Querier) error {
	all := g.counters()
	tallies, err := g.limiter.Look(ctx, q, append(all, signIns.On(g.place, g.email))...)
	if err != nil {
		return err
	}
	g.bound = len(all)
	if tallies[len(all)].Count > 0 {
		g.bound = 1
	}
	return g.limiter.Refuse(tallies[:g.bound]...)
}

// fail counts a failure. Verdict is nil unless the failures before it had used up
// a limit: of guesses made at the same moment no more are answered than of those
// made one by one.
func (g *guess) fail(ctx context.Context, tx database.Tx) (verdict, err error) {
	tallies, err := g.limiter.Record(ctx, tx, g.counters()...)
	if err != nil {
		return nil, err
	}
	return g.limiter.Refuse(tallies[:g.bound]...), nil
}

// succeed remembers the place.
func (g *guess) succeed(ctx context.Context, tx database.Tx) error {
	return g.limiter.Add(ctx, tx, signIns, g.place, g.email)
}
