package contact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ujumbe/internal/phone"
)

// A fragment of a phone number is found without reading numbers: it lies in the
// tail, in the head, or across the border, and each way is some ranges of an
// index. In the tail: the fragment at every place of the five digits. Across the
// border: behind every head that ends like the fragment begins. In the head: all
// numbers of every head that contains it. The heads are few, since the numbers
// of an organization come from a few networks.

// span is a range of numbers, both ends included.
type span struct{ from, to int64 }

// maxFragment is how many digits of a fragment can matter.
const maxFragment = phone.MaxDigits

// phoneDigits returns the digits of a search term that can be a part of a phone
// number, as people write them; "" for any other term.
func phoneDigits(term string) string {
	var b strings.Builder
	for _, r := range term {
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case !strings.ContainsRune("+ -().", r):
			return ""
		}
	}
	return b.String()
}

// pow10 is 10 to the power of n, for n up to maxFragment.
func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// tailSpans are the tails that contain the fragment.
func tailSpans(fragment string) []span {
	value := mustNumber(fragment)
	var spans []span
	for before := 0; before+len(fragment) <= tailDigits; before++ {
		after := pow10(tailDigits - len(fragment) - before)
		for lead := range pow10(before) {
			from := (lead*pow10(len(fragment)) + value) * after
			spans = append(spans, span{from, from + after - 1})
		}
	}
	return merge(spans)
}

// numberSpans are the numbers that contain the fragment in their head or across
// its border, given the heads there are.
func numberSpans(fragment string, heads []int64) []span {
	var spans []span
	for _, head := range heads {
		text := strconv.FormatInt(head, 10)
		first := head * tailSpan
		if strings.Contains(text, fragment) {
			spans = append(spans, span{first, first + tailSpan - 1})
			continue
		}
		for inHead := max(1, len(fragment)-tailDigits); inHead < len(fragment); inHead++ {
			if !strings.HasSuffix(text, fragment[:inHead]) {
				continue
			}
			rest := fragment[inHead:]
			after := pow10(tailDigits - len(rest))
			from := first + mustNumber(rest)*after
			spans = append(spans, span{from, from + after - 1})
		}
	}
	return merge(spans)
}

// mustNumber reads at most maxFragment digits.
func mustNumber(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		panic("not a fragment: " + err.Error())
	}
	return n
}

// merge puts spans in order and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	merged := spans[:0]
	for _, s := range spans {
		if last := len(merged) - 1; last >= 0 && s.from <= merged[last].to+1 {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// spansParameter writes spans as the object that json_each reads them from.
func spansParameter(spans []span) string {
	object := make(map[string]int64, len(spans))
	for _, s := range spans {
		object[strconv.FormatInt(s.from, 10)] = s.to
	}
	return jsonOf(object)
}
