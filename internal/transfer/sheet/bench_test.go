package sheet_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/xuri/excelize/v2"

	"ujumbe/internal/transfer/sheet"
)

// benchRows is enough to make the start of the reading disappear; the figures
// hold for a million rows alike, since nothing grows with them.
const benchRows = 200_000

func benchContact(i int) sheet.Contact[string] {
	return sheet.Contact[string]{
		FirstName: fmt.Sprintf("Amina%d", i),
		LastName:  fmt.Sprintf("Odhiambo%d", i%1000),
		Phone:     fmt.Sprintf("+2547%08d", i),
		Email:     fmt.Sprintf("amina%d@example.com", i),
		Tags:      fmt.Sprintf("customer;region-%d", i%50),
		Notes:     "met at the fair",
	}
}

func benchCSV() []byte {
	file := []byte(sheet.Header)
	for i := range benchRows {
		c := benchContact(i)
		file = sheet.AppendContact(file, &c)
	}
	return file
}

func BenchmarkCSV(b *testing.B) {
	plain := benchCSV()
	b.Run("plain", func(b *testing.B) { benchRead(b, plain) })
	b.Run("quoted", func(b *testing.B) { benchRead(b, quoteAll(plain)) })
	b.Run("accents", func(b *testing.B) { benchRead(b, bytes.ReplaceAll(plain, []byte("fair"), []byte("féte à côté"))) })
	b.Run("cr", func(b *testing.B) { benchRead(b, bytes.ReplaceAll(plain, []byte("\n"), []byte("\r"))) })
}

// BenchmarkStandardCSV is what BenchmarkCSV is to be compared with.
func BenchmarkStandardCSV(b *testing.B) {
	plain := benchCSV()
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		r := csv.NewReader(bytes.NewReader(plain))
		r.ReuseRecord = true
		for {
			_, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			rows++
		}
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkWriter(b *testing.B) {
	contacts := make([]sheet.Contact[string], 1000)
	for i := range contacts {
		contacts[i] = benchContact(i)
	}
	var line []byte
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		for i := range contacts {
			line = sheet.AppendContact(line[:0], &contacts[i])
		}
		rows += len(contacts)
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func quoteAll(csv []byte) []byte {
	csv = bytes.ReplaceAll(csv, []byte(","), []byte(`","`))
	csv = bytes.ReplaceAll(csv, []byte("\n"), []byte("\"\n\""))
	return append([]byte(`"`), csv[:len(csv)-1]...)
}

func BenchmarkXLSX(b *testing.B) {
	b.Run("inline", func(b *testing.B) { benchRead(b, benchInline(b)) })
	b.Run("shared", func(b *testing.B) { benchRead(b, benchShared()) })
}

func benchInline(b *testing.B) []byte {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		b.Fatal(err)
	}
	row := func(i int, cells ...any) {
		if err := w.SetRow(fmt.Sprintf("A%d", i), cells); err != nil {
			b.Fatal(err)
		}
	}
	row(1, "first_name", "last_name", "phone", "email", "tags", "notes")
	for i := range benchRows {
		c := benchContact(i)
		row(i+2, c.FirstName, c.LastName, c.Phone, c.Email, c.Tags, c.Notes)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	buf, err := f.WriteToBuffer()
	if err != nil {
		b.Fatal(err)
	}
	return buf.Bytes()
}

// benchShared is a workbook as Excel saves it: every text shared, the phone a
// number.
func benchShared() []byte {
	var rows, texts bytes.Buffer
	seen := map[string]int{}
	shared := func(text string) int {
		i, ok := seen[text]
		if !ok {
			i = len(seen)
			seen[text] = i
			fmt.Fprintf(&texts, "<si><t>%s</t></si>", text)
		}
		return i
	}
	cell := func(row, column int, text string) {
		fmt.Fprintf(&rows, `<c r="%c%d" t="s"><v>%d</v></c>`, 'A'+column, row, shared(text))
	}
	rows.WriteString(`<row r="1" spans="1:6">`)
	for i, name := range []string{"first_name", "last_name", "phone", "email", "tags", "notes"} {
		cell(1, i, name)
	}
	rows.WriteString(`</row>`)
	for i := range benchRows {
		c := benchContact(i)
		fmt.Fprintf(&rows, `<row r="%d" spans="1:6">`, i+2)
		cell(i+2, 0, c.FirstName)
		cell(i+2, 1, c.LastName)
		fmt.Fprintf(&rows, `<c r="C%d" s="1"><v>%s</v></c>`, i+2, c.Phone[1:])
		cell(i+2, 3, c.Email)
		cell(i+2, 4, c.Tags)
		cell(i+2, 5, c.Notes)
		rows.WriteString(`</row>`)
	}
	return book{sheet: rows.String(), strings: texts.String()}.zip()
}

func benchRead(b *testing.B, file []byte) {
	b.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		r, err := sheet.Open(bytes.NewReader(file), int64(len(file)), sheet.Limits{})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range r.All() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != benchRows {
			b.Fatalf("read %d rows, want %d", n, benchRows)
		}
		rows += n
		r.Close()
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MiB/op")
}
