package sheet_test

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/transfer/sheet"
)

func TestContactLines(t *testing.T) {
	for name, c := range map[string]struct {
		contact sheet.Contact[string]
		want    string
	}{
		"plain": {
			sheet.Contact[string]{FirstName: "Amina", LastName: "Odhiambo", Phone: "+254712345678", Email: "amina@example.com", Tags: "vip;a b", Notes: "x"},
			"Amina,Odhiambo,+254712345678,amina@example.com,vip;a b,x\n"},
		"phone alone, which no guard touches": {
			sheet.Contact[string]{Phone: "+254712345678"}, ",,+254712345678,,,\n"},
		"quoted": {
			sheet.Contact[string]{FirstName: `a "b"`, LastName: "c,d", Phone: "+1", Notes: "e\nf\r\ng"},
			"\"a \"\"b\"\"\",\"c,d\",+1,,,\"e\nf\r\ng\"\n"},
		"guarded": {
			sheet.Contact[string]{FirstName: "=1", LastName: "'+1", Phone: "+1", Email: "-a@example.com", Tags: "@a;=b", Notes: "=A1,B1"},
			"'=1,''+1,+1,'-a@example.com,'@a;=b,\"'=A1,B1\"\n"},
		"space at the ends": {
			sheet.Contact[string]{FirstName: " a", LastName: "b ", Phone: "+1", Notes: "\tc"},
			"\" a\",\"b \",+1,,,\"'\tc\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(sheet.AppendContact(nil, &c.contact)); got != c.want {
				t.Errorf("line is %q, want %q", got, c.want)
			}
		})
	}
}

func TestRecordGuardsEveryCell(t *testing.T) {
	got := sheet.AppendRecord([]byte("x\n"), "7", "rounded_number", "=HYPERLINK(1)", "+254", "a;b")
	if want := "x\n7,rounded_number,'=HYPERLINK(1),'+254,a;b\n"; string(got) != want {
		t.Errorf("record is %q, want %q", got, want)
	}
}

func TestTagsAreSplit(t *testing.T) {
	for cell, want := range map[string][]string{
		"":                     nil,
		" ; ,; ":               nil,
		"a":                    {"a"},
		"a;b":                  {"a", "b"},
		" a ; b,c ;; d d , a ": {"a", "b", "c", "d d"},
		"A;a":                  {"A", "a"},
		"é;\u00a0é":            {"é"},
	} {
		if got := sheet.SplitTags([]byte(cell)); !slices.Equal(got, want) {
			t.Errorf("SplitTags(%q) is %q, want %q", cell, got, want)
		}
	}
}

// 300,000 tags that are compared one with another take minutes.
func TestManyTagsAreSplitInTheirOrderEachOnce(t *testing.T) {
	const many = 300_000
	var cell strings.Builder
	var want []string
	for i := range many {
		tag := strconv.FormatInt(int64(i), 36)
		want = append(want, tag)
		fmt.Fprintf(&cell, "%s;%s,", tag, strconv.FormatInt(int64(i/2), 36))
	}
	if got := sheet.SplitTags([]byte(cell.String())); !slices.Equal(got, want) {
		t.Errorf("%d tags, want %d in their order", len(got), len(want))
	}
}

func tag() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.StringOf(rapid.SampledFrom([]rune("'=+-@ abé\"|"))).Draw(t, "tag")
		if s = strings.TrimSpace(s); s == "" {
			return "x"
		}
		return s
	})
}

func contact() *rapid.Generator[sheet.Contact[string]] {
	return rapid.Custom(func(t *rapid.T) sheet.Contact[string] {
		return sheet.Contact[string]{
			FirstName: cellText().Draw(t, "first"),
			LastName:  cellText().Draw(t, "last"),
			Phone:     rapid.StringMatching(`\+[1-9][0-9]{6,14}`).Draw(t, "phone"),
			Email:     rapid.SampledFrom([]string{"", "a@example.com", "=a@example.com", "'-a@example.com"}).Draw(t, "email"),
			Tags:      strings.Join(rapid.SliceOfNDistinct(tag(), 0, 4, rapid.ID).Draw(t, "tags"), ";"),
			Notes:     cellText().Draw(t, "notes"),
		}
	})
}

func TestExportImportExportIsByteIdentical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		export := []byte(sheet.Header)
		for _, c := range rapid.SliceOfN(contact(), 0, 20).Draw(t, "contacts") {
			export = sheet.AppendContact(export, &c)
		}
		rows, err := readAll(export, sheet.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		again := []byte(sheet.Header)
		for _, row := range rows {
			again = sheet.AppendContact(again, &sheet.Contact[string]{
				FirstName: row.cells[sheet.FirstName],
				LastName:  row.cells[sheet.LastName],
				Phone:     row.cells[sheet.Phone],
				Email:     row.cells[sheet.Email],
				Tags:      strings.Join(sheet.SplitTags([]byte(row.cells[sheet.Tags])), ";"),
				Notes:     row.cells[sheet.Notes],
			})
		}
		if string(again) != string(export) {
			t.Fatalf("exported %q, then %q", export, again)
		}
	})
}

func TestStandardReaderUnderstandsTheExport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("a,\"\n ;é"))), 2, 6).Draw(t, "cells")
		got, err := csv.NewReader(strings.NewReader(string(sheet.AppendRecord(nil, cells...)))).ReadAll()
		if err != nil || !reflect.DeepEqual(got, [][]string{cells}) {
			t.Fatalf("%q is read as %q, error %v", cells, got, err)
		}
	})
}
