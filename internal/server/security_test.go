package server_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPageNamesTestsThatExist keeps the table of threats true: a test
// that is renamed or removed must not be promised any longer.
func TestSecurityPageNamesTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources strings.Builder
	err = fs.WalkDir(os.DirFS("../.."), "internal", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile("../../" + path)
		sources.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	for _, match := range named {
		if !strings.Contains(sources.String(), "func "+match[1]+"(") {
			t.Errorf("SECURITY.md names %s, which does not exist", match[1])
		}
	}
	if rows := regexp.MustCompile(`(?m)^\| \d+ \|.*\x60(Test|Fuzz)`).FindAllString(string(page), -1); len(rows) != 25 {
		t.Errorf("%d of 25 threats have a test", len(rows))
	}
}
