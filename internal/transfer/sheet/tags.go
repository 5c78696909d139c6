package sheet

import "strings"

// SplitTags reads a cell of tags: parted by ; or by a comma, without space
// around them, each once, in the order in which they come first.
func SplitTags(cell []byte) []string {
	var tags []string
	seen := map[string]bool{"": true}
	isSeparator := func(r rune) bool { return r == ';' || r == ',' }
	for tag := range strings.FieldsFuncSeq(string(cell), isSeparator) {
		if tag = strings.TrimSpace(tag); !seen[tag] {
			seen[tag] = true
			tags = append(tags, tag)
		}
	}
	return tags
}
