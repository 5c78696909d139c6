package contact

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/phone"
)

// The bounds of a contact's parts, in characters or entries.
const (
	NameMax  = field.NameMax
	NotesMax = 2000
	TagMax   = 50
	TagsMax  = 50
)

// Input is a contact as a person or a file wrote it. What is empty is not known.
type Input struct {
	Phone     string
	FirstName string
	LastName  string
	Email     string
	Notes     string
	Tags      []string
}

// Draft is a contact that has been checked and can be stored.
type Draft struct {
	Phone     phone.Number
	FirstName string
	LastName  string
	Email     string
	Notes     string
	Tags      Tags
}

// Draft checks every part. The error is a fault that names all the parts that
// are wrong; where only the phone is, it is one of the phone package's.
func (in Input) Draft() (Draft, error) {
	var c field.Checks
	d := Draft{
		FirstName: c.Text("body.firstName", in.FirstName, 0, NameMax),
		LastName:  c.Text("body.lastName", in.LastName, 0, NameMax),
		Email:     checkEmail(&c, in.Email),
		Notes:     checkNotes(&c, in.Notes),
		Tags:      JoinTags(checkTags(&c, "body.tags", in.Tags)),
	}
	var err error
	d.Phone, err = phone.Parse(in.Phone)
	return d, withPhone(&c, err)
}

// withPhone adds the fault of a phone number to those of other parts.
func withPhone(c *field.Checks, err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return c.Err()
	}
	at := fault.Field{Location: "body.phone", Message: f.Detail}
	if c.Err() == nil {
		return fault.Invalid(f.Code, f.Detail, at)
	}
	c.Fail(at.Location, at.Message)
	return c.Err()
}

func checkEmail(c *field.Checks, address string) string {
	if strings.TrimSpace(address) == "" {
		return ""
	}
	return c.Email("body.email", address)
}

// checkNotes allows several lines.
func checkNotes(c *field.Checks, notes string) string {
	return checkLines(c, "body.notes", notes, NotesMax)
}

func checkLines(c *field.Checks, location, text string, max int) string {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > max && utf8.RuneCountInString(text) > max:
		c.Fail(location, fmt.Sprintf("must have at most %d characters", max))
	case strings.ContainsFunc(text, isStrayControl):
		c.Fail(location, "must not contain control characters other than line breaks and tabs")
	}
	return text
}

func isStrayControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
}

// checkTags returns the tags without surrounding space, as they were given if
// none has any.
func checkTags(c *field.Checks, location string, tags []string) []string {
	if len(tags) > TagsMax {
		c.Fail(location, fmt.Sprintf("must have at most %d tags", TagsMax))
		return nil
	}
	checked := tags
	for i, tag := range tags {
		trimmed := c.Text(location, tag, 1, TagMax)
		if strings.ContainsAny(trimmed, ";,") {
			c.Fail(location, "must not have a tag with a comma or semicolon in it")
		}
		if trimmed == tag {
			continue
		}
		if &checked[0] == &tags[0] {
			checked = append([]string(nil), tags...)
		}
		checked[i] = trimmed
	}
	return checked
}
