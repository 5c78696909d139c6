package mail

import (
	"time"

	"ujumbe/internal/clock"
)

// Recipient is who a letter goes to.
type Recipient struct {
	Address string
	Name    string // first name for the greeting; may be empty
}

// VerifyEmail asks the owner of a new or changed address to confirm it.
type VerifyEmail struct {
	Link     Link
	ValidFor time.Duration
}

// Render writes the letter.
func (l VerifyEmail) Render(to Recipient) (Message, error) {
	return render(to, "verify_email", content{Link: l.Link, ValidFor: l.ValidFor})
}

// ResetPassword lets a customer who asked for it set a new password.
type ResetPassword struct {
	Link     Link
	ValidFor time.Duration
}

// Render writes the letter.
func (l ResetPassword) Render(to Recipient) (Message, error) {
	return render(to, "reset_password", content{Link: l.Link, ValidFor: l.ValidFor})
}

// MagicLink signs in without a password.
type MagicLink struct {
	Link     Link
	ValidFor time.Duration
}

// Render writes the letter.
func (l MagicLink) Render(to Recipient) (Message, error) {
	return render(to, "magic_link", content{Link: l.Link, ValidFor: l.ValidFor})
}

// EmailChanged tells the old address that the account has a new one. It has no
// link, and does not name the new address: whoever reads the old mailbox now
// need not be the person who moved.
type EmailChanged struct {
	At clock.Time
}

// Render writes the letter.
func (l EmailChanged) Render(to Recipient) (Message, error) {
	return renderNotice(to, "email_changed", content{At: l.At})
}

// PasswordChanged tells a user, without a link, that the password is a new one.
type PasswordChanged struct {
	At clock.Time
}

// Render writes the letter.
func (l PasswordChanged) Render(to Recipient) (Message, error) {
	return renderNotice(to, "password_changed", content{At: l.At})
}

// AccountReady tells someone that a colleague made an account for them. The
// password goes to them by another way, never by mail.
type AccountReady struct {
	Organization string
	Inviter      string // first name
	SignIn       Link
}

// Render writes the letter.
func (l AccountReady) Render(to Recipient) (Message, error) {
	return render(to, "account_ready", content{
		Link: l.SignIn, Organization: cleanName(l.Organization), Person: cleanName(l.Inviter),
	})
}

// Invitation asks someone who has an account to join one more organization.
type Invitation struct {
	Organization string
	Inviter      string // first name
	Role         string
	Accept       Link
	ValidFor     time.Duration
}

// Render writes the letter.
func (l Invitation) Render(to Recipient) (Message, error) {
	return render(to, "invitation", content{
		Link: l.Accept, ValidFor: l.ValidFor, Role: cleanName(l.Role),
		Organization: cleanName(l.Organization), Person: cleanName(l.Inviter),
	})
}

// StaffInvitation lets a new staff member set a first password.
type StaffInvitation struct {
	Link     Link
	ValidFor time.Duration
}

// Render writes the letter.
func (l StaffInvitation) Render(to Recipient) (Message, error) {
	return render(to, "staff_invitation", content{Link: l.Link, ValidFor: l.ValidFor})
}

// StaffReset lets a staff member who asked for it set a new password.
type StaffReset struct {
	Link     Link
	ValidFor time.Duration
}

// Render writes the letter.
func (l StaffReset) Render(to Recipient) (Message, error) {
	return render(to, "staff_reset", content{Link: l.Link, ValidFor: l.ValidFor})
}

// ExportFile carries an export of contacts to an address that a user named. Its
// words are fixed, because that address may be anyone's.
type ExportFile struct {
	Organization string
	AskedBy      string // name of the user who asked for it
	Count        int    // rows in the file
	File         Attachment
}

// Render writes the letter.
func (l ExportFile) Render(to Recipient) (Message, error) {
	m, err := renderNotice(to, "export_file", content{
		Organization: cleanName(l.Organization), Person: cleanName(l.AskedBy), Count: l.Count,
	})
	m.Attachments = []Attachment{l.File}
	return m, err
}
