package contact_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/contact"
)

func TestTagsSurviveJoining(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tags := rapid.SliceOfN(rapid.StringMatching(`[^;,\s]{1,50}`), 0, contact.TagsMax).Draw(t, "tags")
		var want []string
		for _, tag := range tags {
			if !slices.Contains(want, tag) {
				want = append(want, tag)
			}
		}
		if got := contact.JoinTags(tags).Split(); !slices.Equal(got, want) {
			t.Fatalf("%q became %q", tags, got)
		}
	})
}

// BenchmarkDraft shows what checking one imported row costs.
func BenchmarkDraft(b *testing.B) {
	in := contact.Input{
		Phone: "+254 712 345 678", FirstName: "Wanjikũ", LastName: "Kamau", Email: "w.kamau@example.com",
		Notes: "met at the fair", Tags: []string{"vip", "customer"},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := in.Draft(); err != nil {
			b.Fatal(err)
		}
	}
}
