package contact

// Spans tells whether the search for a fragment, in an organization whose
// numbers have these heads, reaches a number.
func Spans(fragment string, heads []int64, number int64) bool {
	for _, s := range numberSpans(fragment, heads) {
		if s.from <= number && number <= s.to {
			return true
		}
	}
	for _, s := range tailSpans(fragment) {
		if tail := number % tailSpan; s.from <= tail && tail <= s.to {
			return true
		}
	}
	return false
}

// What tests look at from outside.
var (
	Fold        = fold
	PhoneDigits = phoneDigits
)

// TailSpan is what a number is divided by to get its head.
const TailSpan = tailSpan
