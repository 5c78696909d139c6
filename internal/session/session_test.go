package session_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/session"
)

type fixture struct {
	t     *testing.T
	db    *database.DB
	clock *clock.Manual
	store *session.Store
}

func each(t *testing.T, policy session.Policy, test func(t *testing.T, f fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		test(t, fixture{t, db, c, session.NewStore(db, c, policy)})
	})
}

func (f fixture) begin(subject id.Of[session.Owner]) string {
	f.t.Helper()
	var raw string
	org := id.New[session.Scope]()
	err := f.db.InTx(f.t.Context(), func(tx database.Tx) error {
		_, refresh, err := f.store.Begin(f.t.Context(), tx, subject, &org)
		raw = refresh.Reveal()
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return raw
}

// follow moves the session of a refresh token on to another organization.
func (f fixture) follow(raw string) (left, next string) {
	f.t.Helper()
	found, rotated, err := f.store.Rotate(f.t.Context(), raw, rules)
	if err != nil {
		f.t.Fatal(err)
	}
	err = f.db.InTx(f.t.Context(), func(tx database.Tx) error {
		if err := f.store.EndIn(f.t.Context(), tx, found.Subject, *found.Account); err != nil {
			return err
		}
		_, refresh, err := f.store.Follow(f.t.Context(), tx, found.ID, id.New[session.Scope]())
		next = refresh.Reveal()
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return rotated.Reveal(), next
}

// rules let everyone go on.
var rules = session.Rules{
	Standing: `SELECT 'owner'`,
	Replayed: func(database.Tx, session.Session) error { return nil },
}

// endEverywhere makes the refresh tokens of a subject worthless, organization by
// organization.
func (f fixture) endEverywhere(subject id.Of[session.Owner]) {
	f.t.Helper()
	err := f.db.InTx(f.t.Context(), func(tx database.Tx) error {
		all, err := database.Collect(f.t.Context(), tx, database.Column[id.Of[session.Scope]], `SELECT account_id FROM session WHERE subject_id = $1`, subject)
		if err != nil {
			return err
		}
		for _, org := range all {
			if err := f.store.EndIn(f.t.Context(), tx, subject, org); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) rotate(raw string) (string, error) {
	_, next, err := f.store.Rotate(f.t.Context(), raw, rules)
	return next.Reveal(), err
}

func (f fixture) mustRotate(raw string) string {
	f.t.Helper()
	next, err := f.rotate(raw)
	if err != nil {
		f.t.Fatal(err)
	}
	return next
}

func (f fixture) wantRefused(raw, why string) {
	f.t.Helper()
	if _, err := f.rotate(raw); !fault.Is(err, fault.KindUnauthorized) {
		f.t.Errorf("%s: got %v, want a refusal", why, err)
	}
}

func TestRefreshTokenWorksOnce(t *testing.T) {
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		first := f.begin(id.New[session.Owner]())
		second := f.mustRotate(first)
		f.wantRefused(first, "second use")
		f.wantRefused("", "no token")
		f.wantRefused("A"+second[1:], "unknown token")
		f.mustRotate(second)
	})
}

func TestFiftyConcurrentRefreshesHaveOneWinner(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		raw := f.begin(id.New[session.Owner]())
		var won, lost atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				switch _, err := f.rotate(raw); {
				case err == nil:
					won.Add(1)
				case fault.Is(err, fault.KindUnauthorized):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 49 {
			t.Errorf("%d won, %d lost", won.Load(), lost.Load())
		}
	})
}

func TestReplayWithinTenSecondsCostsOnlyTheRefusal(t *testing.T) {
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		first := f.begin(id.New[session.Owner]())
		second := f.mustRotate(first)
		f.clock.Advance(9900 * time.Millisecond)
		f.wantRefused(first, "replay in a race of tabs")
		f.mustRotate(second)
	})
}

func TestLateReplayEndsTheFamily(t *testing.T) {
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		subject := id.New[session.Owner]()
		other := f.begin(subject)
		first := f.begin(subject)
		third := f.mustRotate(f.mustRotate(first))
		f.clock.Advance(10100 * time.Millisecond)
		f.wantRefused(first, "late replay of an old token")
		f.wantRefused(third, "newest token of the replayed family")
		f.mustRotate(other)
	})
}

func TestLateReplayEndsWhatFollowedToo(t *testing.T) {
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		subject := id.New[session.Owner]()
		stolen, apart := f.begin(subject), f.begin(subject)
		left, next := f.follow(stolen)
		f.wantRefused(left, "newest token of the session left")
		next = f.mustRotate(next)
		f.clock.Advance(11 * time.Second)
		f.wantRefused(left, "late, but never spent")
		next = f.mustRotate(next)
		f.wantRefused(stolen, "late replay")
		f.wantRefused(next, "what followed in another organization")
		f.mustRotate(apart)
	})
}

