package sheet

import (
	"cmp"
	"fmt"

	"ujumbe/internal/fault"
)

// Limits bound what one file may cost. A field that is zero takes its default.
type Limits struct {
	// Rows is how many rows that aren't blank a file may have: 2,000,000. A
	// workbook has at most 1,048,576 by its format.
	Rows int
	// Columns is how many columns are looked at; what stands beyond is passed
	// over: 1,024.
	Columns int
	// CellChars is how many characters a cell may have: 32,767, as in Excel.
	CellChars int
	// RecordBytes is how long a row may be, and so how far the reader looks for
	// the end of a quoted cell: 1 MiB.
	RecordBytes int
	// UnzippedBytes is how much the parts of a workbook that are read may come
	// to when unzipped: 1 GiB.
	UnzippedBytes int64
	// Ratio is how much smaller than its content a part of a workbook over
	// 16 MiB may be: 100. A sheet of contacts is about ten times smaller.
	Ratio int64
	// Strings is how many shared strings a workbook may have: 16,777,216, as
	// many as a full sheet of sixteen columns holds.
	Strings int
	// StringBytes is how much of a workbook's shared strings is kept in memory;
	// what is more goes to a temporary file: 8 MiB.
	StringBytes int
	// TempDir is where that file is made; empty is the system's place.
	TempDir string
}

func (l Limits) orDefault() Limits {
	l.Rows = cmp.Or(l.Rows, 2_000_000)
	l.Columns = cmp.Or(l.Columns, 1_024)
	l.CellChars = cmp.Or(l.CellChars, 32_767)
	l.RecordBytes = cmp.Or(l.RecordBytes, 1<<20)
	l.UnzippedBytes = cmp.Or(l.UnzippedBytes, 1<<30)
	l.Ratio = cmp.Or(l.Ratio, 100)
	l.Strings = cmp.Or(l.Strings, 16<<20)
	l.StringBytes = cmp.Or(l.StringBytes, 8<<20)
	return l
}

func tooManyRows(l Limits) error {
	return fault.TooLarge("too_many_rows",
		fmt.Sprintf("The file has more than %d rows. Split it into smaller files and upload them one after the other.", l.Rows))
}

func tooLargeUnzipped() error {
	return fault.TooLarge("file_too_large_unzipped",
		"The workbook is too large when it is unzipped. Copy the contacts into a new workbook, or save them as CSV, and upload that.")
}

func corrupt(what string) error {
	return fault.BadRequest("file_corrupt",
		"The workbook is damaged: "+what+". Open it in a spreadsheet program, save it again as XLSX or CSV, and upload that.")
}

func unsupported(what, want string) error {
	return fault.BadRequest("unsupported_file",
		"This file is "+what+". Save the contacts as "+want+" and upload that file.")
}
