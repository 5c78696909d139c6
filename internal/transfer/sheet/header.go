package sheet

import (
	"fmt"
	"strings"
	"unicode"

	"ujumbe/internal/fault"
)

var columnNames = [columnCount]string{"first_name", "last_name", "phone", "email", "tags", "notes"}

// synonyms are other names that people and address books give the columns, in
// the form of plainName. The proper name of a column goes before them.
var synonyms = map[string]Column{
	"first": FirstName, "fname": FirstName, "forename": FirstName, "givenname": FirstName,
	"last": LastName, "lname": LastName, "surname": LastName, "familyname": LastName,
	"phonenumber": Phone, "phoneno": Phone, "phonenr": Phone, "phones": Phone, "phone1": Phone, "phone1value": Phone,
	"mobile": Phone, "mobilenumber": Phone, "mobileno": Phone, "mobilephone": Phone, "mobilephonenumber": Phone,
	"cell": Phone, "cellphone": Phone, "cellnumber": Phone, "cellphonenumber": Phone,
	"telephone": Phone, "telephonenumber": Phone, "telephoneno": Phone, "tel": Phone, "telno": Phone,
	"msisdn": Phone, "contactnumber": Phone, "contactno": Phone, "contactphone": Phone,
	"mail": Email, "emailaddress": Email, "mailaddress": Email, "email1": Email, "email1value": Email, "emailid": Email,
	"tag": Tags, "label": Tags, "labels": Tags,
	"note": Notes, "comment": Notes, "comments": Notes, "remark": Notes, "remarks": Notes,
}

// header says which columns a file has.
type header struct {
	names []string
	at    [columnCount]int // place in a record, or -1
}

func readHeader(cells [][]byte) (header, error) {
	h := header{at: matchColumns(cells)}
	for _, cell := range cells {
		h.names = append(h.names, shownName(cell))
	}
	if h.at[Phone] < 0 {
		return h, fault.BadRequest("phone_column_missing", fmt.Sprintf(
			"The file has no phone column. The columns found are: %s. Name the column with the numbers \"phone\" in the first row and upload the file again.",
			listNames(h.names)))
	}
	return h, nil
}

// matchColumns finds each column by its name. Of two columns of the same name
// the first counts; a proper name counts before any synonym.
//
//nolint:gosec // G602: a Column is an index of these arrays
func matchColumns(cells [][]byte) [columnCount]int {
	var at, other [columnCount]int
	for c := range at {
		at[c], other[c] = -1, -1
	}
	for i, cell := range cells {
		name := plainName(cell)
		if c, ok := properColumn(name); ok {
			if at[c] < 0 {
				at[c] = i
			}
		} else if c, ok := synonyms[name]; ok && other[c] < 0 {
			other[c] = i
		}
	}
	for c := range at {
		if at[c] < 0 {
			at[c] = other[c]
		}
	}
	return at
}

func properColumn(plain string) (Column, bool) {
	for c, name := range columnNames {
		if plain == strings.ReplaceAll(name, "_", "") {
			return Column(c), true
		}
	}
	return 0, false
}

// maxNameBytes is more than any name that could match.
const maxNameBytes = 64

// plainName leaves the letters and digits of a name, in lower case: so
// "First Name", first-name, firstName and "* FIRST_NAME" are all one.
func plainName(cell []byte) string {
	if len(cell) > maxNameBytes {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, string(cell))
}

// maxShownName is how many characters of a column's name are kept: a record of
// an import has all of them.
const maxShownName = 100

// shownName is a column's name as a person would quote it.
func shownName(cell []byte) string {
	return cut(strings.ToValidUTF8(strings.Trim(string(trim(cell)), `"' `), ""), maxShownName)
}

// cut leaves the beginning of a name that is longer than so many characters.
func cut(name string, chars int) string {
	for at := range name {
		if chars == 0 {
			return name[:at] + "…"
		}
		chars--
	}
	return name
}

// listNames puts names into a sentence without letting a strange file write
// pages of it.
func listNames(names []string) string {
	const most, chars = 20, 40
	var shown []string
	for _, name := range names {
		if name == "" {
			continue
		}
		if len(shown) == most {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, cut(name, chars))
	}
	return strings.Join(shown, ", ")
}
