package contact_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/contact"
)

func TestNamesAreComparedAsPeopleDo(t *testing.T) {
	for given, want := range map[string]string{
		"Wanjikũ":           "wanjiku",
		"WANJIKU":           "wanjiku",
		"Ngũgĩ wa Thiong’o": "ngugi wa thiong'o",
		"José":              "jose",
		"Jose\u0301":        "jose",
		"  Two   words ":    "two words",
		"Øyvind Łukasz":     "oyvind lukasz",
		"Ａｓｈａ":              "asha",
		"İstanbul":          "istanbul",
		"ወንድሙ":              "ወንድሙ",
		"50%_'\"":           "50%_'\"",
		"":                  "",
	} {
		if got := contact.Fold(given); got != want {
			t.Errorf("fold(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestFoldingTwiceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := contact.Fold(rapid.String().Draw(t, "text"))
		if twice := contact.Fold(once); twice != once {
			t.Fatalf("%q folds to %q", once, twice)
		}
	})
}

func TestDigitsOfATermThatCanBeANumber(t *testing.T) {
	for term, want := range map[string]string{
		"+254 712-345 (678)": "254712345678",
		"0712.345":           "0712345",
		"712":                "712",
		"7a":                 "",
		"wanjiku":            "",
		"+":                  "",
	} {
		if got := contact.PhoneDigits(term); got != want {
			t.Errorf("%q: got %q, want %q", term, got, want)
		}
	}
}

// A fragment is looked up by ranges instead of reading numbers; they must cover
// exactly the numbers that contain it.
func TestRangesCoverExactlyTheNumbersWithAFragment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(1_000_000, 999_999_999_999_999).Draw(t, "number")
		digits := strconv.FormatInt(number, 10)
		fragment := rapid.StringMatching(`[0-9]{1,8}`).Draw(t, "fragment")
		if rapid.Bool().Draw(t, "inside") {
			from := rapid.IntRange(0, len(digits)-1).Draw(t, "from")
			to := rapid.IntRange(from+1, len(digits)).Draw(t, "to")
			fragment = digits[from:to]
		}
		got := contact.Spans(fragment, []int64{number / contact.TailSpan}, number)
		if want := strings.Contains(digits, fragment); got != want {
			t.Fatalf("%q in %d: got %v, want %v", fragment, number, got, want)
		}
	})
}
