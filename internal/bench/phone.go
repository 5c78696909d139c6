package main

import (
	"context"
	"testing"

	"github.com/nyaruka/phonenumbers"

	"ujumbe/internal/phone"
)

// measurePhone times what an import pays for one number: normalization,
// structural rule and prefix lookup.
func measurePhone(_ context.Context, b *bench) error {
	inputs := []string{
		"+254712345678", "00254 733 123 456", "+234 (803) 123-4567", "27821234567",
		" +20 100 123 4567 ", "+2290195123456", "+447911123456", "+254202012345",
	}
	ours := testing.Benchmark(func(t *testing.B) {
		for i := 0; t.Loop(); i++ {
			if n, err := phone.Parse(inputs[i%len(inputs)]); err == nil {
				_ = n.Network()
			}
		}
	})
	theirs := testing.Benchmark(func(t *testing.B) {
		for i := 0; t.Loop(); i++ {
			if n, err := phonenumbers.Parse(inputs[i%len(inputs)], "KE"); err == nil {
				_ = phonenumbers.IsValidNumber(n)
			}
		}
	})
	b.table.add(row{"phone number: parse and look up its prefix", "", nanoseconds, float64(ours.NsPerOp()), "libphonenumber: parse and check", float64(theirs.NsPerOp())})
	return nil
}
