package sheet_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/transfer/sheet"
)

// cellText makes cells of what is hard for CSV and the guard.
func cellText() *rapid.Generator[string] {
	return rapid.StringOf(rapid.SampledFrom([]rune("'=+-@\t\r\n\"\",;| |aé€😀\u00a0\u200b")))
}

func TestGuard(t *testing.T) {
	for cell, want := range map[string]string{
		"":                 "",
		"Amina":            "Amina",
		"=1+1":             "'=1+1",
		"+254712345678":    "'+254712345678",
		"-1":               "'-1",
		"@SUM(A1)":         "'@SUM(A1)",
		"\tx":              "'\tx",
		"\rx":              "'\rx",
		"\nx":              "\nx",
		" =1":              " =1",
		"'":                "'",
		"''":               "''",
		"'tis":             "'tis",
		"'=1":              "''=1",
		"''=1":             "'''=1",
		"a=1":              "a=1",
		"o'clock @ school": "o'clock @ school",
	} {
		if got := sheet.Guard(cell); got != want {
			t.Errorf("Guard(%q) is %q, want %q", cell, got, want)
		}
		if got := sheet.Unguard(want); got != cell {
			t.Errorf("Unguard(%q) is %q, want %q", want, got, cell)
		}
	}
}

func TestUnguardUndoesGuardForEveryString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(cellText(), rapid.String()).Draw(t, "cell")
		guarded := sheet.Guard(s)
		if back := sheet.Unguard(guarded); back != s {
			t.Fatalf("%q comes back as %q", s, back)
		}
		if string(sheet.Unguard([]byte(guarded))) != s {
			t.Fatalf("%q comes back otherwise as bytes", s)
		}
		if guarded != "" && strings.ContainsRune("=+-@\t\r", rune(guarded[0])) {
			t.Fatalf("%q is still run by a spreadsheet", guarded)
		}
	})
}

func TestReaderTakesTheGuardOff(t *testing.T) {
	rows := read(t, "first_name,last_name,phone,email,tags,notes,x\n'=a,''=b,'+254712345678,'-c@example.com,'@d;e,'tis,'=x\n")
	wantCells(t, rows, [6]string{"=a", "'=b", "+254712345678", "-c@example.com", "@d;e", "'tis"})
	if rows[0].record[6] != "=x" {
		t.Errorf("the record keeps %q", rows[0].record[6])
	}
}
