package onetime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/id"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/server/servertest"
)

const (
	enter onetime.Purpose = "enter"
	leave onetime.Purpose = "leave"
	life                  = 15 * time.Minute
)

type fixture struct {
	t     *testing.T
	db    *database.DB
	clock *clock.Manual
	links *onetime.Links
	queue *job.Queue
	mail  *mailbox
	known onetime.Holder
}

// mailbox keeps every mail, once hold lets it.
type mailbox struct {
	servertest.Mailbox
	hold func()
}

func (m *mailbox) Send(ctx context.Context, message mail.Message) error {
	m.hold()
	return m.Mailbox.Send(ctx, message)
}

// each runs the test with links of two purposes to one known address.
func each(t *testing.T, test func(t *testing.T, f fixture)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := fixture{
			t: t, db: db, clock: clock.NewManual(), mail: &mailbox{hold: func() {}},
			known: onetime.Holder{Subject: id.New[onetime.Subject](), Email: "Known@example.com", Name: "Known"},
		}
		f.queue = job.NewQueue(db, f.clock, slog.New(slog.DiscardHandler))
		f.links = onetime.New(db, f.clock, f.queue, f.mail)
		for _, purpose := range []onetime.Purpose{enter, leave} {
			f.links.Add(onetime.Kind{
				Purpose: purpose, Life: life,
				Find: func(_ context.Context, _ database.Querier, about string) (onetime.Holder, error) {
					if !strings.EqualFold(about, f.known.Email) {
						return onetime.Holder{}, onetime.ErrNobody
					}
					return f.known, nil
				},
				Write: func(h onetime.Holder, raw string) (mail.Message, error) {
					return mail.Message{To: h.Email, Text: "/" + string(purpose) + "#token=" + raw}, nil
				},
			})
		}
		ctx, stop := context.WithCancel(context.Background())
		var working sync.WaitGroup
		working.Go(func() { f.queue.Run(ctx) })
		t.Cleanup(func() {
			stop()
			working.Wait()
		})
		test(t, f)
	})
}

func (f fixture) inTx(work func(tx database.Tx) error) {
	f.t.Helper()
	if err := f.db.InTx(f.t.Context(), work); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) mint(purpose onetime.Purpose, h onetime.Holder) string {
	f.t.Helper()
	var raw string
	f.inTx(func(tx database.Tx) error {
		minted, err := f.links.Mint(f.t.Context(), tx, purpose, h)
		raw = minted.Reveal()
		return err
	})
	return raw
}

func (f fixture) redeem(purpose onetime.Purpose, raw string) error {
	return f.db.InTx(f.t.Context(), func(tx database.Tx) error {
		subject, key, err := f.links.Redeem(f.t.Context(), tx, purpose, raw)
		if err == nil && (subject != f.known.Subject || key != "known@example.com") {
			return fmt.Errorf("redeemed for %s, %s", subject, key)
		}
		return err
	})
}

// wantInvalid fails unless both asking and redeeming say that a token is not
// good.
func (f fixture) wantInvalid(purpose onetime.Purpose, raw, why string) {
	f.t.Helper()
	if err := f.links.Check(f.t.Context(), f.db, purpose, raw); !errors.Is(err, onetime.ErrInvalid) {
		f.t.Errorf("check of %s: %v", why, err)
	}
	if err := f.redeem(purpose, raw); !errors.Is(err, onetime.ErrInvalid) {
		f.t.Errorf("%s: %v", why, err)
	}
}

func (f fixture) wantRedeemed(purpose onetime.Purpose, raw, why string) {
	f.t.Helper()
	for range 2 { // asking spends nothing
		if err := f.links.Check(f.t.Context(), f.db, purpose, raw); err != nil {
			f.t.Errorf("check of %s: %v", why, err)
		}
	}
	if err := f.redeem(purpose, raw); err != nil {
		f.t.Errorf("%s: %v", why, err)
	}
}

func (f fixture) rows() int64 {
	f.t.Helper()
	n, err := database.Column[int64](f.db.QueryRow(f.t.Context(), `SELECT COUNT(*) FROM one_time_token`))
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func TestALinkWorksOnceForItsPurpose(t *testing.T) {
	each(t, func(_ *testing.T, f fixture) {
		raw := f.mint(enter, f.known)
		f.wantInvalid(leave, raw, "a link of another purpose")
		f.wantInvalid(enter, "", "no token")
		f.wantInvalid(enter, raw+"A", "a longer token")
		f.wantInvalid(enter, strings.Repeat("\n", 43), "line breaks")
		f.wantInvalid(enter, strings.Repeat("A", 43), "an unknown token")
		f.wantRedeemed(enter, raw, "the link")
		f.wantInvalid(enter, raw, "a used link")
	})
}

func TestALinkLivesAsLongAsItSays(t *testing.T) {
	each(t, func(_ *testing.T, f fixture) {
		raw := f.mint(enter, f.known)
		f.clock.Advance(life - time.Millisecond)
		f.wantRedeemed(enter, raw, "in time")
		raw = f.mint(enter, f.known)
		f.clock.Advance(life)
		f.wantInvalid(enter, raw, "too late")
	})
}

func TestANewerLinkEndsOlderOnesOfItsPurpose(t *testing.T) {
	each(t, func(_ *testing.T, f fixture) {
		other, older := f.mint(leave, f.known), f.mint(enter, f.known)
		newer := f.mint(enter, f.known)
		f.wantInvalid(enter, older, "an older link")
		f.wantRedeemed(enter, newer, "the newer")
		again := f.mint(enter, f.known)
		f.wantRedeemed(enter, again, "one made after the last was used")
		f.wantRedeemed(leave, other, "one of another purpose")
	})
}

func TestOfLinksMadeAtOnceOneWorks(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		raws := make([]string, 20)
		var wg sync.WaitGroup
		for i := range raws {
			wg.Go(func() { raws[i] = f.mint(enter, f.known) })
		}
		wg.Wait()
		good := 0
		for _, raw := range raws {
			if f.redeem(enter, raw) == nil {
				good++
			}
		}
		if good != 1 {
			t.Errorf("%d links work, want 1", good)
		}
	})
}

