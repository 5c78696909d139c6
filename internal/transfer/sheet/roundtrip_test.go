package sheet_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"ujumbe/internal/transfer/sheet"
)

// dialect is one way in which a table can be written.
type dialect struct {
	delim, end string
	encode     func(string) string
	quoteAll   bool
}

func anyDialect() *rapid.Generator[dialect] {
	encodings := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "\xef\xbb\xbf" + s },
		func(s string) string { return "\xff\xfe" + utf16Bytes(s) },
		func(s string) string { return "\xfe\xff" + utf16BEBytes(s) },
		utf16Bytes,
		utf16BEBytes,
	}
	return rapid.Custom(func(t *rapid.T) dialect {
		return dialect{
			delim:    rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delimiter"),
			end:      rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end"),
			encode:   encodings[rapid.IntRange(0, len(encodings)-1).Draw(t, "encoding")],
			quoteAll: rapid.Bool().Draw(t, "quote all"),
		}
	})
}

func (d dialect) write(table [][]string) string {
	var b strings.Builder
	for _, row := range table {
		for i, cell := range row {
			if i > 0 {
				b.WriteString(d.delim)
			}
			cell = sheet.Guard(cell)
			if d.quoteAll || strings.ContainsAny(cell, "\"\r\n"+d.delim) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			b.WriteString(cell)
		}
		b.WriteString(d.end)
	}
	return d.encode(b.String())
}

func TestAnyTableComesBackFromAnyDialect(t *testing.T) {
	header := []string{"first_name", "last_name", "phone", "email", "tags", "notes", "town and country"}
	rapid.Check(t, func(t *rapid.T) {
		d := anyDialect().Draw(t, "dialect")
		table := [][]string{rapid.Permutation(header).Draw(t, "header")}
		// Enough of plain letters that UTF-16 is known by its zeros.
		table = append(table, []string{"plain", "plain", "plain", "plain", "plain", "plain", "plain"})
		rows := rapid.SliceOfN(rapid.SliceOfN(cellText(), len(header), len(header)), 0, 10).Draw(t, "rows")
		for _, row := range rows {
			row[0] += "x" // no blank rows
		}
		table = append(table, rows...)
		file := d.write(table)

		limits := sheet.Limits{RecordBytes: 4096}
		src := iotest.HalfReader(iotest.DataErrReader(strings.NewReader(file)))
		r, err := sheet.OpenCSV(src, limits)
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := rowsOf(r)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := readAll([]byte(file), limits)
		if err != nil {
			t.Fatal(err)
		}
		wantRecords(t, table[1:], streamed)
		wantRecords(t, table[1:], opened)
	})
}

func wantRecords(t *rapid.T, want [][]string, rows []got) {
	t.Helper()
	if len(rows) != len(want) {
		t.Fatalf("%d rows come back of %d", len(rows), len(want))
	}
	for i, row := range rows {
		if row.number != i+2 || row.reason != "" && row.reason != sheet.RoundedNumber {
			t.Fatalf("row %d is %+v", i, row)
		}
		if strings.Join(row.record, "\x00") != strings.Join(want[i], "\x00") {
			t.Fatalf("row %d is %q, want %q", i, row.record, want[i])
		}
	}
}

// The same rows must come whatever the pieces in which a file is read, also
// where a record is longer than the window is at first.
func TestPiecesOfTheFileDoNotMatter(t *testing.T) {
	var file []byte
	file = append(file, sheet.Header...)
	for i := range 300 {
		note := strings.Repeat("long \"note\",\r\n", i*30%331)
		file = sheet.AppendContact(file, &sheet.Contact[string]{FirstName: "É", Phone: "+254712345678", Notes: note})
	}
	want, err := readAll(file, sheet.Limits{})
	if err != nil || len(want) != 300 {
		t.Fatalf("%d rows, error %v", len(want), err)
	}
	for name, pieces := range map[string]func(io.Reader) io.Reader{
		"halves": iotest.HalfReader, "bytes": iotest.OneByteReader, "data with the end": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := sheet.OpenCSV(pieces(bytes.NewReader(file)), sheet.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := rowsOf(r)
			if err != nil || len(rows) != len(want) {
				t.Fatalf("%d rows, error %v", len(rows), err)
			}
			for i := range rows {
				if rows[i].cells != want[i].cells || rows[i].number != want[i].number {
					t.Fatalf("row %d differs", i)
				}
			}
		})
	}
}
