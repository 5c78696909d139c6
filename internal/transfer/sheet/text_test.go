package sheet_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"ujumbe/internal/transfer/sheet"
)

// utf16Bytes is text in UTF-16, little end first, without a mark of its own.
func utf16Bytes(text string) string {
	s, err := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return s
}

func utf16BEBytes(text string) string {
	s, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return s
}

func windows1252Bytes(text string) string {
	s, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		panic(err)
	}
	return s
}

func TestCharsets(t *testing.T) {
	const text = "first_name,phone,notes\r\nZoë,254712345678,“à bientôt” – 5 €\r\nRené,254712345679,x\r\n"
	want := [][6]string{
		{"Zoë", "", "254712345678", "", "", "“à bientôt” – 5 €"},
		{"René", "", "254712345679", "", "", "x"},
	}
	for name, file := range map[string]string{
		"UTF-8":                                  text,
		"UTF-8 with a mark":                      "\xef\xbb\xbf" + text,
		"UTF-16 little end first with a mark":    "\xff\xfe" + utf16Bytes(text),
		"UTF-16 big end first with a mark":       "\xfe\xff" + utf16BEBytes(text),
		"UTF-16 little end first without a mark": utf16Bytes(text),
		"UTF-16 big end first without a mark":    utf16BEBytes(text),
		"Windows-1252":                           windows1252Bytes(text),
	} {
		t.Run(name, func(t *testing.T) { wantCells(t, read(t, file), want...) })
	}
}

func TestTextsWithoutLatinLetters(t *testing.T) {
	text := "first_name,phone\n" + strings.Repeat("አሚና ኦዲያምቦ በላይነህ,1\n", 500)
	for name, file := range map[string]string{
		"UTF-8": text, "UTF-16 little end first": utf16Bytes(text), "UTF-16 big end first": utf16BEBytes(text),
	} {
		t.Run(name, func(t *testing.T) {
			wantCells(t, read(t, file)[499:], [6]string{"አሚና ኦዲያምቦ በላይነህ", "", "1"})
		})
	}
}

func TestWindows1252ThatShowsLate(t *testing.T) {
	ascii := "first_name,phone\n" + strings.Repeat("Amina,254712345678\n", 10_000)
	rows := read(t, ascii+windows1252Bytes("Zoë,1\nÀ côté,2\n")+"Zoë,3\n")
	last := rows[len(rows)-3:]
	wantCells(t, last, [6]string{"Zoë", "", "1"}, [6]string{"À côté", "", "2"}, [6]string{"Zoë", "", "3"})
}

func TestOneBrokenByteDoesNotSpoilTheAccents(t *testing.T) {
	rows := read(t, "first_name,phone\nZoë,1\nRené,2\nEl\xe8ne,3\nJosé,4\n")
	wantCells(t, rows, [6]string{"Zoë", "", "1"}, [6]string{"René", "", "2"}, [6]string{"Elène", "", "3"}, [6]string{"José", "", "4"})
}

// The look at the start of a file ends in the middle of a character.
func TestCharacterAcrossTheLookAhead(t *testing.T) {
	for shift := range 4 {
		file := "notes,phone\n" + strings.Repeat("x", 60_000) + "\n" + strings.Repeat("y", 5522-shift) + "€,1\n"
		rows, err := readAll([]byte(file), sheet.Limits{CellChars: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		if last := rows[1].cells[sheet.Notes]; !strings.HasSuffix(last, "y€") {
			t.Errorf("shift %d: the cell ends in %q", shift, last[len(last)-6:])
		}
	}
}

func TestControlCharactersAreRemoved(t *testing.T) {
	pad := strings.Repeat("Amina,1,x\n", 1000) // so that the file is known as text
	file := "first_name,phone,notes\n" + pad +
		"A\x00mi\x01na\x7f,2\x00,\"tab\there\x1b[0m\nnext\u0085 \u009bline\"\n"
	rows := read(t, file)
	wantCells(t, rows[1000:], [6]string{"Amina", "", "2", "", "", "tab\there[0m\nnext line"})
}

func TestTextIsAlwaysProper(t *testing.T) {
	for b := range 256 {
		file := append([]byte("first_name,phone\n"), strings.Repeat("Amina Odhiambo,1\n", 600)...)
		file = fmt.Appendf(file, "x%cy,2\n", 'é')
		file = append(file, 'a', byte(b), 'b', ',', '3', '\n')
		rows, err := readAll(file, sheet.Limits{})
		if err != nil {
			t.Fatalf("byte %#x: %v", b, err)
		}
		for _, row := range rows {
			if !utf8.ValidString(row.cells[0]) {
				t.Errorf("byte %#x gives %q", b, row.cells[0])
			}
		}
	}
}
