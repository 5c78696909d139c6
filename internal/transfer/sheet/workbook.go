package sheet

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/readahead"

	"ujumbe/internal/fault"
)

const (
	// directoryBytes bounds the list of parts of a workbook, of which each
	// costs several times its length in memory.
	directoryBytes = 2 << 20
	// relationBytes bounds a list of relations, which is kept in memory.
	relationBytes = 4 << 20
	// ratioFrom is the size from which the ratio of a part counts: a little
	// file may well be mostly repetition.
	ratioFrom = 16 << 20
	// aheadFrom is the size from which a part is unzipped ahead of its reader,
	// so many pieces of a size.
	aheadFrom   = 1 << 20
	aheadPieces = 4
	aheadBytes  = 64 << 10
)

// workbook is the zip that an XLSX file is.
type workbook struct {
	src    *boundedSource
	size   int64
	parts  map[string]*zip.File // by name in lower case: producers differ
	limits Limits
	left   int64    // of Limits.UnzippedBytes
	packed *counter // what has been read of the part opened last
}

func openWorkbook(src io.ReaderAt, size int64, limits Limits) (*workbook, error) {
	w := &workbook{
		src:    &boundedSource{src: src, left: directoryBytes},
		size:   size,
		parts:  map[string]*zip.File{},
		limits: limits,
		left:   limits.UnzippedBytes,
	}
	zr, err := zip.NewReader(w.src, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, w.mapError(err)
	}
	w.src.left = math.MaxInt64
	zr.RegisterDecompressor(zip.Store, func(r io.Reader) io.ReadCloser {
		return io.NopCloser(w.count(r))
	})
	zr.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser {
		return flate.NewReader(bufio.NewReaderSize(w.count(r), 32<<10))
	})
	for _, f := range zr.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/"))
		if w.parts[name] == nil {
			w.parts[name] = f
		}
	}
	return w, nil
}

// Parts lists the parts of a workbook by their names in lower case, without
// reading any. One with more of them than a workbook ever has is a fault.
func Parts(src io.ReaderAt, size int64) ([]string, error) {
	w, err := openWorkbook(src, size, Limits{}.orDefault())
	if err != nil {
		return nil, err
	}
	return slices.Collect(maps.Keys(w.parts)), nil
}

func (w *workbook) count(r io.Reader) io.Reader {
	w.packed = &counter{in: r}
	return w.packed
}

func (w *workbook) part(name string) *zip.File { return w.parts[strings.ToLower(name)] }

// open unzips a part for the first time. Its size and ratio are judged by what
// the zip declares; the reader fails when there is more than declared.
func (w *workbook) open(name string) (io.ReadCloser, error) {
	f := w.part(name)
	if f == nil {
		return nil, corrupt("the part " + path.Base(name) + " is missing")
	}
	if f.Flags&1 != 0 {
		return nil, fault.BadRequest("file_encrypted",
			"The file is protected with a password. Remove the password, save it, and upload it again.")
	}
	if f.UncompressedSize64 > uint64(w.left) {
		return nil, tooLargeUnzipped()
	}
	if f.UncompressedSize64 > ratioFrom && f.UncompressedSize64/uint64(w.limits.Ratio) > f.CompressedSize64 {
		return nil, tooLargeUnzipped()
	}
	w.left -= int64(f.UncompressedSize64)
	return w.unzip(f)
}

func (w *workbook) unzip(f *zip.File) (io.ReadCloser, error) {
	r, err := f.Open()
	if err != nil {
		return nil, w.mapError(err)
	}
	part := &partReader{ReadCloser: r, book: w}
	if f.UncompressedSize64 < aheadFrom {
		return part, nil
	}
	ahead, err := readahead.NewReadCloserSize(part, aheadPieces, aheadBytes)
	if err != nil {
		return nil, fmt.Errorf("unzip ahead: %w", err)
	}
	return ahead, nil
}

// mapError tells a damaged file from a disk that fails.
func (w *workbook) mapError(err error) error {
	switch {
	case w.src.err != nil:
		return fmt.Errorf("read the workbook: %w", w.src.err)
	case errors.Is(err, errDirectory):
		return corrupt("it has too many parts")
	case errors.Is(err, zip.ErrAlgorithm):
		return corrupt("it is compressed in an unknown way")
	default:
		return corrupt("it can't be unzipped")
	}
}

// partReader is a part whose errors say what is wrong with the workbook.
type partReader struct {
	io.ReadCloser
	book *workbook
}

// Read implements io.Reader.
func (p *partReader) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.book.mapError(err)
	}
	return n, err
}

var errDirectory = errors.New("the list of parts is too long")

// boundedSource bounds what may be read, and remembers when it was the file
// itself that could not be read.
type boundedSource struct {
	src  io.ReaderAt
	left int64
	err  error
}

// ReadAt implements io.ReaderAt.
func (s *boundedSource) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, zip.ErrFormat // a place that the zip declares
	}
	if int64(len(p)) > s.left {
		return 0, errDirectory
	}
	n, err := s.src.ReadAt(p, off)
	s.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// relation is a link from one part of a workbook to another.
type relation struct{ id, kind, target string }

// relations reads the links of a part; the package itself is the part "".
func (w *workbook) relations(of string) ([]relation, error) {
	dir, base := path.Split(of)
	name := dir + "_rels/" + base + ".rels"
	if f := w.part(name); f != nil && f.UncompressedSize64 > relationBytes {
		return nil, corrupt("it has too many links")
	}
	r, err := w.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []relation
	x := newXMLScanner(r)
	for {
		kind, err := x.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if kind != xmlStart || string(x.name) != "Relationship" {
			continue
		}
		target := strings.ReplaceAll(attr(x.attrs, "Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = dir + target
		}
		all = append(all, relation{
			id:     attr(x.attrs, "Id"),
			kind:   path.Base(attr(x.attrs, "Type")), // the rest differs between the editions of the format
			target: strings.TrimPrefix(path.Clean(target), "/"),
		})
	}
}
