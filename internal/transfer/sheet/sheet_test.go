package sheet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer/sheet"
)

// got is a row as a test compares it.
type got struct {
	number int
	reason sheet.Reason
	cells  [6]string
	record []string
}

func open(file []byte, limits sheet.Limits) (*sheet.Reader, error) {
	return sheet.Open(bytes.NewReader(file), int64(len(file)), limits)
}

func readAll(file []byte, limits sheet.Limits) ([]got, error) {
	r, err := open(file, limits)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return rowsOf(r)
}

func rowsOf(r *sheet.Reader) ([]got, error) {
	var rows []got
	for row, err := range r.All() {
		if err != nil {
			return rows, err
		}
		g := got{number: row.Number, reason: row.Reason}
		for c := range g.cells {
			g.cells[c] = string(row.Cell(sheet.Column(c)))
		}
		for _, cell := range row.Record {
			g.record = append(g.record, string(cell))
		}
		rows = append(rows, g)
	}
	return rows, nil
}

// read is readAll for a file that must be readable.
func read(t *testing.T, file string) []got {
	t.Helper()
	rows, err := readAll([]byte(file), sheet.Limits{})
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return rows
}

func wantCells(t *testing.T, rows []got, want ...[6]string) {
	t.Helper()
	if len(rows) != len(want) {
		t.Fatalf("read %d rows, want %d: %+v", len(rows), len(want), rows)
	}
	for i, row := range rows {
		if row.cells != want[i] {
			t.Errorf("row %d is %q, want %q", i, row.cells, want[i])
		}
	}
}

