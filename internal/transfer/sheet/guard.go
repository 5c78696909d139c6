package sheet

// A spreadsheet runs a cell of a CSV file that begins with one of = + - @ tab
// CR. The export puts a ' in front of such a cell, and the import takes it off.
// So that the import can tell that ' from one that was there before, a cell
// that begins with any number of ' and then one of those is guarded as well.

// Guard returns the cell as a spreadsheet can safely open it.
func Guard(cell string) string {
	if isRunnable(cell) {
		return "'" + cell
	}
	return cell
}

// Unguard undoes Guard: Unguard(Guard(s)) is s for every s.
func Unguard[T string | []byte](cell T) T {
	if len(cell) > 1 && cell[0] == '\'' && isRunnable(cell[1:]) {
		return cell[1:]
	}
	return cell
}

func isRunnable[T string | []byte](cell T) bool {
	i := 0
	for i < len(cell) && cell[i] == '\'' {
		i++
	}
	if i == len(cell) {
		return false
	}
	switch cell[i] {
	case '=', '+', '-', '@', '\t', '\r':
		return true
	}
	return false
}
