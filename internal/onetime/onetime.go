// Package onetime mails links that work once. The token of a link is made when
// its mail is sent, so that none lies in the queue; of it only a hash is stored,
// bound to a purpose and to the address it went to; a newer link ends older ones.
package onetime

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/token"
)

// Purpose is what a link is for. A link of one purpose is unknown to another.
type Purpose string

// Subject stands for whatever a link is about: a user, a staff member, an
// invitation.
type Subject struct{}

// Holder is who gets a link.
type Holder struct {
	Subject id.Of[Subject]
	Email   string
	Name    string
	// Details is what else Find wants Write to know.
	Details any
}

// Recipient is whom the link is mailed to.
func (h Holder) Recipient() mail.Recipient { return mail.Recipient{Address: h.Email, Name: h.Name} }

// ErrNobody is returned by Kind.Find when there is nobody to mail. It is no
// failure: requests for unknown addresses end here, unseen by the requester.
var ErrNobody = errors.New("nobody to mail")

// Kind is how links of one purpose are made.
type Kind struct {
	Purpose Purpose
	Life    time.Duration
	// Find looks up, when the mail is sent, who gets it. About is what Send was
	// given.
	Find func(ctx context.Context, q database.Querier, about string) (Holder, error)
	// Write makes the mail with the link's token in it.
	Write func(h Holder, rawToken string) (mail.Message, error)
}

// Links mails and redeems one-time links.
type Links struct {
	db    *database.DB
	clock clock.Clock
	queue *job.Queue
	mail  mail.Sender
	kinds map[Purpose]Kind
	// turns keep the mails of one purpose to one address in the order in which
	// their tokens are made, so that of two mails the later has the good link.
	turns [64]sync.Mutex
}

// New returns a Links that sends by the queue.
func New(db *database.DB, c clock.Clock, queue *job.Queue, sender mail.Sender) *Links {
	l := &Links{db: db, clock: c, queue: queue, mail: sender, kinds: map[Purpose]Kind{}}
	job.Handle(queue, l.deliver)
	return l
}

// Add makes a purpose known, before the queue runs.
func (l *Links) Add(k Kind) { l.kinds[k.Purpose] = k }

type delivery struct {
	Purpose Purpose `json:"purpose"`
	About   string  `json:"about"`
}

func (delivery) Kind() string { return "onetime.deliver" }

// Send enqueues the mail of a link with the transaction. It does the same work
// whether or not anybody will be found, so its time tells nothing. The mail is
// tried for as long as the link would live.
func (l *Links) Send(ctx context.Context, tx database.Tx, purpose Purpose, about string) error {
	return l.queue.Enqueue(ctx, tx, delivery{purpose, about}, l.kinds[purpose].Life)
}

// scatter is up to how long the making of a link is put off. Done at once, the
// work for somebody would slow down the very next request, whose time would then
// tell of the one before.
const scatter = 60 * time.Millisecond

func (l *Links) deliver(ctx context.Context, d delivery) error {
	kind, ok := l.kinds[d.Purpose]
	if !ok {
		return job.Permanent(fmt.Errorf("unknown purpose %q", d.Purpose))
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(scatter)): //nolint:gosec // spreads work, hides no secret
	}
	turn := l.turn(d)
	turn.Lock()
	defer turn.Unlock()

	var (
		holder Holder
		raw    token.Opaque
		nobody bool
	)
	err := l.db.InTx(ctx, func(tx database.Tx) error {
		var err error
		holder, err = kind.Find(ctx, tx, d.About)
		if nobody = errors.Is(err, ErrNobody); nobody {
			// The same writes as for somebody, or the next request would have to
			// wait for them less long. The token is nobody's and never leaves.
			holder, err = Holder{}, nil
		}
		if err != nil {
			return err
		}
		raw, err = l.Mint(ctx, tx, d.Purpose, holder)
		return err
	})
	if err != nil || nobody {
		return err
	}
	message, err := kind.Write(holder, raw.Reveal())
	if err != nil {
		return job.Permanent(fmt.Errorf("write %s mail: %w", d.Purpose, err))
	}
	return l.mail.Send(ctx, message)
}

