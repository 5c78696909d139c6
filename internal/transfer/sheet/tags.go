package sheet

import (
	"slices"
	"strings"
)

// fewTags is up to how many tags it is quicker to look through them than to hash
// them. People have fewer; a hostile cell has hundreds of thousands.
const fewTags = 64

// SplitTags reads a cell of tags: parted by ; or by a comma, without space
// around them, each once, in the order in which they come first.
func SplitTags(cell []byte) []string {
	if len(cell) == 0 {
		return nil
	}
	var (
		tags []string
		seen map[string]struct{}
	)
	isSeparator := func(r rune) bool { return r == ';' || r == ',' }
	for tag := range strings.FieldsFuncSeq(string(cell), isSeparator) {
		tag = strings.TrimSpace(tag)
		if _, ok := seen[tag]; ok || tag == "" || seen == nil && slices.Contains(tags, tag) {
			continue
		}
		tags = append(tags, tag)
		switch {
		case seen != nil:
			seen[tag] = struct{}{}
		case len(tags) == fewTags:
			seen = setOf(tags)
		}
	}
	return tags
}

func setOf(tags []string) map[string]struct{} {
	set := make(map[string]struct{}, 2*len(tags))
	for _, tag := range tags {
		set[tag] = struct{}{}
	}
	return set
}
