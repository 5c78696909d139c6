package sheet

import (
	"errors"
	"io"
	"strings"
)

// openXLSX reads the first sheet that a person sees in the workbook, by the
// order of the tabs. A workbook may be broken anywhere, so the sheet is read once
// to its end first.
func openXLSX(src io.ReaderAt, size int64, limits Limits) (*Reader, error) {
	w, err := openWorkbook(src, size, limits)
	if err != nil {
		return nil, err
	}
	main, err := w.mainPart()
	if err != nil {
		return nil, err
	}
	relations, err := w.relations(main)
	if err != nil {
		return nil, err
	}
	name, err := w.firstSheet(main, relations)
	if err != nil {
		return nil, err
	}
	table, err := w.sharedStrings(relations)
	if err != nil {
		return nil, err
	}
	s, err := w.openSheet(name, table)
	if err != nil {
		_ = table.Close()
		return nil, err
	}
	r, err := openReader(s, XLSX, size, limits)
	if err != nil {
		return nil, err
	}
	if err = r.lookThrough(); err == nil {
		err = s.rewind()
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return openReader(s, XLSX, size, limits)
}

// mainPart finds the part that lists the sheets.
func (w *workbook) mainPart() (string, error) {
	const usual = "xl/workbook.xml"
	if w.part(usual) != nil {
		return usual, nil
	}
	if w.part("_rels/.rels") != nil && w.part("xl/workbook.bin") == nil {
		relations, err := w.relations("")
		if err != nil {
			return "", err
		}
		for _, r := range relations {
			inWorkbook := strings.HasPrefix(strings.ToLower(r.target), "xl/")
			if r.kind == "officeDocument" && inWorkbook && w.part(r.target) != nil {
				return r.target, nil
			}
		}
	}
	return "", judgeZip(func(name string) bool { return w.part(name) != nil })
}

// firstSheet returns the part of the first worksheet that isn't hidden, or of
// the first one when all are. Sheets that hold a chart have no rows.
func (w *workbook) firstSheet(main string, relations []relation) (string, error) {
	targets := map[string]string{}
	for _, r := range relations {
		if r.kind == "worksheet" {
			targets[r.id] = r.target
		}
	}
	part, err := w.open(main)
	if err != nil {
		return "", err
	}
	defer part.Close()
	hidden := ""
	x := newXMLScanner(part)
	for {
		kind, err := x.next()
		atEnd := errors.Is(err, io.EOF) || kind == xmlEnd && string(x.name) == "sheets"
		switch {
		case atEnd && hidden != "":
			return hidden, nil
		case atEnd:
			return "", corrupt("it has no sheet with rows")
		case err != nil:
			return "", err
		case kind != xmlStart || string(x.name) != "sheet":
			continue
		}
		target := targets[attr(x.attrs, "id")]
		if target == "" {
			continue
		}
		if state := attr(x.attrs, "state"); state == "" || state == "visible" {
			return target, nil
		}
		if hidden == "" {
			hidden = target
		}
	}
}

// sharedStrings reads the table of the strings that the cells refer to. A
// workbook that has all its strings in the cells has none.
func (w *workbook) sharedStrings(relations []relation) (*stringTable, error) {
	table := newStringTable(w.limits)
	for _, r := range relations {
		f := w.part(r.target)
		if r.kind != "sharedStrings" || f == nil {
			continue
		}
		part, err := w.open(r.target)
		if err != nil {
			return nil, err
		}
		defer part.Close()
		if err := table.load(part, f.UncompressedSize64); err != nil {
			_ = table.Close()
			return nil, err
		}
		break
	}
	return table, nil
}

func (w *workbook) openSheet(name string, table *stringTable) (*xlsxSource, error) {
	part, err := w.open(name)
	if err != nil {
		return nil, err
	}
	return &xlsxSource{
		xml:     newXMLScanner(part),
		part:    part,
		book:    w,
		name:    name,
		before:  w.size - int64(w.part(name).CompressedSize64),
		strings: table,
		limits:  w.limits,
	}, nil
}

// rewind goes back to the first row.
func (s *xlsxSource) rewind() error {
	_ = s.part.Close() // what is wrong behind the rows is of no interest
	part, err := s.book.unzip(s.book.part(s.name))
	if err != nil {
		return err
	}
	s.part, s.xml, s.number = part, newXMLScanner(part), 0
	return nil
}
