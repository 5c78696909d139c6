package mail

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	netmail "net/mail"
	"path"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"ujumbe/internal/clock"
	"ujumbe/internal/id"
)

const (
	maxSubject    = 200      // characters
	maxBody       = 1 << 20  // bytes of each part
	maxAttached   = 10 << 20 // bytes of all attachments
	maxFileName   = 100      // characters
	maxAttachment = 10       // files
)

// compose makes the mail that goes over the wire. What it refuses, it would
// refuse each time, so its errors are permanent. The machine's host name and
// the names of libraries are left out of the headers.
func compose(m Message, from From, now clock.Time, encoding gomail.Encoding) (*gomail.Msg, error) {
	to, err := ParseAddress(m.To)
	if err != nil {
		return nil, permanent(fmt.Errorf("mail to %q: %w", cut(m.To, maxAddress), err))
	}
	if err := checkParts(m); err != nil {
		return nil, permanent(err)
	}
	msg := gomail.NewMsg(gomail.WithEncoding(encoding), gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&netmail.Address{Name: from.Name, Address: wireAddress(from.Address)})
	msg.ToMailAddress(&netmail.Address{Address: wireAddress(to)})
	msg.Subject(cleanLine(m.Subject, maxSubject))
	msg.SetDateWithValue(now.Std())
	msg.SetMessageIDWithValue(id.New[Message]().String() + "@" + from.domain())
	// Both keep absence notices from answering us; the second is for Exchange.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	msg.SetBodyString(gomail.TypeTextPlain, lines(m.Text))
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, lines(m.HTML))
	}
	for _, a := range m.Attachments {
		if err := attach(msg, a); err != nil {
			return nil, permanent(err)
		}
	}
	return msg, nil
}

// lines gives each line the ending that mail has.
func lines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func checkParts(m Message) error {
	switch {
	case m.Text == "":
		return errors.New("mail has no text part")
	case len(m.Text) > maxBody || len(m.HTML) > maxBody:
		return errors.New("mail body is too large")
	case len(m.Attachments) > maxAttachment || attachedBytes(m) > maxAttached:
		return errors.New("mail attachments are too large")
	}
	return nil
}

func attachedBytes(m Message) (sum int) {
	for _, a := range m.Attachments {
		sum += len(a.Content)
	}
	return sum
}

// attach adds a file under headers of our own making: go-mail writes part
// headers as they are, and FormatMediaType encodes whatever could break one.
func attach(msg *gomail.Msg, a Attachment) error {
	mediaType, _, err := mime.ParseMediaType(a.Type)
	if err != nil || !strings.Contains(mediaType, "/") {
		return fmt.Errorf("attachment has the media type %q", cut(a.Type, maxFileName))
	}
	name := fileName(a.Name)
	contentType := mime.FormatMediaType(mediaType, map[string]string{"name": name})
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": name})
	msg.AttachReadSeeker(name, bytes.NewReader(a.Content), func(f *gomail.File) {
		f.Header.Set("Content-Type", contentType)
		f.Header.Set("Content-Disposition", disposition)
	})
	return nil
}

// fileName keeps the last element of a name that may come from a user.
func fileName(name string) string {
	name = cleanLine(path.Base(strings.ReplaceAll(cut(name, maxInput), `\`, "/")), maxInput)
	if strings.Trim(name, "./ ") == "" {
		return "file"
	}
	runes, ext := []rune(name), path.Ext(name)
	if len(runes) > maxFileName && len(ext) < 10 {
		return string(runes[:maxFileName-len(ext)]) + ext
	}
	return string(runes[:min(len(runes), maxFileName)])
}
