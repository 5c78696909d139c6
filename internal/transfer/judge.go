package transfer

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"ujumbe/internal/contact"
	"ujumbe/internal/fault"
	"ujumbe/internal/phone"
	"ujumbe/internal/transfer/sheet"
)

// Why a row is passed over, beside the reasons of the sheet and phone packages.
const (
	// reasonTwice is a number that an earlier row of the same upload has.
	reasonTwice = "duplicate_in_file"
	// reasonExists is a number that a contact has.
	reasonExists = "duplicate_phone"
	// reasonNoContact is a value in a JSON array that is no object.
	reasonNoContact = "not_a_contact"
)

// judge decides what becomes of the rows of one upload, in their order. What
// makes a contact is the number, so only the number can cost a row its place:
// another cell that can't be kept is left out and noted.
type judge struct {
	// seen makes the first of two rows win whatever the order in which chunks are
	// stored.
	seen numbers
}

func newJudge() *judge { return &judge{seen: numbers{}} }

// numbers is a set, by the upper and the lower half of each number: those of a
// file share few upper halves, and keys of half the size take half the memory.
type numbers map[uint32]map[uint32]struct{}

// add reports whether the number is new to the set.
func (n numbers) add(number phone.Number) bool {
	upper, lower := uint32(number>>32), uint32(number)
	half := n[upper]
	if half == nil {
		half = map[uint32]struct{}{}
		n[upper] = half
	}
	before := len(half)
	half[lower] = struct{}{}
	return len(half) > before
}

// verdict is what becomes of a row: it is passed over for a reason, or it is a
// draft, perhaps amended.
type verdict struct {
	draft   contact.Draft
	reason  string
	amended string
}

func (j *judge) decide(e *entry) verdict {
	if e.reason != "" {
		return verdict{reason: e.reason}
	}
	draft, err := e.input.Draft()
	v := verdict{draft: draft}
	if err != nil || len(e.unreadable) > 0 {
		if v = amend(e); v.reason != "" {
			return v
		}
	}
	if !j.seen.add(v.draft.Phone) {
		return verdict{reason: reasonTwice}
	}
	return v
}

// amend makes a draft of what can be kept of a row.
func amend(e *entry) verdict {
	if _, err := phone.Parse(e.input.Phone); err != nil {
		return verdict{reason: fault.Code(err)}
	}
	in := e.input
	in.FirstName, in.LastName = oneLine(in.FirstName), oneLine(in.LastName)
	left := e.unreadable
	draft, err := in.Draft()
	var wrong *fault.Error
	if errors.As(err, &wrong) {
		for _, field := range wrong.Fields {
			left = append(left, leaveOut(&in, field.Location))
		}
		draft, err = in.Draft()
	}
	if err != nil {
		return verdict{reason: fault.Code(err)}
	}
	return verdict{draft: draft, amended: reasonsOf(left)}
}

// oneLine makes a space of every line break in a name.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, name)
}

// leaveOut empties the part of a contact that a fault points at.
func leaveOut(in *contact.Input, location string) sheet.Column {
	switch location {
	case "body.firstName":
		in.FirstName = ""
		return sheet.FirstName
	case "body.lastName":
		in.LastName = ""
		return sheet.LastName
	case "body.email":
		in.Email = ""
		return sheet.Email
	case "body.notes":
		in.Notes = ""
		return sheet.Notes
	default:
		in.Tags = nil
		return sheet.Tags
	}
}

// reasonsOf names cells that were left out, each once.
func reasonsOf(left []sheet.Column) string {
	var reasons []string
	for column := sheet.FirstName; column <= sheet.Notes; column++ {
		if slices.Contains(left, column) {
			reasons = append(reasons, "invalid_"+column.String())
		}
	}
	return strings.Join(reasons, ";")
}
