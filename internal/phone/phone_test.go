package phone_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/fault"
	"ujumbe/internal/phone"
)

func TestParseNormalizes(t *testing.T) {
	for name, tc := range map[string]struct{ raw, want string }{
		"plus":                        {"+254712345678", "+254712345678"},
		"double zero":                 {"00254712345678", "+254712345678"},
		"bare digits":                 {"254712345678", "+254712345678"},
		"spaces, hyphens, brackets":   {" +254 (712) 345-678 ", "+254712345678"},
		"dots and slashes":            {"254.712/345.678", "+254712345678"},
		"letters are no digits":       {"+254 712 345 678 (home)", "+254712345678"},
		"tab and line feed":           {"\t00254712345678\r\n", "+254712345678"},
		"no-break space before 00":    {"\u00a000254712345678", "+254712345678"},
		"byte order mark before 00":   {"\ufeff00254712345678", "+254712345678"},
		"direction mark":              {"\u202a+254712345678\u202c", "+254712345678"},
		"00 inside stays":             {"+254 700 000 000", "+254700000000"},
		"shortest":                    {"+1234567", "+1234567"},
		"longest":                     {"+491234567890123", "+491234567890123"},
		"national number begins in 0": {"+225 07 07 12 34 56", "+2250707123456"},
		"beyond the registry":         {"+44 7911 123456", "+447911123456"},
	} {
		t.Run(name, func(t *testing.T) {
			fromString, err := phone.Parse(tc.raw)
			if err != nil || fromString.String() != tc.want {
				t.Errorf("Parse(%q) = %v, %v; want %s", tc.raw, fromString, err, tc.want)
			}
			fromBytes, err := phone.Parse([]byte(tc.raw))
			if err != nil || fromBytes != fromString {
				t.Errorf("Parse of bytes = %v, %v; want %v", fromBytes, err, fromString)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want error
	}{
		"empty":                       {"", phone.ErrNoDigits},
		"space":                       {"  \t ", phone.ErrNoDigits},
		"words":                       {"call me", phone.ErrNoDigits},
		"only a plus":                 {"+", phone.ErrNoDigits},
		"only the access code":        {"00", phone.ErrNoDigits},
		"six digits":                  {"+123456", phone.ErrTooShort},
		"too few among letters":       {"12a34", phone.ErrTooShort},
		"sixteen digits":              {"+1234567890123456", phone.ErrTooLong},
		"two numbers in one cell":     {"+254712345678/+254733123456", phone.ErrTooLong},
		"more digits than 64 bits":    {strings.Repeat("9", 40), phone.ErrTooLong},
		"sentence around it":          {strings.Repeat("x", 60) + "12345678", phone.ErrInputTooLong},
		"national form":               {"0712345678", phone.ErrLeadingZero},
		"00 after a plus":             {"+00254712345678", phone.ErrLeadingZero},
		"00 twice":                    {"0000254712345678", phone.ErrLeadingZero},
		"Kenyan one digit short":      {"+254712345", phone.ErrImpossibleLength},
		"Ugandan one digit long":      {"+2567723456789", phone.ErrImpossibleLength},
		"two-digit calling code":      {"+20123456", phone.ErrImpossibleLength},
		"spreadsheet's power of ten":  {"2.54712E+11", phone.ErrImpossibleLength},
		"Ivorian before ten digits":   {"+22507071234", phone.ErrImpossibleLength},
		"nothing but the second half": {"+254", phone.ErrTooShort},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := phone.Parse(tc.raw)
			if !errors.Is(err, tc.want) || n != 0 {
				t.Errorf("Parse(%q) = %v, %v; want %v", tc.raw, n, err, tc.want)
			}
			if !fault.Is(err, fault.KindInvalid) || !strings.HasPrefix(fault.Code(err), "phone_") {
				t.Errorf("%v is not a fault the caller can read", err)
			}
		})
	}
}

// reference is the rule as the contract words it, without care for speed.
func reference(raw string) (string, bool) {
	raw = strings.TrimLeftFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' })
	if rest, ok := strings.CutPrefix(raw, "+"); ok {
		raw = rest
	} else {
		raw = strings.TrimPrefix(raw, "00")
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, raw)
	if len(digits) < phone.MinDigits || len(digits) > phone.MaxDigits || digits[0] == '0' {
		return "", false
	}
	for c := range phone.Countries() {
		if national, ok := strings.CutPrefix(digits, c.CallingCode); ok && !c.PossibleLength(len(national)) {
			return "", false
		}
	}
	return "+" + digits, true
}

// checkParse holds Parse to the reference and to its own words.
func checkParse(t interface{ Fatalf(string, ...any) }, raw string) {
	n, err := phone.Parse(raw)
	if want, ok := reference(raw); len(raw) <= phone.MaxInput && (n.String() != want || (err == nil) != ok) {
		t.Fatalf("Parse(%q) = %v, %v; want %q", raw, n, err, want)
	}
	if err != nil {
		return
	}
	if again, err := phone.Parse(n.String()); err != nil || again != n {
		t.Fatalf("Parse(%q) = %v, %v; want it unchanged", n.String(), again, err)
	}
}

// rawNumber draws what people type: mostly numbers of known countries, dressed
// up, and sometimes anything at all.
func rawNumber() *rapid.Generator[string] {
	heads := []string{"", "+", "00", "0", " +", "+00", "(", "tel:"}
	var codes []string
	for c := range phone.Countries() {
		codes = append(codes, c.CallingCode)
	}
	dressed := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom(heads).Draw(t, "head") +
			rapid.SampledFrom(codes).Draw(t, "code") +
			rapid.StringMatching(`[ -]?(\d[ -]?){3,12}`).Draw(t, "rest")
	})
	return rapid.OneOf(dressed, rapid.StringMatching(`[+0-9 ()a-z-]{0,70}`), rapid.String())
}

func TestParseFollowsTheRuleAndIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkParse(t, rawNumber().Draw(t, "raw")) })
}

func FuzzParse(f *testing.F) {
	for _, raw := range []string{"+254712345678", "00254 733-123 456", "0712345678", "call me", "\ufeff00254712345678"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		checkParse(t, raw)
		phone.Explain(raw)
	})
}

func TestNumberKeepsItsTextInJSON(t *testing.T) {
	type card struct{ Phone phone.Number }
	n, _ := phone.Parse("+254712345678")
	out, err := json.Marshal(card{n})
	if err != nil || string(out) != `{"Phone":"+254712345678"}` {
		t.Fatalf("Marshal = %s, %v", out, err)
	}
	var back card
	if err := json.Unmarshal(out, &back); err != nil || back.Phone != n {
		t.Fatalf("Unmarshal = %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"Phone":"123"}`), &back); !errors.Is(err, phone.ErrTooShort) {
		t.Errorf("a short number in JSON gives %v", err)
	}
}

func TestZeroNumberIsNoNumber(t *testing.T) {
	var n phone.Number
	if n.String() != "" || n.Network().Known() {
		t.Errorf("zero Number is %q on %v", n, n.Network())
	}
	if _, known := n.Country(); known {
		t.Error("zero Number has a country")
	}
	if err := n.UnmarshalText(nil); err != nil || n != 0 {
		t.Errorf("empty text is %v, %v", n, err)
	}
}

func TestNumberOfNoParseIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := phone.Number(rapid.Uint64().Draw(t, "n"))
		_, _ = n.Country()
		_, _ = n.Network(), n.String()
	})
}

func TestParseAndLookupDoNotAllocate(t *testing.T) {
	cell := []byte("+254 (712) 345-678")
	buf := make([]byte, 0, 32)
	var operator string
	for name, work := range map[string]func(){
		"string":  func() { n, _ := phone.Parse("00254 733 123 456"); operator = n.Network().Operator() },
		"bytes":   func() { n, _ := phone.Parse(cell); operator = n.Network().Operator() },
		"refused": func() { _, _ = phone.Parse("0712345678") },
		"append":  func() { buf = phone.Number(254712345678).Append(buf[:0]) },
	} {
		if allocs := testing.AllocsPerRun(100, work); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
	if operator == "" {
		t.Error("no operator found")
	}
}
