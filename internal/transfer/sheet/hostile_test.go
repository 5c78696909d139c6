package sheet_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer/sheet"
)

// allocated returns what f allocates all in all, which bounds what it holds.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const mostAllocated = 64 << 20

func readWithin(t *testing.T, file []byte, limits sheet.Limits) (rows int, err error) {
	t.Helper()
	used := allocated(func() {
		var r *sheet.Reader
		if r, err = open(file, limits); err != nil {
			return
		}
		defer r.Close()
		for _, e := range r.All() {
			if e != nil {
				err = e
				return
			}
			rows++
		}
	})
	if used > mostAllocated {
		t.Errorf("reading took %d MiB", used>>20)
	}
	return rows, err
}

// repeat is a stream of n bytes of the same text over and over.
func repeat(text string, n int64) io.Reader {
	return io.LimitReader(&endless{text: strings.Repeat(text, 1+(64<<10)/len(text))}, n)
}

type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestHostileText(t *testing.T) {
	const size = 16 << 20
	for name, c := range map[string]struct {
		start, text string
		rows        int
	}{
		"one quoted cell":                   {"phone\n\"", "x", 1},
		"one quoted cell of doubled quotes": {"phone\n\"", `""`, 1},
		"one line":                          {"phone\n", "x", 1},
		"one line of delimiters":            {"phone\n", ",", 1},
		"one line of quotes and delimiters": {"phone\n", `"",`, 1},
		"nothing but line ends":             {"phone\n", "\r\n", 0},
		"zero bytes":                        {"phone\n" + strings.Repeat("1\n", 8192), "\x00", 8192},
	} {
		t.Run(name, func(t *testing.T) {
			rows := 0
			used := allocated(func() {
				src := io.MultiReader(strings.NewReader(c.start), repeat(c.text, size))
				r, err := sheet.OpenCSV(src, sheet.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				for row, err := range r.All() {
					if err != nil {
						t.Fatal(err)
					}
					if row.Reason == "" && c.rows == 1 {
						t.Error("the row has no reason")
					}
					rows++
				}
			})
			if rows != c.rows || used > mostAllocated {
				t.Errorf("%d rows, %d MiB", rows, used>>20)
			}
		})
	}
	t.Run("header of millions of columns", func(t *testing.T) {
		r, err := sheet.OpenCSV(io.MultiReader(strings.NewReader("phone"), repeat(",x", size)), sheet.Limits{})
		if err == nil {
			r.Close()
		}
		wantFault(t, err, fault.KindBadRequest, "file_corrupt", "column names")
	})
	t.Run("quotes that open on every line", func(t *testing.T) {
		src := io.MultiReader(strings.NewReader("phone,notes\n"), repeat("1,\"a\n2,b\"\"\n", 8<<20))
		r, err := sheet.OpenCSV(src, sheet.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// part is a part of a zip that is written as a stream.
type part struct {
	name    string
	content io.Reader
	claimed int64 // size that the zip declares, when it lies
	cut     int   // bytes of what is packed
}

// bomb is a workbook with some parts of its own.
func bomb(t *testing.T, b book, own ...part) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	all := b.all()
	for _, p := range own {
		delete(all, p.name)
		var packed bytes.Buffer
		fw, err := flate.NewWriter(&packed, flate.BestSpeed)
		must(t, err)
		sum := crc32.NewIEEE()
		n, err := io.Copy(io.MultiWriter(fw, sum), p.content)
		must(t, err, fw.Close())
		packed.Truncate(packed.Len() - p.cut)
		if p.claimed > 0 {
			n = p.claimed
		}
		raw, err := w.CreateRaw(&zip.FileHeader{
			Name: p.name, Method: zip.Deflate, CRC32: sum.Sum32(),
			CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(n),
		})
		must(t, err)
		_, err = raw.Write(packed.Bytes())
		must(t, err)
	}
	for name, content := range all {
		pw, err := w.Create(name)
		must(t, err)
		_, err = pw.Write([]byte(content))
		must(t, err)
	}
	must(t, w.Close())
	return buf.Bytes()
}

func sheetOf(rows ...io.Reader) io.Reader {
	all := append([]io.Reader{strings.NewReader(`<worksheet><sheetData>` + header)}, rows...)
	return io.MultiReader(append(all, strings.NewReader(`</sheetData></worksheet>`))...)
}

const (
	sheetPart   = "xl/worksheets/sheet1.xml"
	stringsPart = "xl/sharedStrings.xml"
)

func TestZipBombsAreRefusedBeforeTheyAreUnzipped(t *testing.T) {
	const row = `<row><c><v>1</v></c></row>`
	for name, parts := range map[string][]part{
		"rows":    {{name: sheetPart, content: sheetOf(repeat(row, 20<<20/int64(len(row))*int64(len(row))))}},
		"strings": {{name: stringsPart, content: repeat("<si/>", 20<<20)}},
		"spaces":  {{name: sheetPart, content: repeat(" ", 20<<20)}},
	} {
		file := bomb(t, book{sheet: header}, parts...)
		t.Run("by their ratio: "+name, func(t *testing.T) {
			_, err := readWithin(t, file, sheet.Limits{})
			wantFault(t, err, fault.KindTooLarge, "file_too_large_unzipped")
		})
		t.Run("by their size: "+name, func(t *testing.T) {
			_, err := readWithin(t, file, sheet.Limits{UnzippedBytes: 1 << 20, Ratio: 1 << 30})
			wantFault(t, err, fault.KindTooLarge, "file_too_large_unzipped")
		})
	}
	t.Run("that lie about their size", func(t *testing.T) {
		lie := part{name: sheetPart, content: sheetOf(repeat(row, 2600<<10)), claimed: 100_000}
		rows, err := readWithin(t, bomb(t, book{}, lie), sheet.Limits{})
		wantFault(t, err, fault.KindBadRequest, "file_corrupt")
		if rows != 0 {
			t.Errorf("%d rows came before", rows)
		}
	})
}

func TestHostileWorkbooks(t *testing.T) {
	loose := sheet.Limits{Ratio: 1 << 30}
	cells := func(cell string, n int) io.Reader {
		return sheetOf(strings.NewReader(`<row>`), repeat(cell, int64(n*len(cell))), strings.NewReader(`</row>`))
	}
	t.Run("millions of columns", func(t *testing.T) {
		_, err := readWithin(t, bomb(t, book{}, part{name: sheetPart, content: cells(`<c/>`, 1_000_000)}), loose)
		wantFault(t, err, fault.KindBadRequest, "file_corrupt", "column")
	})
	t.Run("millions of cells in one place", func(t *testing.T) {
		rows, err := readWithin(t, bomb(t, book{}, part{name: sheetPart, content: cells(`<c r="A2"><v>1</v></c>`, 200_000)}), loose)
		if err != nil || rows != 1 {
			t.Errorf("%d rows, error %v", rows, err)
		}
	})
	t.Run("cells beyond the columns that are read", func(t *testing.T) {
		row := `<row><c><v>1</v></c><c r="XFD2" t="str"><v>x</v></c></row>`
		rows, err := readWithin(t, bomb(t, book{}, part{name: sheetPart, content: sheetOf(repeat(row, int64(20_000*len(row))))}), loose)
		if err != nil || rows != 20_000 {
			t.Errorf("%d rows, error %v", rows, err)
		}
	})
	t.Run("more rows than a sheet has", func(t *testing.T) {
		_, err := readWithin(t, book{sheet: header + `<row r="1048576"/><row/>`}.zip(), loose)
		wantFault(t, err, fault.KindBadRequest, "file_corrupt", "row")
	})
	t.Run("more rows than the limit", func(t *testing.T) {
		rows, err := readWithin(t, book{sheet: header + strings.Repeat(`<row><c><v>1</v></c></row>`, 11)}.zip(), sheet.Limits{Rows: 10})
		wantFault(t, err, fault.KindTooLarge, "too_many_rows")
		if rows != 0 {
			t.Errorf("%d rows came before", rows)
		}
	})
	t.Run("damage behind the rows", func(t *testing.T) {
		row := `<row><c><v>1</v></c></row>`
		for _, rows := range []int64{5, 60_000} { // read as they come, and ahead
			content := io.MultiReader(sheetOf(repeat(row, rows*int64(len(row)))), repeat("<!-- x -->", 100<<10))
			got, err := readWithin(t, bomb(t, book{}, part{name: sheetPart, content: content, cut: 3}), loose)
			if err != nil || int64(got) != rows {
				t.Errorf("%d rows of %d, error %v", got, rows, err)
			}
		}
	})
	t.Run("one endless text", func(t *testing.T) {
		long := sheetOf(strings.NewReader(`<row><c t="str"><v>`), repeat("x&amp;", 24<<20), strings.NewReader(`</v></c></row>`))
		rows, err := readWithin(t, bomb(t, book{}, part{name: sheetPart, content: long}), loose)
		if err != nil || rows != 1 {
			t.Errorf("%d rows, error %v", rows, err)
		}
	})
	t.Run("one endless shared string", func(t *testing.T) {
		long := io.MultiReader(strings.NewReader(`<sst><si><t>`), repeat("x", 24<<20), strings.NewReader(`</t></si></sst>`))
		b := book{sheet: header + `<row><c><v>1</v></c><c t="s"><v>0</v></c></row>`}
		file := bomb(t, b, part{name: stringsPart, content: long})
		if rows, err := readWithin(t, file, loose); err != nil || rows != 1 {
			t.Errorf("%d rows, error %v", rows, err)
		}
		rows, err := readAll(file, loose)
		if err != nil || rows[0].reason != sheet.CellTooLong {
			t.Errorf("rows are of %d, error %v", len(rows), err)
		}
	})
	t.Run("more shared strings than any sheet has", func(t *testing.T) {
		_, err := readWithin(t, book{strings: strings.Repeat("<si/>", 1001)}.zip(), sheet.Limits{Strings: 1000})
		wantFault(t, err, fault.KindTooLarge, "file_too_large_unzipped")
	})
	t.Run("tens of thousands of parts", func(t *testing.T) {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		for i := range 60_000 {
			_, err := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i)})
			must(t, err)
		}
		must(t, w.Close())
		_, err := readWithin(t, buf.Bytes(), sheet.Limits{})
		wantFault(t, err, fault.KindBadRequest, "file_corrupt", "parts")
	})
}

func TestDamagedWorkbooks(t *testing.T) {
	for name, b := range map[string]book{
		"no links of the workbook":   {parts: map[string]string{"xl/_rels/workbook.xml.rels": ""}},
		"no sheet":                   {parts: map[string]string{sheetPart: ""}},
		"no sheet in the list":       {parts: map[string]string{"xl/workbook.xml": "<workbook><sheets/></workbook>"}},
		"empty list":                 {parts: map[string]string{"xl/workbook.xml": " "}},
		"index beyond the strings":   {sheet: header + `<row><c t="s"><v>0</v></c></row>`},
		"index that is no number":    {sheet: header + `<row><c t="s"><v>-1</v></c></row>`},
		"row that is no number":      {sheet: header + `<row r="x"/>`},
		"row beyond the last":        {sheet: header + `<row r="1048577"/>`},
		"row zero":                   {sheet: header + `<row r="0"/>`},
		"column beyond the last":     {sheet: header + `<row><c r="XFE2"/></row>`},
		"column far beyond the last": {sheet: header + `<row><c r="ZZZZZZZZZZZZZZZZZZZ2"/></row>`},
		"sheet that breaks off":      {parts: map[string]string{sheetPart: "<worksheet><sheetData>" + header + "<row><c>"}},
		"tag that breaks off":        {parts: map[string]string{sheetPart: "<worksheet><sheetData>" + header + "<row r="}},
		"endless tag":                {sheet: header + `<row ` + strings.Repeat(" ", 100_000) + `/>`},
		"CDATA that breaks off":      {parts: map[string]string{sheetPart: "<worksheet><sheetData>" + header + "<row><c t=\"str\"><v><![CDATA[x"}},
		"document type":              {parts: map[string]string{sheetPart: `<!DOCTYPE x [<!ENTITY a "b">]><worksheet><sheetData>` + header + `</sheetData></worksheet>`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readWithin(t, b.zip(), sheet.Limits{})
			wantFault(t, err, fault.KindBadRequest, "file_corrupt", "save it again")
		})
	}
	t.Run("bits of the sheet turned", func(t *testing.T) {
		file := book{sheet: header + strings.Repeat(`<row><c><v>1</v></c></row>`, 1000)}.zip()
		at := bytes.Index(file, []byte(sheetPart)) + len(sheetPart) + 20
		file[at] ^= 0xff
		if _, err := readWithin(t, file, sheet.Limits{}); err == nil {
			t.Error("read without a word")
		}
	})
	t.Run("part with a password", func(t *testing.T) {
		var buf bytes.Buffer
		w := zip.NewWriter(&buf)
		_, err := w.CreateRaw(&zip.FileHeader{Name: "xl/workbook.xml", Flags: 1})
		must(t, err)
		_, err = w.CreateRaw(&zip.FileHeader{Name: "xl/_rels/workbook.xml.rels", Flags: 1})
		must(t, err, w.Close())
		_, err = readWithin(t, buf.Bytes(), sheet.Limits{})
		wantFault(t, err, fault.KindBadRequest, "file_encrypted", "password")
	})
	t.Run("sheet without rows", func(t *testing.T) {
		_, err := readAll(book{sheet: `<row r="5"/>`}.zip(), sheet.Limits{})
		wantFault(t, err, fault.KindBadRequest, "file_empty")
	})
	t.Run("sheet without a phone column", func(t *testing.T) {
		_, err := readAll(book{sheet: `<row><c t="str"><v>name</v></c></row>`}.zip(), sheet.Limits{})
		wantFault(t, err, fault.KindBadRequest, "phone_column_missing", "name")
	})
}
