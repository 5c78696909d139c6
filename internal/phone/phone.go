// Package phone reads phone numbers and tells whose network they are on. A
// number is normalized, held to a structural rule, and looked up by longest
// prefix in a registry of African mobile operators, all without allocation, so
// that an import can afford it for every row.
package phone

import (
	"fmt"
	"math/bits"
	"strconv"

	"ujumbe/internal/fault"
)

// The bounds of a number: digits after normalization, and bytes before.
const (
	MinDigits = 7
	MaxDigits = 15
	MaxInput  = 64
)

// What Parse refuses, made once so that a file full of bad rows costs nothing
// to refuse. They are shared: compare them with errors.Is, read them, never
// change them.
var (
	ErrNoDigits = fault.Invalid("phone_no_digits",
		"The phone number has no digits; write it in international format, like +254712345678.")
	ErrTooShort = fault.Invalid("phone_too_short",
		"The phone number has fewer than 7 digits; write it in full, with the country's calling code.")
	ErrTooLong = fault.Invalid("phone_too_long",
		"The phone number has more than 15 digits; give one number only, with the country's calling code.")
	ErrInputTooLong = fault.Invalid("phone_input_too_long",
		"The phone number is longer than 64 characters; give one number only, without other text.")
	ErrLeadingZero = fault.Invalid("phone_leading_zero",
		"The phone number begins with 0; begin it with the country's calling code, like +254 for Kenya.")
	ErrImpossibleLength = fault.Invalid("phone_impossible_length",
		"No phone number of this country has this many digits; check for a missing or an extra digit.")
)

// Number is a phone number in international form: its digits, calling code
// first, read as one decimal number. No calling code begins with 0, so the
// digits can always be told from the value. It fits in 50 bits, compares and
// hashes as an integer, and is kept in a signed 64-bit column or as its text.
// The zero Number is no number.
type Number uint64

// text is what a number is read from: a field of JSON or a cell of a file still
// in its buffer.
type text interface{ ~string | ~[]byte }

// Parse normalizes raw and holds it to the structural rule. Space around it and
// a leading + or 00 go, then whatever is no digit. What is left must have
// MinDigits to MaxDigits digits, not begin with 0 and, if it begins with the
// calling code of a registry country, have a length that occurs there.
//
// The error is one of this package's Err values, each a fault that says what to
// mend.
func Parse[T text](raw T) (Number, error) {
	n, digits, err := normalize(raw)
	if err != nil {
		return 0, err
	}
	if !registry.countryOf(n, digits).takes(digits) {
		return 0, ErrImpossibleLength
	}
	return n, nil
}

// normalize does all of Parse but the lengths of the registry's countries. It
// returns how many digits the number has, too.
func normalize[T text](raw T) (n Number, digits int, err error) {
	if len(raw) > MaxInput {
		return 0, 0, ErrInputTooLong
	}
	for i := bodyStart(raw); i < len(raw); i++ {
		digit := raw[i] - '0'
		if digit > 9 {
			continue
		}
		n = n*10 + Number(digit)
		digits++
	}
	switch {
	case digits == 0:
		return 0, 0, ErrNoDigits
	case digits < MinDigits:
		return 0, 0, ErrTooShort
	case digits > MaxDigits: // n may have wrapped around by now
		return 0, 0, ErrTooLong
	case n < pow10[digits-1]:
		return 0, 0, ErrLeadingZero
	}
	return n, digits, nil
}

// bodyStart returns the index behind the space around raw and one leading + or
// 00. Bytes outside ASCII count as space here: spreadsheets and chat programs
// put no-break spaces, byte order marks and direction marks before numbers.
func bodyStart[T text](raw T) int {
	i := 0
	for i < len(raw) && (raw[i] <= ' ' || raw[i] > '~') {
		i++
	}
	switch {
	case i < len(raw) && raw[i] == '+':
		return i + 1
	case i+1 < len(raw) && raw[i] == '0' && raw[i+1] == '0':
		return i + 2
	}
	return i
}

// String is the number as people write it, + and digits; "" for no number.
func (n Number) String() string {
	var buf [1 + MaxDigits]byte
	return string(n.Append(buf[:0]))
}

// Append appends what String returns to b.
func (n Number) Append(b []byte) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendUint(append(b, '+'), uint64(n), 10)
}

// MarshalText is the text of String.
func (n Number) MarshalText() ([]byte, error) { return n.Append(nil), nil }

// UnmarshalText reads a number as Parse does; empty text is no number.
func (n *Number) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*n = 0
		return nil
	}
	parsed, err := Parse(b)
	if err != nil {
		return fmt.Errorf("phone number: %w", err)
	}
	*n = parsed
	return nil
}

// digits counts the digits of n.
func (n Number) digits() int {
	// 1233/4096 is just above log10(2), so this is right or one too few.
	count := bits.Len64(uint64(n)) * 1233 >> 12
	if n >= pow10[count] {
		count++
	}
	return count
}

// pow10 has every power of ten that fits.
var pow10 = func() (table [20]Number) {
	p := Number(1)
	for i := range table {
		table[i] = p
		p *= 10
	}
	return table
}()
