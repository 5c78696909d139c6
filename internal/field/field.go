// Package field checks the parts of an input and collects what is wrong with
// them, so that a caller hears of everything at once.
package field

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ujumbe/internal/fault"
	"ujumbe/internal/mail"
	"ujumbe/internal/token"
)

// NameMax bounds names of people, in characters.
const NameMax = 100

// Checks collects what is wrong. The zero value is ready.
type Checks struct {
	fields []fault.Field
}

// Fail records that the part at a location ("body.phone") is wrong.
func (c *Checks) Fail(location, message string) {
	c.fields = append(c.fields, fault.Field{Location: location, Message: message})
}

// Text returns the text without surrounding space. It must have from min to max
// characters and be one line.
func (c *Checks) Text(location, text string, min, max int) string {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n < min && min == 1:
		c.Fail(location, "must not be empty")
	case n < min:
		c.Fail(location, fmt.Sprintf("must have at least %d characters", min))
	case n > max:
		c.Fail(location, fmt.Sprintf("must have at most %d characters", max))
	case strings.ContainsFunc(text, unicode.IsControl):
		c.Fail(location, "must not contain line breaks or control characters")
	}
	return text
}

// Email returns the address without surrounding space, as typed.
func (c *Checks) Email(location, address string) string {
	address = strings.TrimSpace(address)
	if !mail.ValidAddress(address) {
		c.Fail(location, "must be an email address like name@example.com")
	}
	return address
}

// Password applies the bounds of a new password.
func (c *Checks) Password(location, password string) {
	if !token.CheckPassword(password) {
		c.Fail(location, fmt.Sprintf("must have %d to %d characters", token.PasswordMin, token.PasswordMax))
	}
}

// Err is the fault for everything recorded, or nil.
func (c *Checks) Err() error {
	if len(c.fields) == 0 {
		return nil
	}
	detail := "Some fields are not right; errors says which and why."
	if len(c.fields) == 1 {
		name := c.fields[0].Location[strings.LastIndexByte(c.fields[0].Location, '.')+1:]
		detail = fmt.Sprintf("The field %s %s.", name, c.fields[0].Message)
	}
	return fault.Invalid("validation_failed", detail, c.fields...)
}
