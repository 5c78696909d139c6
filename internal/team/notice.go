package team

import (
	"context"
	"fmt"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
)

// Notices tells people by mail what happened to their user.
type Notices struct {
	queue *job.Queue
	mail  mail.Sender
	pages mail.Links
	clock clock.Clock
}

// NewNotices returns notices that go through the queue.
func NewNotices(queue *job.Queue, sender mail.Sender, pages mail.Links, c clock.Clock) *Notices {
	n := &Notices{queue: queue, mail: sender, pages: pages, clock: c}
	job.Handle(queue, n.deliver)
	return n
}

// noticePatience is how long a notice is tried; later it is news no more.
const noticePatience = 24 * time.Hour

const (
	passwordChanged = "password_changed"
	emailChanged    = "email_changed"
	accountReady    = "account_ready"
)

type notice struct {
	Event string     `json:"event"`
	To    string     `json:"to"`
	Name  string     `json:"name"`
	At    clock.Time `json:"at"`
	// Of an account that is ready.
	Organization string `json:"organization,omitempty"`
	Inviter      string `json:"inviter,omitempty"`
}

func (notice) Kind() string { return "team.notice" }

// PasswordChanged tells a person that their password was changed.
func (n *Notices) PasswordChanged(ctx context.Context, tx database.Tx, email, name string) error {
	return n.queue.Enqueue(ctx, tx, notice{Event: passwordChanged, To: email, Name: name, At: n.clock.Now()}, noticePatience)
}

// EmailChanged tells the old address that it is no longer the user's.
func (n *Notices) EmailChanged(ctx context.Context, tx database.Tx, oldEmail, name string) error {
	return n.queue.Enqueue(ctx, tx, notice{Event: emailChanged, To: oldEmail, Name: name, At: n.clock.Now()}, noticePatience)
}

// AccountReady tells an invited user that they can sign in.
func (n *Notices) AccountReady(ctx context.Context, tx database.Tx, user User, organization, inviter string) error {
	return n.queue.Enqueue(ctx, tx, notice{
		Event: accountReady, To: user.Email, Name: user.FirstName, At: n.clock.Now(), Organization: organization, Inviter: inviter,
	}, noticePatience)
}

func (n *Notices) deliver(ctx context.Context, about notice) error {
	to := mail.Recipient{Address: about.To, Name: about.Name}
	var (
		message mail.Message
		err     error
	)
	switch about.Event {
	case passwordChanged:
		message, err = mail.PasswordChanged{At: about.At}.Render(to)
	case emailChanged:
		message, err = mail.EmailChanged{At: about.At}.Render(to)
	case accountReady:
		message, err = mail.AccountReady{Organization: about.Organization, Inviter: about.Inviter, SignIn: n.pages.SignIn()}.Render(to)
	default:
		err = fmt.Errorf("unknown notice %q", about.Event)
	}
	if err != nil {
		return job.Permanent(err)
	}
	return n.mail.Send(ctx, message)
}
