package sheet

// Header is the first line of an export. Lines end with LF alone, which every
// spreadsheet reads and no tool stumbles over, and there is no byte order mark:
// the first name of the header is first_name to any reader.
const Header = "first_name,last_name,phone,email,tags,notes\n"

// Contact is what an export writes of a contact. Tags are joined by semicolons.
type Contact[T string | []byte] struct {
	FirstName, LastName, Phone, Email, Tags, Notes T
}

// AppendContact appends a line of an export. Every cell but the phone, which
// begins with + and is only digits behind it, is guarded.
func AppendContact[T string | []byte](dst []byte, c *Contact[T]) []byte {
	dst = append(appendCell(dst, c.FirstName), ',')
	dst = append(appendCell(dst, c.LastName), ',')
	dst = append(appendQuoted(dst, "", c.Phone), ',')
	dst = append(appendCell(dst, c.Email), ',')
	dst = append(appendCell(dst, c.Tags), ',')
	return append(appendCell(dst, c.Notes), '\n')
}

// AppendRecord appends a line of any cells, all of them guarded: a phone that
// was rejected may be a formula.
func AppendRecord[T string | []byte](dst []byte, cells ...T) []byte {
	for i, cell := range cells {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendCell(dst, cell)
	}
	return append(dst, '\n')
}

func appendCell[T string | []byte](dst []byte, cell T) []byte {
	guard := ""
	if isRunnable(cell) {
		guard = "'"
	}
	return appendQuoted(dst, guard, cell)
}

// appendQuoted appends a cell, quoted where RFC 4180 asks for it and also where
// it begins or ends with a space, which some readers would drop.
func appendQuoted[T string | []byte](dst []byte, guard string, cell T) []byte {
	if !needsQuotes(cell) {
		return append(append(dst, guard...), cell...)
	}
	dst = append(append(dst, '"'), guard...)
	for i := range len(cell) {
		if cell[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, cell[i])
	}
	return append(dst, '"')
}

func needsQuotes[T string | []byte](cell T) bool {
	if len(cell) == 0 {
		return false
	}
	for i := range len(cell) {
		switch cell[i] {
		case ',', '"', '\n', '\r':
			return true
		}
	}
	return isSpace(cell[0]) || isSpace(cell[len(cell)-1])
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' }
