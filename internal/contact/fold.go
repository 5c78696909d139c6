package contact

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ujumbe/internal/account"
)

// fold makes texts comparable as people compare them: without regard to case,
// accents and the amount of space between words.
func fold(text string) string {
	if isASCII(text) {
		text = strings.ToLower(text)
	} else {
		text = strings.Map(plain, norm.NFKD.String(text))
	}
	return strings.Join(strings.Fields(text), " ")
}

// plain drops accents and spells letters that have no decomposition by their
// nearest plain one.
func plain(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	switch r = unicode.ToLower(r); r {
	case 'ø':
		return 'o'
	case 'đ', 'ð':
		return 'd'
	case 'ł':
		return 'l'
	case 'ı':
		return 'i'
	case '’', '‘', 'ʼ', 'ʻ':
		return '\''
	}
	return r
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldedName is the text that a contact's names are found by.
func foldedName(first, last string) string {
	switch {
	case first == "":
		return fold(last)
	case last == "":
		return fold(first)
	}
	return fold(first + " " + last)
}

// keyOf stands for a text of one organization in 8 bytes. It is cut from a
// cryptographic hash: two of a million texts share a key once in forty million
// organizations, and nobody can make two that do on purpose at a bearable price.
func keyOf(org account.ID, kind, text string) int64 {
	buf := make([]byte, 0, 256)
	buf = append(buf, org[:]...)
	buf = append(buf, kind...)
	buf = append(buf, 0)
	buf = append(buf, text...)
	sum := sha256.Sum256(buf)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// tagsKey is the same for the same set in any order.
func tagsKey(org account.ID, tags Tags) int64 {
	if !strings.Contains(string(tags), tagSeparator) {
		return keyOf(org, "tags", string(tags))
	}
	all := tags.Split()
	slices.Sort(all)
	return keyOf(org, "tags", strings.Join(all, tagSeparator))
}
