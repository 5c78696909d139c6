package sheet

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// charset is how the characters of a text stand in its bytes.
type charset int

const (
	noText charset = iota
	utf8Text
	utf16LE
	utf16BE
	windows1252
)

// detectCharset tells the charset from the start of a file, and how many bytes
// of mark come before the text.
func detectCharset(head []byte) (cs charset, mark int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return utf8Text, 3
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return utf16LE, 2
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return utf16BE, 2
	}
	first := head[:min(len(head), binaryBytes)]
	if bytes.IndexByte(first, 0) >= 0 {
		if cs := utf16Shape(first[:min(len(first), 64)]); cs != noText {
			return cs, 0
		}
		return utf16Shape(first), 0
	}
	if controls(first) > len(first)/10 {
		return noText, 0
	}
	return eightBitCharset(head), 0
}

// utf16Shape knows UTF-16 without a mark by its zero bytes: the upper byte of
// most characters is zero, at the least of those in the header.
func utf16Shape(b []byte) charset {
	var zeros [2]int
	for i, c := range b {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(b) / 4 // half of the characters
	switch {
	case zeros[1] > half && zeros[0] <= zeros[1]/20:
		return utf16LE
	case zeros[0] > half && zeros[1] <= zeros[0]/20:
		return utf16BE
	default:
		return noText
	}
}

func controls(b []byte) int {
	n := 0
	for _, c := range b {
		if c < utf8.RuneSelf && isControl(rune(c)) {
			n++
		}
	}
	return n
}

// eightBitCharset takes for Windows-1252 what has at least as many bytes that
// can't be UTF-8 as characters that must be. So one broken byte does not spoil
// every accent of a file that is UTF-8 otherwise.
func eightBitCharset(b []byte) charset {
	broken, proper := 0, 0
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !utf8.FullRune(b[i:]) {
			break // cut off where the look ends
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			broken++
		} else {
			proper++
		}
		i += n
	}
	if broken > 0 && broken >= proper {
		return windows1252
	}
	return utf8Text
}

// decode gives the text of r as UTF-8 that is always valid and has no control
// characters but tab, line feed and carriage return.
func decode(r io.Reader, cs charset) io.Reader {
	var t transform.Transformer = mender{}
	switch cs {
	case utf16LE:
		t = transform.Chain(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder(), t)
	case utf16BE:
		t = transform.Chain(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder(), t)
	case windows1252:
		t = transform.Chain(charmap.Windows1252.NewDecoder(), t)
	default: // UTF-8 needs mending only
	}
	return transform.NewReader(r, t)
}

// mender passes proper UTF-8 on, drops control characters, and takes each byte
// that can't be UTF-8 for Windows-1252: where the start of a file was plain
// ASCII, its first accent may come a million rows later.
type mender struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (mender) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		n := properPrefix(src[nSrc:])
		copied := copy(dst[nDst:], src[nSrc:nSrc+n])
		nDst, nSrc = nDst+copied, nSrc+copied
		if copied < n {
			return nDst, nSrc, transform.ErrShortDst
		}
		for nSrc < len(src) && src[nSrc] < utf8.RuneSelf && isControl(rune(src[nSrc])) {
			nSrc++
		}
		if nSrc == len(src) {
			break
		}
		if !atEOF && !utf8.FullRune(src[nSrc:]) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		if len(dst)-nDst < utf8.UTFMax {
			return nDst, nSrc, transform.ErrShortDst
		}
		r, n := mend(src[nSrc:])
		nSrc += n
		if r >= 0 {
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
	}
	return nDst, nSrc, nil
}

// mend reads what properPrefix stopped at: the rune to put there, or -1 for
// none, and how many bytes it takes the place of.
func mend(b []byte) (rune, int) {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		r = charmap.Windows1252.DecodeByte(b[0])
	}
	if isControl(r) {
		r = -1
	}
	return r, n
}

// appendProper appends text as a mender would pass it on.
func appendProper(dst, text []byte) []byte {
	for len(text) > 0 {
		n := properPrefix(text)
		dst = append(dst, text[:n]...)
		if text = text[n:]; len(text) > 0 {
			r, n := mend(text)
			text = text[n:]
			if r >= 0 {
				dst = utf8.AppendRune(dst, r)
			}
		}
	}
	return dst
}

func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0
}

// properPrefix returns how many bytes at the start of b need no mending. It
// looks at eight bytes at a time: every byte of a file passes here.
func properPrefix(b []byte) int {
	const (
		ones   = 0x0101010101010101
		spaces = ones * ' '
		highs  = ones * 0x80
	)
	i := 0
	for {
		for len(b)-i >= 8 {
			w := binary.LittleEndian.Uint64(b[i:])
			// A high bit is set by a byte that isn't ASCII, by DEL in w+ones,
			// and by what is less than a space in w-spaces.
			if (w|(w+ones)|(w-spaces))&highs != 0 {
				break
			}
			i += 8
		}
		for stop := min(len(b), i+8); i < stop; {
			c := b[i]
			if c < utf8.RuneSelf {
				if isControl(rune(c)) {
					return i
				}
				i++
				continue
			}
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 || isControl(r) {
				return i
			}
			i += n
		}
		if i >= len(b) {
			return len(b)
		}
	}
}
