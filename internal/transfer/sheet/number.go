package sheet

import "bytes"

// wholeNumber reads a phone that went through a spreadsheet as a number:
// 2.54712345678E+11 and 254712345678.0 are the digits they stand for. A number
// with fewer digits than its size asks for has been rounded, and so has one
// that isn't whole. Anything else is returned as it is.
func (r *Reader) wholeNumber(cell []byte) (phone []byte, rounded bool) {
	n, ok := splitNumber(cell)
	if !ok {
		return cell, false
	}
	if n.exp < 0 {
		if len(n.whole) >= 7 && string(n.frac) == "0" {
			return n.whole, false
		}
		return cell, false
	}
	all := append(append(r.digits[:0], n.whole...), n.frac...)
	r.digits = all
	point := len(n.whole) + n.exp
	if point > len(all) || len(bytes.Trim(all[point:], "0")) > 0 {
		return cell, true
	}
	return all[:point], false
}

// textFormula takes the digits out of ="254712345678", the way in which some
// programs keep a spreadsheet from making a number of them.
func textFormula(cell []byte) []byte {
	if inner, ok := bytes.CutPrefix(cell, []byte(`="`)); ok {
		if inner, ok = bytes.CutSuffix(inner, []byte(`"`)); ok {
			return inner
		}
	}
	return cell
}

// number is a number as it is written; exp is -1 when it has no exponent.
type number struct {
	whole, frac []byte
	exp         int
}

// splitNumber takes a number with a fraction or an exponent or both, and
// nothing else. The fraction may stand behind a comma, as many countries write
// it.
func splitNumber(cell []byte) (number, bool) {
	n := number{exp: -1}
	rest := bytes.TrimPrefix(cell, []byte("+"))
	n.whole, rest = leadingDigits(rest)
	if len(n.whole) == 0 || len(rest) < 2 {
		return n, false
	}
	if rest[0] == '.' || rest[0] == ',' {
		n.frac, rest = leadingDigits(rest[1:])
		if len(n.frac) == 0 || len(rest) == 0 {
			return n, len(n.frac) > 0
		}
	}
	if rest[0] != 'E' && rest[0] != 'e' {
		return n, false
	}
	exp, rest := leadingDigits(bytes.TrimPrefix(rest[1:], []byte("+")))
	if len(rest) > 0 || len(exp) == 0 || len(exp) > 3 {
		return n, false
	}
	n.exp = 0
	for _, d := range exp {
		n.exp = n.exp*10 + int(d-'0')
	}
	return n, true
}

func leadingDigits(b []byte) (digits, rest []byte) {
	i := 0
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return b[:i], b[i:]
}
