package sheet_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer/sheet"
)

var fuzzLimits = sheet.Limits{Rows: 1000, Columns: 50, CellChars: 500, RecordBytes: 2000, UnzippedBytes: 1 << 20, StringBytes: 100}

// checkRead holds for any bytes at all: the file is refused by a fault, or its
// rows are numbered upwards in proper text.
func checkRead(t *testing.T, file []byte, ordered bool) []got {
	rows, err := readAll(file, fuzzLimits)
	if err != nil && fault.Code(err) == "" {
		t.Fatalf("not a fault: %v", err)
	}
	last := 0
	for _, row := range rows {
		if ordered && row.number <= last {
			t.Fatalf("row %d comes after row %d", row.number, last)
		}
		last = row.number
		for _, cell := range append(row.record, row.cells[:]...) {
			if !utf8.ValidString(cell) || strings.ContainsAny(cell, "\x00\x01\x1b\x7f\u0085") {
				t.Fatalf("row %d has %q", row.number, cell)
			}
		}
	}
	return rows
}

func FuzzCSV(f *testing.F) {
	for _, s := range []string{
		"", "phone", "phone,notes\n1,\"a\n\"\"b\"\n", "\xef\xbb\xbfphone;tags\r\n1;a,b\r", "sep=|\nphone|email\n1|2",
		"\xff\xfep\x00h\x00o\x00n\x00e\x00\n\x001\x00", "phone\n2.54713E+11\n'=1\n\"open\nnext\n", "caf\xe9\tphone\nx\t1", "%PDF-1", "\n,,\nphone\n\"a\"b\"c",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if bytes.HasPrefix(file, []byte("PK")) {
			t.Skip()
		}
		rows := checkRead(t, file, true)
		export := []byte(sheet.Header)
		for _, row := range rows {
			export = sheet.AppendRecord(export, row.cells[:]...)
		}
		again, err := readAll(export, sheet.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for _, row := range rows {
			if strings.TrimSpace(strings.Join(row.cells[:], "")) == "" {
				continue // a row of other columns alone
			}
			if i == len(again) {
				t.Fatalf("only %d rows come back", i)
			}
			// A number is made plain when it is read first.
			if again[i].reason == "" && again[i].cells != row.cells {
				t.Fatalf("%q comes back as %q", row.cells, again[i].cells)
			}
			i++
		}
	})
}

func FuzzXLSX(f *testing.F) {
	f.Add([]byte(header+`<row r="2"><c r="A2"><v>254712345678</v></c><c t="s"><v>0</v></c></row>`), []byte(`<si><t>a</t></si>`))
	f.Add([]byte(header+`<row><c t="b"><v>1</v></c><c t="inlineStr"><is><r><t>&lt;</t></r></is></c></row>`), []byte(`<si><r><t>a</t></r><rPh><t>b</t></rPh></si>`))
	f.Add([]byte(`<row><c t="s"><v>0</v></c></row><row><c><v>2.54713E+11</v></c><c t="str"><v>_x000D_&#x41;<![CDATA[<]]></v></c></row>`), []byte(`<si><t>phone</t></si>`))
	f.Add([]byte(header+`<row r="9"><!-- x --><c r="XFD9"/><?y?><c r="A9" t='e'><f>1</f><v>#N/A</v></c></row>`), []byte(`<si/>`))
	f.Add([]byte(header+"<row><c><v>25471\x002345678</v></c><c><v>\xff1</v></c></row>"), []byte(`<si/>`))
	f.Fuzz(func(t *testing.T, rows, texts []byte) {
		b := book{sheet: string(rows), strings: string(texts)}
		checkRead(t, zipBy(zip.Store, b.all()), false)
	})
}

// FuzzFile gives any bytes to the reader, zips among them.
func FuzzFile(f *testing.F) {
	f.Add(book{sheet: header + `<row><c><v>1</v></c></row>`}.zip())
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Add([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	f.Fuzz(func(t *testing.T, file []byte) { checkRead(t, file, false) })
}