func TestFiftyConcurrentRedemptionsHaveOneWinner(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		raw := f.mint(enter, f.known)
		var won atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				switch err := f.redeem(enter, raw); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, onetime.ErrInvalid):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d won", won.Load())
		}
	})
}

func TestARedemptionThatIsRolledBackSpendsNothing(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		raw, undone := f.mint(enter, f.known), errors.New("undone")
		err := f.db.InTx(t.Context(), func(tx database.Tx) error {
			if _, _, err := f.links.Redeem(t.Context(), tx, enter, raw); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		f.wantRedeemed(enter, raw, "the link")
	})
}

func TestEndedLinksAreWorthless(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		stranger := onetime.Holder{Subject: id.New[onetime.Subject](), Email: "other@example.com"}
		one, two, theirs := f.mint(enter, f.known), f.mint(leave, f.known), f.mint(enter, stranger)
		f.inTx(func(tx database.Tx) error { return f.links.End(t.Context(), tx, f.known.Subject) })
		f.wantInvalid(enter, one, "an ended link")
		f.wantInvalid(leave, two, "an ended link of another purpose")
		if err := f.links.Check(t.Context(), f.db, enter, theirs); err != nil {
			t.Errorf("somebody else's: %v", err)
		}
	})
}

func TestSweepDeletesWhatIsUsedOrExpired(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		f.mint(leave, f.known)
		f.clock.Advance(life)
		f.wantRedeemed(enter, f.mint(enter, f.known), "used")
		live := onetime.Holder{Subject: id.New[onetime.Subject](), Email: "other@example.com"}
		raw := f.mint(enter, live)
		if err := f.links.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := f.rows(); n != 1 {
			t.Errorf("%d links left, want 1", n)
		}
		if err := f.links.Check(t.Context(), f.db, enter, raw); err != nil {
			t.Errorf("the live one: %v", err)
		}
	})
}

func TestOfTwoMailsTheLaterHasTheGoodLink(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		var sent atomic.Int64
		f.mail.hold = func() {
			if sent.Add(1)%2 == 1 { // give the second mail time to overtake
				time.Sleep(5 * time.Millisecond)
			}
		}
		for round := 1; round <= 15; round++ {
			f.inTx(func(tx database.Tx) error {
				return errors.Join(f.links.Send(t.Context(), tx, enter, "Known@example.com"), f.links.Send(t.Context(), tx, enter, "known@EXAMPLE.com"))
			})
			mails := f.mail.Wait(t, f.known.Email, 2*round)
			_, older, _ := strings.Cut(mails[len(mails)-2].Text, "#token=")
			_, newer, _ := strings.Cut(mails[len(mails)-1].Text, "#token=")
			f.wantInvalid(enter, older, "the earlier mail's link")
			f.wantRedeemed(enter, newer, "the later mail's link")
		}
	})
}

func TestTheTokenIsMadeAnewForEveryAttemptToSendIt(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		f.mail.Break(errors.New("no route to host"))
		f.inTx(func(tx database.Tx) error { return f.links.Send(t.Context(), tx, enter, f.known.Email) })
		f.wantJob(`attempts > 0 AND lease IS NULL`)
		for _, column := range []string{"args", "last_error"} {
			text, err := database.Column[string](f.db.QueryRow(t.Context(), `SELECT `+column+` FROM job`))
			if err != nil || strings.Contains(text, "token") {
				t.Errorf("%s of the job: %q, %v", column, text, err)
			}
		}
		f.mail.Break(nil)
		f.clock.Advance(5 * time.Second)
		f.wantRedeemed(enter, f.mail.Token(t, f.known.Email, "/enter"), "the link of the second attempt")
	})
}

// Nobody is mailed, and nothing piles up, but the work is the same as for
// somebody.
func TestRequestsForUnknownAddressesLeaveOneRow(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		for i := range 3 {
			address := fmt.Sprintf("unknown%d@example.com", i)
			f.inTx(func(tx database.Tx) error { return f.links.Send(t.Context(), tx, enter, address) })
			f.wantNoJobs()
			if n := f.rows(); n != 1 {
				t.Errorf("%d rows after %d requests", n, i+1)
			}
			if mails := f.mail.To(address); len(mails) > 0 {
				t.Errorf("mailed: %v", mails)
			}
		}
	})
}

// wantJob waits for a job of a kind.
func (f fixture) wantJob(where string) {
	f.t.Helper()
	f.wait(`SELECT EXISTS (SELECT 1 FROM job WHERE ` + where + `)`)
}

func (f fixture) wantNoJobs() {
	f.t.Helper()
	f.wait(`SELECT NOT EXISTS (SELECT 1 FROM job)`)
}

func (f fixture) wait(condition string) {
	f.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		ok, err := database.Column[bool](f.db.QueryRow(f.t.Context(), condition))
		if err != nil {
			f.t.Fatal(err)
		}
		if ok {
			return
		}
	}
	f.t.Fatalf("never: %s", condition)
}
