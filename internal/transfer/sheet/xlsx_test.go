package sheet_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer/sheet"
)

func save(t interface{ Fatal(...any) }, f *excelize.File) []byte {
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func must(t interface{ Fatal(...any) }, errs ...error) {
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// header is a row of a hand-made sheet with phone in column A and notes in B.
const header = `<row r="1"><c r="A1" t="str"><v>phone</v></c><c r="B1" t="inlineStr"><is><t>notes</t></is></c></row>`

func readBook(t *testing.T, b book) []got {
	t.Helper()
	b.sheet = header + b.sheet
	return read(t, string(b.zip()))
}

func TestWorkbookOfALibrary(t *testing.T) {
	f := excelize.NewFile()
	const s = "Sheet1"
	must(t,
		f.SetSheetRow(s, "A1", &[]any{"Last Name", "PHONE", "town", "first-name", "Tags", "E-mail", "notes"}),
		f.SetSheetRow(s, "A2", &[]any{"Odhiambo", 254712345678, "Kisumu", "Zoë", "vip; new, vip", "zoe@example.com", "a\nb"}),
		f.SetSheetRow(s, "A4", &[]any{"'=x", "+254712345679", true, " B ", "", "", 12.5}),
		f.SetCellValue(s, "G6", "notes only"),
	)
	must(t, f.SetCellRichText(s, "A5", []excelize.RichTextRun{
		{Text: "bold ", Font: &excelize.Font{Bold: true}}, {Text: "and <plain> & \"rest\""}}))
	rows := read(t, string(save(t, f)))
	wantCells(t, rows,
		[6]string{"Zoë", "Odhiambo", "254712345678", "zoe@example.com", "vip; new, vip", "a\nb"},
		[6]string{" B ", "=x", "+254712345679", "", "", "12.5"},
		[6]string{"", "bold and <plain> & \"rest\""},
		[6]string{"", "", "", "", "", "notes only"})
	for i, want := range []int{2, 4, 5, 6} {
		if rows[i].number != want {
			t.Errorf("row %d is numbered %d, want %d", i, rows[i].number, want)
		}
	}
	if got := strings.Join(rows[0].record, "|"); got != "Odhiambo|254712345678|Kisumu|Zoë|vip; new, vip|zoe@example.com|a\nb" {
		t.Errorf("the record is %q", got)
	}
}

func TestFirstSheetIsByTheOrderOfTheTabs(t *testing.T) {
	f := excelize.NewFile() // Sheet1 is sheet1.xml
	_, err := f.NewSheet("Contacts")
	must(t, err,
		f.SetSheetCol("Sheet1", "A1", &[]any{"phone", "1"}),
		f.SetSheetCol("Contacts", "A1", &[]any{"phone", "2"}),
		f.MoveSheet("Contacts", "Sheet1"))
	if got := phones(read(t, string(save(t, f)))); got != "2" {
		t.Errorf("read %s from the second tab", got)
	}
	must(t, f.SetSheetVisible("Sheet1", true))
	f.SetActiveSheet(1)
	must(t, f.SetSheetVisible("Contacts", false))
	if got := phones(read(t, string(save(t, f)))); got != "1" {
		t.Errorf("read %s from a sheet that nobody sees", got)
	}
}

func TestCellsOfEveryKind(t *testing.T) {
	cases := map[string]struct {
		cell, strings, want string
	}{
		"shared":                   {`<c r="B2" t="s"><v>1</v></c>`, `<si><t>a</t></si><si><t>b</t></si>`, "b"},
		"shared rich":              {`<c r="B2" t="s"><v> 0 </v></c>`, `<si><r><rPr><b/></rPr><t xml:space="preserve">a </t></r><r><t>b</t></r></si>`, "a b"},
		"shared with reading aid":  {`<c r="B2" t="s"><v>0</v></c>`, `<si><t>a</t><rPh sb="0" eb="1"><t>x</t></rPh><phoneticPr fontId="1"/></si>`, "a"},
		"shared and empty":         {`<c r="B2" t="s"><v>0</v></c>`, `<si/><si><t/></si>`, ""},
		"shared without an index":  {`<c r="B2" t="s"/>`, ``, ""},
		"inline":                   {`<c r="B2" t="inlineStr"><is><t>a</t></is></c>`, ``, "a"},
		"inline rich":              {`<c r="B2" t="inlineStr"><is><r><t>a</t></r><r><t> b</t></r></is></c>`, ``, "a b"},
		"text of a formula":        {`<c r="B2" t="str"><f>A1&amp;"x"</f><v>phonex</v></c>`, ``, "phonex"},
		"number of a formula":      {`<c r="B2"><f t="shared" ref="B2:B3" si="0">A1+1</f><v>7</v></c>`, ``, "7"},
		"formula without a value":  {`<c r="B2"><f>A1</f></c>`, ``, ""},
		"number":                   {`<c r="B2" s="3"><v>12.5</v></c>`, ``, "12.5"},
		"number by name":           {`<c r="B2" t="n"><v>12</v></c>`, ``, "12"},
		"true":                     {`<c r="B2" t="b"><v>1</v></c>`, ``, "TRUE"},
		"false":                    {`<c r="B2" t="b"><v>0</v></c>`, ``, "FALSE"},
		"error":                    {`<c r="B2" t="e"><v>#N/A</v></c>`, ``, ""},
		"date":                     {`<c r="B2" t="d"><v>2026-01-31</v></c>`, ``, "2026-01-31"},
		"entities":                 {`<c r="B2" t="str"><v>&lt;a&gt; &amp;amp; &quot;b&apos; &#233;&#xE9;&#x1F600;</v></c>`, ``, `<a> &amp; "b' éé😀`},
		"what is no entity":        {`<c r="B2" t="str"><v>&nbsp; &; & &#; &#xZZ; &#99999999;</v></c>`, ``, `&nbsp; &; & &#; &#xZZ; &#99999999;`},
		"CDATA":                    {`<c r="B2" t="str"><v><![CDATA[<a> &amp; ]] ]>]]>b</v></c>`, ``, `<a> &amp; ]] ]>b`},
		"comments":                 {`<c r="B2" t="str"><!-- <v>x</v> --><v>a<!-- b -->c<?d?></v></c>`, ``, "ac"},
		"line ends":                {"<c r=\"B2\" t=\"str\"><v>a\r\nb\rc\nd&#13;&#10;e</v></c>", ``, "a\nb\nc\nd\r\ne"},
		"escaped characters":       {`<c r="B2" t="str"><v>a_x000D__x000a_b_x005F_x000D_c_x00_xZZZZ_</v></c>`, ``, "a\r\nb_x000D_c_x00_xZZZZ_"},
		"escaped control removed":  {`<c r="B2" t="str"><v>a_x0000_b_x001B_c&#1;d</v></c>`, ``, "abcd"},
		"bytes that are not UTF-8": {"<c r=\"B2\" t=\"str\"><v>caf\xe9</v></c>", ``, "café"},
		"space kept":               {`<c r="B2" t="inlineStr"><is><t xml:space="preserve">  a  </t></is></c>`, ``, "  a  "},
		"guard taken off":          {`<c r="B2" t="str"><v>'=1</v></c>`, ``, "=1"},
		"other quotes and spaces":  {"<c  t = 'str'\n r='B2' ><v >a</v ></c >", ``, "a"},
		"> in an attribute":        {`<c r="B2" x="a>b" t="str"><v>a</v></c>`, ``, "a"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rows := readBook(t, book{sheet: `<row r="2"><c r="A2"><v>1</v></c>` + c.cell + `</row>`, strings: c.strings})
			wantCells(t, rows, [6]string{"", "", "1", "", "", c.want})
		})
	}
}

func TestPhonesThatAreNumbers(t *testing.T) {
	for v, c := range map[string]struct {
		want   string
		reason sheet.Reason
	}{
		"254712345678":       {"254712345678", ""},
		"254712345678.0":     {"254712345678", ""},
		"2.54712345678E11":   {"254712345678", ""},
		"2.54712345678E+11":  {"254712345678", ""},
		"2.54713E+11":        {"2.54713E+11", sheet.RoundedNumber},
		"2.54713E11":         {"2.54713E11", sheet.RoundedNumber},
		"712345678":          {"712345678", ""},
		"447911123456789012": {"447911123456789012", ""},
	} {
		t.Run(v, func(t *testing.T) {
			rows := readBook(t, book{sheet: `<row r="2"><c r="A2"><v>` + v + `</v></c></row>`})
			wantCells(t, rows, [6]string{"", "", c.want})
			if rows[0].reason != c.reason {
				t.Errorf("reason is %q, want %q", rows[0].reason, c.reason)
			}
		})
	}
}

func TestSparseSheets(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"cells by reference": {`<row r="2"><c r="B2" t="str"><v>n</v></c><c r="A2"><v>1</v></c></row>`, "2:1n"},
		"cells without":      {`<row r="2"><c><v>1</v></c><c t="str"><v>n</v></c></row>`, "2:1n"},
		"some with":          {`<row r="2"><c r="A2"><v>1</v></c><c t="str"><v>n</v></c><c r="F2"><v>1</v></c></row>`, "2:1n"},
		"small letters":      {`<row r="2"><c r="a2"><v>1</v></c><c r="$B$2"><v>1</v></c></row>`, ""},
		"rows without":       {`<row><c><v>1</v></c></row><row/><row><c><v>2</v></c></row>`, "2:1 4:2"},
		"rows left out":      {`<row r="7"><c><v>1</v></c></row><row><c><v>2</v></c></row><row r="1048576"><c><v>3</v></c></row>`, "7:1 8:2 1048576:3"},
		"rows without cells": {`<row r="2"/><row r="3"><c r="A3" s="1"/><c r="B3" t="str"><v> </v></c></row><row r="4"><c><v>1</v></c></row>`, "4:1"},
		"rows that go back":  {`<row r="3"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row>`, ""},
		"a row twice":        {`<row r="2"><c><v>1</v></c></row><row r="2"><c><v>2</v></c></row>`, ""},
		"the last cell":      {`<row r="2"><c r="A2"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row>`, "2:1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := book{sheet: header + c.rows}
			rows, err := readAll(b.zip(), sheet.Limits{})
			if c.want == "" {
				wantFault(t, err, fault.KindBadRequest, "file_corrupt")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, row := range rows {
				all = append(all, fmt.Sprintf("%d:%s%s", row.number, row.cells[sheet.Phone], row.cells[sheet.Notes]))
			}
			if got := strings.Join(all, " "); got != c.want {
				t.Errorf("rows are %q, want %q", got, c.want)
			}
		})
	}
}

