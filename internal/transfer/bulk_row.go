package transfer

import (
	"encoding/json"
	"strings"

	"ujumbe/internal/transfer/sheet"
)

// bulkRow is a contact of a bulk body. Its parts take any value, because one
// that can't be used is a matter of its row, not of the request.
type bulkRow struct {
	FirstName bulkText `json:"firstName"`
	LastName  bulkText `json:"lastName"`
	Phone     bulkText `json:"phone"`
	Email     bulkText `json:"email"`
	Tags      bulkTags `json:"tags"`
	Notes     bulkText `json:"notes"`
}

func (r *bulkRow) fill(e *entry) {
	e.input.FirstName = r.FirstName.use(e, sheet.FirstName)
	e.input.LastName = r.LastName.use(e, sheet.LastName)
	e.input.Email = r.Email.use(e, sheet.Email)
	e.input.Notes = r.Notes.use(e, sheet.Notes)
	switch {
	case r.Phone.isNumber && strings.ContainsAny(r.Phone.text, ".eE"):
		e.reason = string(sheet.RoundedNumber)
	case !r.Phone.isWrong:
		e.input.Phone = r.Phone.text
	}
	if r.Tags.isWrong {
		e.unreadable = append(e.unreadable, sheet.Tags)
	} else {
		e.input.Tags = r.Tags.tags
	}
}

func (r *bulkRow) appendLine(dst []byte) []byte {
	return sheet.AppendRecord(dst, r.FirstName.text, r.LastName.text, r.Phone.text, r.Email.text, r.Tags.text(), r.Notes.text)
}

// bulkText is a text. A number is taken as it is written: programs often have
// phones as numbers. Of anything else the JSON is kept, to be shown.
type bulkText struct {
	text              string
	isNumber, isWrong bool
}

// use returns the text, and notes in the row when there is none to use.
func (t *bulkText) use(e *entry, column sheet.Column) string {
	if t.isWrong {
		e.unreadable = append(e.unreadable, column)
		return ""
	}
	return t.text
}

// UnmarshalJSON takes every value.
func (t *bulkText) UnmarshalJSON(raw []byte) error {
	*t = bulkText{}
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, &t.text)
	case 'n':
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		t.text, t.isNumber = string(raw), true
	default:
		t.text, t.isWrong = string(raw), true
	}
	return nil
}

// bulkTags are tags as an array of texts, or as one text like in a file.
type bulkTags struct {
	tags    []string
	isWrong bool
}

func (t *bulkTags) text() string { return strings.Join(t.tags, ";") }

// UnmarshalJSON takes every value.
func (t *bulkTags) UnmarshalJSON(raw []byte) error {
	*t = bulkTags{}
	if raw[0] != '[' {
		var one bulkText
		if err := one.UnmarshalJSON(raw); err != nil {
			return err
		}
		t.tags, t.isWrong = sheet.SplitTags([]byte(one.text)), one.isWrong
		return nil
	}
	var all []bulkText
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, one := range all {
		t.isWrong = t.isWrong || one.isWrong
		if tag := strings.TrimSpace(one.text); tag != "" {
			t.tags = append(t.tags, tag)
		}
	}
	return nil
}
