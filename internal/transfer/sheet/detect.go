package sheet

import (
	"bytes"
	"io"

	"ujumbe/internal/fault"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 64 << 10

// binaryBytes is how far a byte that no text has makes the file no text; one
// that comes later is taken for a slip and dropped.
const binaryBytes = 8 << 10

// oleFile is the container of old and of encrypted workbooks. It is never read,
// only told apart.
const oleFile Format = "ole"

// signatures are beginnings that no text file has, with what a person calls
// such a file.
var signatures = []struct{ start, what string }{
	{"%PDF-", "a PDF document"},
	{"\x89PNG\r\n", "an image"},
	{"\xff\xd8\xff", "an image"},
	{"GIF87a", "an image"},
	{"GIF89a", "an image"},
	{"II*\x00", "an image"},
	{"MM\x00*", "an image"},
	{"\x1f\x8b", "a compressed file (gzip)"},
	{"BZh9", "a compressed file (bzip2)"},
	{"\xfd7zXZ\x00", "a compressed file (xz)"},
	{"7z\xbc\xaf\x27\x1c", "a compressed file (7z)"},
	{"Rar!\x1a\x07", "a compressed file (rar)"},
	{"{\\rtf", "a text document (RTF)"},
	{"SQLite format 3\x00", "a database"},
	{"\xff\xfe\x00\x00", "a text in the UTF-32 encoding"},
	{"\x00\x00\xfe\xff", "a text in the UTF-32 encoding"},
}

// markups are beginnings of texts that are no tables, in lower case.
var markups = []struct{ start, what string }{
	{"<!doctype html", "a web page, whatever its name says"},
	{"<html", "a web page, whatever its name says"},
	{"<table", "a web page, whatever its name says"},
	{"<?xml", "an XML document"},
	{"{\"", "a JSON document"},
	{"[{", "a JSON document"},
}

// judge tells from its start what a file is: CSV for any text, XLSX for any
// zip, oleFile, or a fault that names what was found.
func judge(head []byte) (Format, error) {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return XLSX, nil
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		return oleFile, nil
	}
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.start)) {
			return "", unsupported(s.what, "CSV or XLSX")
		}
	}
	if cs, _ := detectCharset(head); cs == noText {
		return "", unsupported("neither a text nor a workbook", "CSV or XLSX")
	}
	text := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	text = bytes.ToLower(bytes.TrimLeft(text[:min(len(text), 512)], " \t\r\n"))
	for _, m := range markups {
		if bytes.HasPrefix(text, []byte(m.start)) {
			return "", unsupported(m.what, "CSV or XLSX")
		}
	}
	return CSV, nil
}

// judgeOLE tells a workbook with a password from an old one. The former holds
// its content in a stream of a name that nothing else bears.
func judgeOLE(src io.Reader) error {
	name := []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")
	buf := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := io.ReadFull(src, buf[kept:])
		if bytes.Contains(buf[:kept+n], name) {
			return fault.BadRequest("file_encrypted",
				"The workbook is protected with a password. Remove the password, save it, and upload it again.")
		}
		if err != nil {
			return unsupported("in an old Office format, such as .xls", "CSV or XLSX")
		}
		kept = copy(buf, buf[len(buf)-len(name):])
	}
}

// judgeZip names a zip that isn't a workbook by the parts it has.
func judgeZip(has func(name string) bool) error {
	switch {
	case has("xl/workbook.bin"):
		return unsupported("a binary workbook (.xlsb)", "CSV or XLSX")
	case has("word/document.xml"):
		return unsupported("a text document (.docx)", "CSV or XLSX")
	case has("ppt/presentation.xml"):
		return unsupported("a presentation (.pptx)", "CSV or XLSX")
	case has("content.xml") && has("mimetype"):
		return unsupported("an OpenDocument file, such as .ods", "CSV or XLSX")
	case has("index/document.iwa"):
		return unsupported("a Numbers or Pages document", "CSV or XLSX")
	default:
		return unsupported("a zip archive without a workbook in it", "CSV or XLSX")
	}
}