func TestWorkbooksOfOtherProducers(t *testing.T) {
	const sheetXML = `<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetPr/><x:sheetData>` +
		`<x:row r="1"><x:c r="A1" t="s"><x:v>0</x:v></x:c></x:row><x:row r="2"><x:c r="A2"><x:v>1</x:v></x:c></x:row>` +
		`</x:sheetData><x:row r="3"><x:c><x:v>2</x:v></x:c></x:row></x:worksheet>`
	const strictRels = `<Relationships><Relationship Target="/xl/worksheets/sheet1.xml" Id="a&amp;b" ` +
		`Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet"/><Relationship Target="../xl/SharedStrings.xml" ` +
		`Id="c" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/sharedStrings"/></Relationships>`
	const strictBook = `<x:workbook xmlns:x="x"><x:sheets><x:sheet x:name="chart" q:id="none"/><x:sheet name="1" q:id="a&amp;b"/></x:sheets></x:workbook>`
	parts := map[string]string{
		"xl/workbook.xml":            strictBook,
		"xl/_rels/workbook.xml.rels": strictRels,
		"xl/worksheets/sheet1.xml":   "\xef\xbb\xbf" + xmlHead + sheetXML,
		"xl/sharedStrings.xml":       "",
		"XL/sharedstrings.XML":       `<x:sst><x:si><x:t>phone</x:t></x:si></x:sst>`,
	}
	t.Run("prefixes, strict namespaces, other paths", func(t *testing.T) {
		if got := phones(read(t, string(book{parts: parts}.zip()))); got != "1" {
			t.Errorf("phones are %q", got)
		}
	})
	t.Run("workbook under another name", func(t *testing.T) {
		moved := map[string]string{
			"xl/workbook.xml":             "",
			"xl/_rels/workbook.xml.rels":  "",
			"xl/workbook2.xml":            strictBook,
			"xl/_rels/workbook2.xml.rels": strictRels,
			"_rels/.rels":                 `<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook2.xml"/></Relationships>`,
		}
		for name, content := range parts {
			if _, ok := moved[name]; !ok {
				moved[name] = content
			}
		}
		if got := phones(read(t, string(book{parts: moved}.zip()))); got != "1" {
			t.Errorf("phones are %q", got)
		}
	})
	t.Run("no shared strings", func(t *testing.T) {
		b := book{sheet: header + `<row><c><v>1</v></c></row>`, parts: map[string]string{"xl/sharedStrings.xml": ""}}
		if got := phones(read(t, string(b.zip()))); got != "1" {
			t.Errorf("phones are %q", got)
		}
	})
}