func TestWhatFollowsLivesNoLongerThanTheSignIn(t *testing.T) {
	const day = 24 * time.Hour
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		raw := f.begin(id.New[session.Owner]())
		for range 4 {
			f.clock.Advance(20 * day)
			_, raw = f.follow(raw)
		}
		f.clock.Advance(10*day - time.Second)
		raw = f.mustRotate(raw)
		f.clock.Advance(2 * time.Second)
		f.wantRefused(raw, "90 days in all")
	})
}

func TestAnyStaffReplayEndsTheFamily(t *testing.T) {
	each(t, session.StaffPolicy, func(_ *testing.T, f fixture) {
		first := f.begin(id.New[session.Owner]())
		second := f.mustRotate(first)
		f.wantRefused(first, "replay")
		f.wantRefused(second, "newest token of the replayed family")
	})
}

func TestRealmsKnowNothingOfEachOther(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		c := clock.NewManual()
		customers := fixture{t, db, c, session.NewStore(db, c, session.CustomerPolicy)}
		staff := fixture{t, db, c, session.NewStore(db, c, session.StaffPolicy)}
		raw := customers.begin(id.New[session.Owner]())
		staff.wantRefused(raw, "customer's token for staff")
		if _, err := staff.store.End(t.Context(), raw); err != nil {
			t.Fatal(err)
		}
		customers.mustRotate(raw)
	})
}

func TestIdleAndAbsoluteLifetimesHoldAtTheirEdges(t *testing.T) {
	const day = 24 * time.Hour
	each(t, session.CustomerPolicy, func(_ *testing.T, f fixture) {
		idle := f.begin(id.New[session.Owner]())
		f.clock.Advance(30*day - time.Second)
		idle = f.mustRotate(idle)
		f.clock.Advance(30*day + time.Second)
		f.wantRefused(idle, "30 days idle")

		busy := f.begin(id.New[session.Owner]())
		for range 4 {
			f.clock.Advance(20 * day)
			busy = f.mustRotate(busy)
		}
		f.clock.Advance(10*day + time.Second)
		f.wantRefused(busy, "90 days in all")
	})
}

func TestEndedSessionsDoNotRefresh(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		subject := id.New[session.Owner]()
		one, two, stranger := f.begin(subject), f.begin(subject), f.begin(id.New[session.Owner]())
		if _, err := f.store.End(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		f.wantRefused(one, "logged out")
		two = f.mustRotate(two)
		err := f.db.InTx(t.Context(), func(tx database.Tx) error {
			return f.store.EndAll(t.Context(), tx, subject, session.ID{})
		})
		if err != nil {
			t.Fatal(err)
		}
		f.wantRefused(two, "all ended")
		f.mustRotate(stranger)
		if _, err := f.store.End(t.Context(), "unknown"); err != nil {
			t.Errorf("logout of an unknown token: %v", err)
		}
	})
}

// An access token outlives its refresh tokens; whether it may open a new session
// depends on how they ended.
func TestASignInThatWasLeftGoesOnAndOneThatWasEndedDoesNot(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		endings := map[string]struct {
			end  func(tx database.Tx, s session.Session) error
			goes bool
		}{
			"left": {func(tx database.Tx, s session.Session) error {
				return f.store.EndIn(t.Context(), tx, s.Subject, *s.Account)
			}, true},
			"all ended but this": {func(tx database.Tx, s session.Session) error {
				return f.store.EndAll(t.Context(), tx, s.Subject, s.ID)
			}, true},
			"left, then all ended": {func(tx database.Tx, s session.Session) error {
				if err := f.store.EndIn(t.Context(), tx, s.Subject, *s.Account); err != nil {
					return err
				}
				return f.store.EndAll(t.Context(), tx, s.Subject, session.ID{})
			}, false},
			"all ended": {func(tx database.Tx, s session.Session) error {
				return f.store.EndAll(t.Context(), tx, s.Subject, session.ID{})
			}, false},
		}
		for name, c := range endings {
			t.Run(name, func(t *testing.T) {
				org := id.New[session.Scope]()
				var begun session.Session
				err := f.db.InTx(t.Context(), func(tx database.Tx) error {
					var err error
					begun, _, err = f.store.Begin(t.Context(), tx, id.New[session.Owner](), &org)
					if err != nil {
						return err
					}
					return c.end(tx, begun)
				})
				if err != nil {
					t.Fatal(err)
				}
				if goes, err := f.store.IsOpen(t.Context(), f.db, begun.ID); err != nil || goes != c.goes {
					t.Errorf("goes on: %v, %v; want %v", goes, err, c.goes)
				}
			})
		}
		if goes, err := f.store.IsOpen(t.Context(), f.db, session.ID{}); err != nil || goes {
			t.Errorf("unknown session goes on: %v, %v", goes, err)
		}
	})
}

