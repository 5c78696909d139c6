package sheet

import (
	"slices"
	"strings"
)

// SplitTags reads a cell of tags: parted by ; or by a comma, without space
// around them, each once, in the order in which they come first.
func SplitTags(cell []byte) []string {
	if len(cell) == 0 {
		return nil
	}
	var tags []string
	isSeparator := func(r rune) bool { return r == ';' || r == ',' }
	for tag := range strings.FieldsFuncSeq(string(cell), isSeparator) {
		tag = strings.TrimSpace(tag)
		if tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