func TestManySharedStringsGoThroughAFile(t *testing.T) {
	const count = 4_000
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("text %d ", i), i%70) + "é" }
	var texts, rows strings.Builder
	for i := range count {
		fmt.Fprintf(&texts, "<si><t>%s</t></si>", text(i))
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(count)
	for _, i := range order {
		fmt.Fprintf(&rows, `<row><c><v>%d</v></c><c t="s"><v>%d</v></c></row>`, i, i)
	}
	file := book{sheet: header + rows.String(), strings: texts.String()}.zip()
	for _, bytes := range []int{1, 100_000, 100 << 20} {
		dir := t.TempDir()
		all, err := readAll(file, sheet.Limits{StringBytes: bytes, TempDir: dir})
		if err != nil || len(all) != count {
			t.Fatalf("%d rows, error %v", len(all), err)
		}
		for n, row := range all {
			if row.cells[sheet.Notes] != text(order[n]) {
				t.Fatalf("row %d has %q, want %q", row.number, row.cells[sheet.Notes], text(order[n]))
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, error %v", left, err)
		}
	}
}

func TestAnyTableComesBackFromAWorkbook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := rapid.SliceOfN(rapid.SliceOfN(cellText(), 4, 4), 0, 10).Draw(t, "rows")
		shared, streamed := excelize.NewFile(), excelize.NewFile()
		w, err := streamed.NewStreamWriter("Sheet1")
		must(t, err)
		all := append([][]string{{"phone", "first_name", "last_name", "notes"}}, table...)
		for i, row := range all {
			var cells []any
			for j, cell := range row {
				if i > 0 && j == 0 {
					cell += "x" // no blank rows
					row[0] = cell
				}
				cells = append(cells, sheet.Guard(cell))
			}
			at := fmt.Sprintf("A%d", i+1)
			must(t, shared.SetSheetRow("Sheet1", at, &cells), w.SetRow(at, cells))
		}
		must(t, w.Flush())
		for _, f := range []*excelize.File{shared, streamed} {
			rows, err := readAll(save(t, f), sheet.Limits{})
			must(t, err)
			if len(rows) != len(table) {
				t.Fatalf("%d rows come back of %d", len(rows), len(table))
			}
			for i, row := range rows {
				// The writer drops empty cells at the end, and XML has one line end.
				got := strings.TrimRight(strings.Join(row.record, "\x00"), "\x00")
				want := strings.TrimRight(strings.Join(table[i], "\x00"), "\x00")
				if plainEnds(got) != plainEnds(want) {
					t.Fatalf("row %d is %q, want %q", i, row.record, table[i])
				}
			}
		}
	})
}

func plainEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
