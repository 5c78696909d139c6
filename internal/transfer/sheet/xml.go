package sheet

import (
	"bytes"
	"io"
)

// xmlKind is what a token of an XML document is.
type xmlKind int

const (
	xmlSkip xmlKind = iota // nothing that a reader of workbooks asks for
	xmlStart
	xmlEnd
	xmlText
)

// xmlScanner reads the XML of a workbook token by token. encoding/xml would
// take most of the time of an import; this knows just what the parts of a
// workbook are made of. Prefixes of names are dropped, since each producer
// picks its own. Comments and processing instructions are passed over; a
// document type is refused: no workbook has one, and entities could be declared
// in it. Tags are not matched with one another, and markup longer than the
// window is refused.
//
// What a token holds is valid until the next call of next.
type xmlScanner struct {
	window
	name  []byte // of a start or an end
	attrs []byte // of a start, see nextAttr
	text  []byte // of a text, see appendTo

	inCDATA bool
	closed  bool // the start just given is also an end
}

const xmlWindow = 64 << 10

func newXMLScanner(in io.Reader) *xmlScanner {
	return &xmlScanner{window: newWindow(in, xmlWindow, xmlWindow)}
}

var errXML = corrupt("one of its parts can't be read")

// next returns the next token, or io.EOF. A long text comes in pieces, an empty
// element as a start and an end.
func (x *xmlScanner) next() (xmlKind, error) {
	if x.closed {
		x.closed = false
		return xmlEnd, nil
	}
	for {
		kind, used, err := x.scan(x.buf[x.pos:x.end])
		if err != nil {
			return 0, err
		}
		x.pos += used
		if kind != xmlSkip {
			return kind, nil
		}
		if used > 0 {
			continue
		}
		more, err := x.fill()
		if err != nil {
			return 0, err
		}
		if !more {
			return 0, x.atEnd()
		}
	}
}

// enclosed reads a text with given markup before and behind it, if that is what
// comes next and the window holds all of it: it spares nearly all cells of a sheet
// the way token by token.
func (x *xmlScanner) enclosed(before, behind string) bool {
	text, ok := bytes.CutPrefix(x.buf[x.pos:x.end], []byte(before))
	if !ok || x.closed {
		return false
	}
	n := bytes.IndexByte(text, '<')
	if n < 0 || !bytes.HasPrefix(text[n:], []byte(behind)) {
		return false
	}
	x.text = text[:n]
	x.pos += len(before) + n + len(behind)
	return true
}

// atEnd tells the end of a document from a document that breaks off.
func (x *xmlScanner) atEnd() error {
	if x.pos == x.end && !x.inCDATA {
		return io.EOF
	}
	return errXML
}

// scan reads the token at the start of b. It uses nothing when b does not hold
// all of it.
func (x *xmlScanner) scan(b []byte) (kind xmlKind, used int, err error) {
	switch {
	case x.inCDATA:
		kind, used = x.scanCDATA(b)
		return kind, used, nil
	case len(b) == 0:
		return xmlSkip, 0, nil
	case b[0] != '<':
		kind, used = x.scanText(b)
		return kind, used, nil
	case len(b) == 1:
		return xmlSkip, 0, nil
	}
	switch b[1] {
	case '/':
		kind, used = x.scanEnd(b)
		return kind, used, nil
	case '?':
		return xmlSkip, behind(b, "?>"), nil
	case '!':
		used, err = x.scanDeclaration(b)
		return xmlSkip, used, err
	default:
		kind, used = x.scanStart(b)
		return kind, used, nil
	}
}

func (x *xmlScanner) scanText(b []byte) (xmlKind, int) {
	n := bytes.IndexByte(b, '<')
	if n < 0 {
		switch {
		case x.eof:
			n = len(b)
		case len(b) >= xmlWindow/2:
			n = wholeText(b)
		default:
			return xmlSkip, 0
		}
	}
	x.text = b[:n]
	return xmlText, n
}

// wholeText returns how much of a long text can be given without parting an
// entity or a CRLF.
func wholeText(b []byte) int {
	const longestEntity = 10 // &#1114111;
	tail := len(b) - longestEntity
	if i := bytes.LastIndexAny(b[tail:], "&\r"); i >= 0 {
		return tail + i
	}
	return len(b)
}

func (x *xmlScanner) scanCDATA(b []byte) (xmlKind, int) {
	const end = "]]>"
	n := bytes.Index(b, []byte(end))
	switch {
	case n == 0:
		x.inCDATA = false
		return xmlSkip, len(end)
	case n < 0:
		n = len(b) - len(end) + 1
		if n <= 0 || x.eof {
			return xmlSkip, 0
		}
	}
	x.text = b[:n]
	return xmlText, n
}

func (x *xmlScanner) scanDeclaration(b []byte) (int, error) {
	const comment, cdata = "<!--", "<![CDATA["
	switch {
	case bytes.HasPrefix(b, []byte(comment)):
		n := behind(b[len(comment):], "-->")
		if n > 0 {
			n += len(comment)
		}
		return n, nil
	case bytes.HasPrefix(b, []byte(cdata)):
		x.inCDATA = true
		return len(cdata), nil
	case len(b) < len(cdata) && !x.eof:
		return 0, nil
	default:
		return 0, errXML
	}
}

func (x *xmlScanner) scanEnd(b []byte) (xmlKind, int) {
	n := bytes.IndexByte(b, '>')
	if n < 0 {
		return xmlSkip, 0
	}
	x.name = localName(bytes.TrimSpace(b[2:n]))
	return xmlEnd, n + 1
}

func (x *xmlScanner) scanStart(b []byte) (xmlKind, int) {
	n := tagEnd(b)
	if n < 0 {
		return xmlSkip, 0
	}
	tag := b[1:n]
	if len(tag) > 0 && tag[len(tag)-1] == '/' {
		x.closed = true
		tag = tag[:len(tag)-1]
	}
	i := 0
	for i < len(tag) && !isXMLSpace(tag[i]) {
		i++
	}
	x.name, x.attrs = localName(tag[:i]), tag[i:]
	return xmlStart, n + 1
}

// tagEnd returns the place of the > that ends the tag, or -1. An attribute may
// have a > in it.
func tagEnd(b []byte) int {
	n := bytes.IndexByte(b, '>')
	if n < 0 || bytes.Count(b[:n], []byte{'"'})%2 == 0 && bytes.IndexByte(b[:n], '\'') < 0 {
		return n
	}
	quote := byte(0)
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return -1
}

// behind returns the place behind the first mark in b, or 0.
func behind(b []byte, mark string) int {
	i := bytes.Index(b, []byte(mark))
	if i < 0 {
		return 0
	}
	return i + len(mark)
}

func localName(name []byte) []byte {
	return name[bytes.LastIndexByte(name, ':')+1:]
}

func isXMLSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
