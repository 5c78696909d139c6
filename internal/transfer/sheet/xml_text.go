package sheet

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// nextAttr parts the first attribute from the rest. The name comes without its
// prefix, the value with its entities.
func nextAttr(attrs []byte) (name, value, rest []byte, ok bool) {
	from := skipSpace(attrs, 0)
	to := from
	for ; to < len(attrs) && attrs[to] != '=' && !isXMLSpace(attrs[to]); to++ {
		if attrs[to] == ':' {
			from = to + 1
		}
	}
	equals := skipSpace(attrs, to)
	quote := skipSpace(attrs, equals+1)
	if quote >= len(attrs) || attrs[equals] != '=' || attrs[quote] != '"' && attrs[quote] != '\'' {
		return nil, nil, nil, false
	}
	value = attrs[quote+1:]
	end := bytes.IndexByte(value, attrs[quote])
	if end < 0 {
		return nil, nil, nil, false
	}
	return attrs[from:to], value[:end], value[end+1:], true
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && isXMLSpace(b[at]) {
		at++
	}
	return at
}

// attr returns the value of one attribute, entities resolved, or "".
func attr(attrs []byte, want string) string {
	for {
		name, value, rest, ok := nextAttr(attrs)
		if !ok {
			return ""
		}
		if string(name) == want {
			return string(appendText(nil, value))
		}
		attrs = rest
	}
}

// appendTo appends the text of the token.
func (x *xmlScanner) appendTo(dst []byte) []byte {
	if x.inCDATA {
		return append(dst, x.text...)
	}
	return appendText(dst, x.text)
}

// appendText appends text with its entities resolved and its line ends as XML
// reads them: LF.
func appendText(dst, text []byte) []byte {
	for {
		i := indexSpecial(text)
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		text = text[i:]
		if text[0] == '\r' {
			dst = append(dst, '\n')
			text = bytes.TrimPrefix(text[1:], []byte("\n"))
			continue
		}
		r, n := entity(text)
		if n == 0 {
			r, n = '&', 1
		}
		dst = utf8.AppendRune(dst, r)
		text = text[n:]
	}
}

// indexSpecial finds what does not stand for itself.
func indexSpecial(text []byte) int {
	i := bytes.IndexByte(text, '\r')
	if i < 0 {
		return bytes.IndexByte(text, '&')
	}
	if j := bytes.IndexByte(text[:i], '&'); j >= 0 {
		return j
	}
	return i
}

// entity reads the entity that b begins with; n is 0 when it is none.
func entity(b []byte) (r rune, n int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 2 {
		return 0, 0
	}
	switch name := string(b[1:end]); name {
	case "amp":
		r = '&'
	case "lt":
		r = '<'
	case "gt":
		r = '>'
	case "quot":
		r = '"'
	case "apos":
		r = '\''
	default:
		if r = charRef(name); r < 0 {
			return 0, 0
		}
	}
	return r, end + 1
}

func charRef(name string) rune {
	if name[0] != '#' || len(name) < 2 {
		return -1
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || code > utf8.MaxRune {
		return -1
	}
	return rune(code)
}

// unescape resolves the form _xHHHH_ in which a workbook keeps characters that
// XML can't hold, in place. A text that looks like one has its first _ so
// escaped, and is left as it was meant.
func unescape(text []byte) []byte {
	i := bytes.Index(text, []byte("_x"))
	if i < 0 {
		return text
	}
	out := text[:i]
	for text = text[i:]; len(text) > 0; {
		code, ok := escaped(text)
		if ok {
			out = utf8.AppendRune(out, code)
			text = text[7:]
			continue
		}
		out = append(out, text[0])
		text = text[1:]
	}
	return out
}

func escaped(b []byte) (rune, bool) {
	if len(b) < 7 || b[0] != '_' || b[1] != 'x' || b[6] != '_' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(code), err == nil
}
