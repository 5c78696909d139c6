package transfer

import (
	"bytes"
	"mime"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ujumbe/internal/field"
	"ujumbe/internal/mail"
	"ujumbe/internal/transfer/sheet"
)

// fileKind is a kind of file that may be mailed: its media types, the first of
// which the mail carries, and how its content is known.
type fileKind struct {
	types []string
	is    func(content []byte) bool
}

// Browsers on machines with Excel call CSV files Excel's.
var fileKinds = map[string]fileKind{
	".csv":  {[]string{"text/csv", "application/csv", "text/plain", "application/vnd.ms-excel"}, isText},
	".xlsx": {[]string{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}, isWorkbook},
	".pdf":  {[]string{"application/pdf"}, isPDF},
}

// checkFile holds a file to what its name says: type and content must agree, so
// that nothing else goes out under the name of an export.
func checkFile(c *field.Checks, name, mediaType string, content []byte) mail.Attachment {
	name = c.Text("body.filename", path.Base(strings.ReplaceAll(name, `\`, "/")), 1, maxFileName)
	kind, ok := fileKinds[strings.ToLower(path.Ext(name))]
	if !ok {
		c.Fail("body.filename", "must end with .csv, .xlsx or .pdf")
		return mail.Attachment{}
	}
	given, _, err := mime.ParseMediaType(mediaType)
	if err != nil || !slices.Contains(kind.types, given) {
		c.Fail("body.mimeType", "must be "+kind.types[0]+" for a file of this name")
	}
	if len(content) == 0 || !kind.is(content) {
		c.Fail("body.fileBase64", "must be a file of the kind that its name says")
	}
	return mail.Attachment{Name: fileName(name), Type: kind.types[0], Content: content}
}

// isText reports whether the content is UTF-8 without what text does not have,
// and not markup that a mail program might show.
func isText(content []byte) bool {
	if !utf8.Valid(content) || bytes.HasPrefix(bytes.TrimLeftFunc(content, unicode.IsSpace), []byte("<")) {
		return false
	}
	return !bytes.ContainsFunc(content, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// isWorkbook reports whether the content is a workbook without macros.
func isWorkbook(content []byte) bool {
	parts, err := sheet.Parts(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return false
	}
	hasMacros := slices.ContainsFunc(parts, func(name string) bool {
		return strings.HasSuffix(name, ".bin") && strings.Contains(name, "vba")
	})
	return !hasMacros && slices.Contains(parts, "xl/workbook.xml")
}

func isPDF(content []byte) bool { return bytes.HasPrefix(content, []byte("%PDF-")) }
