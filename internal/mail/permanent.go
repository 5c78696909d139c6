package mail

import (
	"errors"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// IsPermanent reports whether sending the same mail again would be in vain: its
// recipient or its content was refused for good. Everything else may pass, with
// time or by the operator's hand: a server that is down or busy (4xx), and also
// refusals that are about us rather than about this mail. Wrong credentials, a
// refused sender and denials by policy (5.7.x, such as "relay access denied")
// end when the configuration is mended, and the mail should then still go out.
func IsPermanent(err error) bool {
	var p permanentError
	return errors.As(err, &p)
}

type permanentError struct{ error }

func (p permanentError) Unwrap() error { return p.error }

// Permanent tells the job that sends the mail not to try again.
func (permanentError) Permanent() bool { return true }

func permanent(err error) error { return permanentError{err} }

// judge marks what the server refused for good.
func judge(err error) error {
	var refusal *gomail.SendError
	if !errors.As(err, &refusal) || refusal.ErrorCode() < 500 || refusal.ErrorCode() > 599 {
		return err
	}
	aboutMail := []gomail.SendErrReason{gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose}
	if slices.Contains(aboutMail, refusal.Reason) && !aboutUs(refusal) {
		return permanent(err)
	}
	return err
}

func aboutUs(refusal *gomail.SendError) bool {
	switch refusal.ErrorCode() {
	case 530, 534, 535, 538: // authentication, RFC 4954
		return true
	case 503: // bad sequence of commands
		return true
	}
	return strings.HasPrefix(refusal.EnhancedStatusCode(), "5.7.")
}
