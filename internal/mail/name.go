package mail

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxName  = 64   // characters of a user's or organization's name that a mail shows
	maxInput = 1024 // bytes looked at before anything else is done
)

// cleanName makes a name that some user chose safe to stand in a mail to
// someone else. Mail programs turn anything that looks like an address into a
// link, so a name such as "http://evil.example visit now" would put a stranger's
// link under our letterhead. The name is brought to one line of at most 64
// plain characters, angle brackets go, and a space follows every full stop,
// colon and @, so that no web or mail address stays whole: the example becomes
// "http: //evil. example visit now". Ordinary names come through as they are.
func cleanName(s string) string {
	s = cleanLine(s, maxName)
	var b strings.Builder
	split := false
	for _, r := range s {
		if split && r != ' ' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		split = strings.ContainsRune(".:@。", r)
	}
	return truncate(b.String(), maxName)
}

// cleanLine brings s to one line of at most limit characters: no control,
// invisible or direction-changing characters, no angle brackets, single spaces,
// and nothing that a reader of headers would take for an encoded word and
// decode into all that was just removed.
func cleanLine(s string, limit int) string {
	s = norm.NFKC.String(strings.ToValidUTF8(cut(s, maxInput), ""))
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == '<', r == '>', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "=?", "= ?")
	return truncate(s, limit)
}

// cut returns at most limit bytes of s; the rune at the edge may be broken.
func cut(s string, limit int) string { return s[:min(len(s), limit)] }

// truncate returns at most limit characters of s, the last an ellipsis if
// something was left out.
func truncate(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}
