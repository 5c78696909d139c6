// Package mail writes and sends the product's mail: typed letters rendered as
// HTML and plain text, and senders that hand them to an SMTP server or to a
// folder of files.
//
// Three things hold for every mail, whoever asks for it:
//
//   - Its links come from the configured public URL. A Link can only be made by
//     Links, so no letter can carry an address from a request.
//   - Names chosen by users are shown as words. They can't add a header, markup
//     or something a mail program would turn into a link (see cleanName).
//   - Its words are fixed by the templates; nothing else a user typed is sent.
package mail

import "context"

// Message is a mail ready to be sent. Letters make it (see VerifyEmail and its
// neighbours); a Sender adds who it is from, the date and an id.
type Message struct {
	To          string // one address, as ParseAddress takes it
	Subject     string
	HTML        string
	Text        string
	Attachments []Attachment
}

// Attachment is a file that goes with a mail.
type Attachment struct {
	Name    string // shown to the reader; folders and control characters are dropped
	Type    string // media type such as text/csv
	Content []byte
}

// Sender delivers mail. A nil error means that the mail is safely out of our
// hands. After an error the mail may be tried again, unless IsPermanent says
// that it would be in vain. Senders may be used by many goroutines at once.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Observed returns a Sender that tells done how each send ended, for counting.
func Observed(next Sender, done func(err error)) Sender { return observed{next, done} }

type observed struct {
	next Sender
	done func(error)
}

func (o observed) Send(ctx context.Context, m Message) error {
	err := o.next.Send(ctx, m)
	o.done(err)
	return err
}