func phones(rows []got) string {
	var all []string
	for _, row := range rows {
		all = append(all, row.cells[sheet.Phone])
	}
	return strings.Join(all, " ")
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string, words ...string) {
	t.Helper()
	if fault.Code(err) != code || !fault.Is(err, kind) {
		t.Fatalf("error is %v, want %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func TestFilesThatCannotBeAnImport(t *testing.T) {
	const docx = "word/document.xml"
	cases := map[string]struct {
		file  string
		code  string
		words string
	}{
		"nothing":                  {"", "file_empty", "empty"},
		"only a mark":              {"\xef\xbb\xbf", "file_empty", "empty"},
		"only a UTF-16 mark":       {"\xff\xfe", "file_empty", "empty"},
		"only blank lines":         {"\n\r\n  \n,,,\n", "file_empty", "empty"},
		"no phone column":          {"name;town\nAmina;Kisumu\n", "phone_column_missing", "name, town"},
		"no header":                {"Amina,Odhiambo,254712345678\n", "phone_column_missing", "254712345678"},
		"PDF":                      {"%PDF-1.7\n%...", "unsupported_file", "PDF"},
		"PNG":                      {"\x89PNG\r\n\x1a\n....", "unsupported_file", "image"},
		"JPEG":                     {"\xff\xd8\xff\xe0..JFIF", "unsupported_file", "image"},
		"gzip":                     {"\x1f\x8b\x08....", "unsupported_file", "gzip"},
		"web page":                 {"\r\n<!DOCTYPE html><table>", "unsupported_file", "web page"},
		"table saved as .xls":      {"\xef\xbb\xbf<html xmlns:x=\"x\">", "unsupported_file", "web page"},
		"XML":                      {"<?xml version=\"1.0\"?><Workbook/>", "unsupported_file", "XML"},
		"JSON":                     {"[{\"phone\":\"254712345678\"}]", "unsupported_file", "JSON"},
		"UTF-32":                   {"\xff\xfe\x00\x00p\x00\x00\x00", "unsupported_file", "UTF-32"},
		"bytes of a program":       {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x03\x00>\x00", "unsupported_file", "neither"},
		"control characters":       {"\x01\x02phone\x03\x04", "unsupported_file", "neither"},
		"old workbook":             {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("x", 100_000), "unsupported_file", ".xls"},
		"workbook with a password": {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("x", 65_530) + utf16Bytes("EncryptedPackage"), "file_encrypted", "password"},
		"text document":            {string(zipOf(map[string]string{docx: "<w/>"})), "unsupported_file", ".docx"},
		"OpenDocument":             {string(zipOf(map[string]string{"mimetype": "x", "content.xml": "<x/>"})), "unsupported_file", ".ods"},
		"binary workbook":          {string(zipOf(map[string]string{"xl/workbook.bin": "x", "_rels/.rels": "<x/>"})), "unsupported_file", ".xlsb"},
		"zip of zips":              {string(zipOf(map[string]string{"a.zip": string(book{}.zip())})), "unsupported_file", "zip archive"},
		"zip that breaks off":      {string(book{}.zip()[:300]), "file_corrupt", "damaged"},
		"header with an open quote": {
			"\"phone,notes\n254712345678,x\n", "file_corrupt", "column names"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := readAll([]byte(c.file), sheet.Limits{})
			wantFault(t, err, fault.KindBadRequest, c.code, c.words)
		})
	}
}

func TestColumnsFoundAreListedWithinBounds(t *testing.T) {
	header := strings.Repeat(strings.Repeat("é", 50)+",", 500)
	_, err := readAll([]byte(header+"\n"), sheet.Limits{})
	wantFault(t, err, fault.KindBadRequest, "phone_column_missing", "…")
	if len(err.Error()) > 3000 {
		t.Errorf("the sentence has %d bytes", len(err.Error()))
	}
}

func TestHeaderOnlyHasNoRows(t *testing.T) {
	for _, file := range []string{"phone", "phone\n", "phone,notes\r\n\r\n", "\xef\xbb\xbfphone"} {
		if rows := read(t, file); len(rows) != 0 {
			t.Errorf("%q has %d rows", file, len(rows))
		}
	}
}

func TestLongColumnNameIsCut(t *testing.T) {
	r, err := open([]byte("phone,"+strings.Repeat("é", 100)+","+strings.Repeat("é", 101)+"\n1,2,3\n"), sheet.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := strings.Join(r.Columns(), "|"); got != "phone|"+strings.Repeat("é", 100)+"|"+strings.Repeat("é", 100)+"…" {
		t.Errorf("columns are %q", got)
	}
}

func TestReaderSaysWhatItReads(t *testing.T) {
	file := "Phone Number , Town\n254712345678,Kisumu\n"
	r, err := open([]byte(file), sheet.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := strings.Join(r.Columns(), "|"); got != "Phone Number|Town" {
		t.Errorf("columns are %q", got)
	}
	if r.Format() != sheet.CSV {
		t.Errorf("format is %q", r.Format())
	}
	row, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(bytes.Join(row.Record, []byte("|"))); got != "254712345678|Kisumu" {
		t.Errorf("record is %q", got)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("after the last row: %v", err)
		}
	}
	if r.BytesRead() != int64(len(file)) {
		t.Errorf("read %d bytes of %d", r.BytesRead(), len(file))
	}
}

func TestProgressGrowsToTheSizeOfTheFile(t *testing.T) {
	var lines strings.Builder
	lines.WriteString(sheet.Header)
	for range 20_000 {
		lines.WriteString("Amina,Odhiambo,254712345678,,,\n")
	}
	var cells strings.Builder
	cells.WriteString(`<row><c t="str"><v>phone</v></c></row>`)
	for i := range 50_000 {
		fmt.Fprintf(&cells, `<row><c><v>%d</v></c></row>`, i*i*7919)
	}
	for name, file := range map[string][]byte{"csv": []byte(lines.String()), "xlsx": book{sheet: cells.String()}.zip()} {
		t.Run(name, func(t *testing.T) {
			r, err := open(file, sheet.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			last, steps := int64(0), 0
			for _, err := range r.All() {
				if err != nil {
					t.Fatal(err)
				}
				if n := r.BytesRead(); n > last {
					last, steps = n, steps+1
				} else if n < last {
					t.Fatalf("progress went back from %d to %d", last, n)
				}
			}
			if steps < 2 || r.BytesRead() != int64(len(file)) {
				t.Errorf("%d steps to %d of %d bytes", steps, r.BytesRead(), len(file))
			}
		})
	}
}

func TestStreamGivesTheSameRows(t *testing.T) {
	file := utf16Bytes("\ufefffirst_name;phone\r\nZoë;254712345678\r\n\"a\r\nb\";254712345679")
	r, err := sheet.OpenCSV(iotest.OneByteReader(strings.NewReader(file)), sheet.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := rowsOf(r)
	if err != nil {
		t.Fatal(err)
	}
	wantCells(t, rows, [6]string{"Zoë", "", "254712345678"}, [6]string{"a\r\nb", "", "254712345679"})

	_, err = sheet.OpenCSV(bytes.NewReader(book{}.zip()), sheet.Limits{})
	wantFault(t, err, fault.KindBadRequest, "unsupported_file", "CSV")
}

func TestDiskThatFailsIsNoFaultOfTheCaller(t *testing.T) {
	broken := errors.New("disk on fire")
	csv := strings.Repeat("phone\n", 20_000)
	for name, file := range map[string][]byte{"csv": []byte(csv), "xlsx": book{sheet: csv}.zip()} {
		t.Run(name, func(t *testing.T) {
			src := &failingSource{data: file, from: int64(len(file) / 2), err: broken}
			r, err := sheet.Open(src, int64(len(file)), sheet.Limits{})
			if err == nil {
				_, err = rowsOf(r)
			}
			if !errors.Is(err, broken) || fault.Code(err) != "" {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// failingSource can't be read from a place on.
type failingSource struct {
	data []byte
	from int64
	err  error
}

func (s *failingSource) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > s.from {
		return 0, s.err
	}
	return bytes.NewReader(s.data).ReadAt(p, off)
}