func TestRotationTellsWhoseSessionItIsAndTheirRole(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		subject := id.New[session.Owner]()
		raw := f.begin(subject)
		found, _, err := f.store.Rotate(t.Context(), raw, rules)
		if err != nil || found.Subject != subject || found.Account == nil || found.Role != "owner" || found.ID.IsZero() {
			t.Errorf("got %+v, %v", found, err)
		}
	})
}

func TestWithoutStandingNothingIsSpent(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		raw := f.begin(id.New[session.Owner]())
		gone := session.Rules{Standing: `SELECT m.role FROM membership m WHERE m.user_id = s.subject_id`, Replayed: rules.Replayed}
		if _, _, err := f.store.Rotate(t.Context(), raw, gone); !fault.Is(err, fault.KindUnauthorized) {
			t.Fatal(err)
		}
		f.mustRotate(raw)
	})
}

func TestOnlyTheReplayThatEndsAFamilyIsHeardOf(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		subject := id.New[session.Owner]()
		first := f.begin(subject)
		f.mustRotate(first)
		var heard []session.Session
		listening := rules
		listening.Replayed = func(_ database.Tx, ended session.Session) error {
			heard = append(heard, ended)
			return nil
		}
		for _, pause := range []time.Duration{0, 11 * time.Second, time.Second} {
			f.clock.Advance(pause)
			if _, _, err := f.store.Rotate(t.Context(), first, listening); !fault.Is(err, fault.KindUnauthorized) {
				t.Fatal(err)
			}
		}
		if len(heard) != 1 || heard[0].Subject != subject || heard[0].Account == nil {
			t.Errorf("heard of %+v, want one session", heard)
		}
	})
}

func TestSweepDeletesWhatNobodyCanUseWithItsTokens(t *testing.T) {
	const day = 24 * time.Hour
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		count := func(table string) int64 {
			n, err := database.Column[int64](f.db.QueryRow(t.Context(), `SELECT COUNT(*) FROM `+table))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		tokens := func() int64 { return count("refresh_token") }
		sweep := func() int64 {
			before := count("session")
			if err := f.store.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			return before - count("session")
		}
		over, left := id.New[session.Owner](), id.New[session.Owner]()
		ended := f.mustRotate(f.begin(over))
		f.mustRotate(f.begin(left))
		if _, err := f.store.End(t.Context(), ended); err != nil {
			t.Fatal(err)
		}
		f.endEverywhere(left)
		spent := f.begin(id.New[session.Owner]())
		live := f.mustRotate(spent)
		if n := sweep(); n != 1 || tokens() != 4 {
			t.Errorf("swept %d, %d tokens left; want 1, and 2 tokens of each other session", n, tokens())
		}
		f.clock.Advance(day)
		if n := sweep(); n != 0 {
			t.Errorf("swept %d; want one that was left to stay, for its replays", n)
		}
		f.wantRefused(spent, "replay after a sweep")
		f.wantRefused(live, "its family")
		if n := sweep(); n != 1 || tokens() != 2 {
			t.Errorf("swept %d, %d tokens left; want the family just ended, and 2", n, tokens())
		}

		f.begin(id.New[session.Owner]())
		f.clock.Advance(90 * day)
		if n := sweep(); n != 2 || tokens() != 0 {
			t.Errorf("90 days later: swept %d, %d tokens left; want 2 and 0", n, tokens())
		}
	})
}

// A model of one family: the newest token works, any other is refused, and a
// late replay ends it all.
func TestRotationFollowsTheModel(t *testing.T) {
	each(t, session.CustomerPolicy, func(t *testing.T, f fixture) {
		rapid.Check(t, func(r *rapid.T) {
			type spent struct {
				raw string
				at  clock.Time
			}
			newest, dead := f.begin(id.New[session.Owner]()), false
			var used []spent
			for range rapid.IntRange(1, 12).Draw(r, "steps") {
				switch rapid.IntRange(0, 2).Draw(r, "step") {
				case 0:
					next, err := f.rotate(newest)
					if (err == nil) == dead {
						r.Fatalf("newest token: %v, family dead: %v", err, dead)
					}
					if err == nil {
						used = append(used, spent{newest, f.clock.Now()})
						newest = next
					}
				case 1:
					if len(used) == 0 {
						continue
					}
					old := rapid.SampledFrom(used).Draw(r, "replay")
					if _, err := f.rotate(old.raw); err == nil {
						r.Fatal("a used token yielded a pair")
					}
					dead = dead || f.clock.Now().Sub(old.at) >= 10*time.Second
				case 2:
					f.clock.Advance(time.Duration(rapid.IntRange(0, 12).Draw(r, "seconds")) * time.Second)
				}
			}
		})
	})
}
