package phone_test

import (
	"testing"

	"ujumbe/internal/phone"
)

// BenchmarkLookup is what an import pays for one row: normalization, structural
// rule and registry.
func BenchmarkLookup(b *testing.B) {
	inputs := []string{
		"+254712345678", "00254 733 123 456", "+234 (803) 123-4567", "27821234567",
		" +20 100 123 4567 ", "+2290195123456", "+447911123456", "+254202012345",
	}
	b.Run("string", func(b *testing.B) { benchmarkLookup(b, inputs) })
	cells := make([][]byte, len(inputs))
	for i, s := range inputs {
		cells[i] = []byte(s)
	}
	b.Run("bytes", func(b *testing.B) { benchmarkLookup(b, cells) })
}

func benchmarkLookup[T string | []byte](b *testing.B, inputs []T) {
	b.ReportAllocs()
	valid, i := 0, 0
	for b.Loop() {
		if i++; i == len(inputs) {
			i = 0
		}
		n, err := phone.Parse(inputs[i])
		if err == nil && n.Network().Status() == phone.StatusValid {
			valid++
		}
	}
	if valid == 0 {
		b.Fatal("nothing was valid")
	}
}

func BenchmarkRefuse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := phone.Parse("0712 345 678"); err == nil {
			b.Fatal("taken")
		}
	}
}