func (l *Links) turn(d delivery) *sync.Mutex {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(string(d.Purpose) + "\x00" + strings.ToLower(d.About)))
	return &l.turns[sum.Sum32()%uint32(len(l.turns))]
}

// Mint makes the token of a link; it takes the place of an older one of the same
// purpose. It is for links that are not mailed; others go through Send.
func (l *Links) Mint(ctx context.Context, tx database.Tx, purpose Purpose, h Holder) (token.Opaque, error) {
	raw, now := token.NewOpaque(), l.clock.Now()
	err := tx.Queue(ctx, `INSERT INTO one_time_token (hash, purpose, subject_id, email_key, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (subject_id, purpose) DO UPDATE SET hash = excluded.hash, email_key = excluded.email_key,
			created_at = excluded.created_at, expires_at = excluded.expires_at, used_at = NULL`,
		raw.Hash(), purpose, h.Subject, mail.AddressKey(h.Email), now, now.Add(l.kinds[purpose].Life))
	if err != nil {
		return token.Opaque{}, fmt.Errorf("make link: %w", err)
	}
	return raw, nil
}

// ErrInvalid is the one answer to a link that is not good.
var ErrInvalid = fault.BadRequest("invalid_link", "This link is unknown, used or expired. Ask for a new one.")

// Redeem spends a token in the transaction and returns what it was for. One
// conditional update decides between concurrent callers. The caller compares the
// address key with the present one.
func (l *Links) Redeem(ctx context.Context, tx database.Tx, purpose Purpose, rawToken string) (subject id.Of[Subject], emailKey string, err error) {
	raw, ok := token.ParseOpaque(rawToken)
	if !ok {
		return subject, "", ErrInvalid
	}
	err = tx.QueryRow(ctx, `UPDATE one_time_token SET used_at = $1 WHERE hash = $2 AND purpose = $3 AND used_at IS NULL AND expires_at > $1
		RETURNING subject_id, email_key`, l.clock.Now(), raw.Hash(), purpose).Scan(&subject, &emailKey)
	if errors.Is(err, database.ErrNoRows) {
		return subject, "", ErrInvalid
	}
	if err != nil {
		return subject, "", fmt.Errorf("redeem link: %w", err)
	}
	return subject, emailKey, nil
}

// Check reports by ErrInvalid that a token can't be redeemed at this moment. It
// spends nothing: callers ask before they do what is costly.
func (l *Links) Check(ctx context.Context, q database.Querier, purpose Purpose, rawToken string) error {
	raw, ok := token.ParseOpaque(rawToken)
	if !ok {
		return ErrInvalid
	}
	var good bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM one_time_token WHERE hash = $1 AND purpose = $2 AND used_at IS NULL AND expires_at > $3)`,
		raw.Hash(), purpose, l.clock.Now()).Scan(&good)
	if err != nil {
		return fmt.Errorf("look for link: %w", err)
	}
	if !good {
		return ErrInvalid
	}
	return nil
}

// End makes every open link about a subject worthless.
func (l *Links) End(ctx context.Context, tx database.Tx, subject id.Of[Subject]) error {
	if err := tx.Queue(ctx, `DELETE FROM one_time_token WHERE subject_id = $1`, subject); err != nil {
		return fmt.Errorf("end links: %w", err)
	}
	return nil
}

// Sweep deletes links that nobody can use any more.
func (l *Links) Sweep(ctx context.Context) error {
	err := l.db.Sweep(ctx, `DELETE FROM one_time_token WHERE hash IN (
		SELECT hash FROM one_time_token WHERE expires_at <= $1 OR used_at IS NOT NULL LIMIT $2)`, l.clock.Now())
	if err != nil {
		return fmt.Errorf("sweep links: %w", err)
	}
	return nil
}
