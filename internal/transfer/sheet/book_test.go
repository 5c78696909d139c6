package sheet_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
)

// book is a workbook made by hand, for what no library would write. The fields
// that are empty take what an ordinary workbook has.
type book struct {
	sheet   string // rows of the only sheet
	strings string // si elements
	parts   map[string]string
}

const (
	xmlHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS  = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relNS   = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
)

func (b book) all() map[string]string {
	parts := map[string]string{
		"[Content_Types].xml": xmlHead + `<Types/>`,
		"_rels/.rels": xmlHead + `<Relationships><Relationship Id="rId1" Type="` + relNS +
			`/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": xmlHead + `<workbook ` + mainNS + ` xmlns:r="` + relNS +
			`"><sheets><sheet name="Contacts" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": xmlHead + `<Relationships><Relationship Id="rId1" Type="` + relNS +
			`/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS +
			`/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": xmlHead + `<worksheet ` + mainNS + `><sheetData>` + b.sheet + `</sheetData></worksheet>`,
		"xl/sharedStrings.xml":     xmlHead + `<sst ` + mainNS + `>` + b.strings + `</sst>`,
	}
	for name, content := range b.parts {
		if content == "" {
			delete(parts, name)
			continue
		}
		parts[name] = content
	}
	return parts
}

func (b book) zip() []byte { return zipOf(b.all()) }

func zipOf(parts map[string]string) []byte { return zipBy(zip.Deflate, parts) }

func zipBy(method uint16, parts map[string]string) []byte {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			panic(err)
		}
		if _, err := part.Write([]byte(parts[name])); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return buf.Bytes()
}
