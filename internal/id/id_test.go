package id_test

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"ujumbe/internal/id"
)

type thing struct{}

func TestPlacedIDsStandInReverseBetweenTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := id.New[thing]()
		first, second := rapid.Uint32().Draw(t, "first"), rapid.Uint32().Draw(t, "second")
		a, b := id.Placed[thing](base, first), id.Placed[thing](base, second)
		if first < second && a.String() <= b.String() {
			t.Errorf("place %d has %s, place %d %s", first, a, second, b)
		}
		if a == b {
			t.Errorf("%s twice", a)
		}
		for _, one := range []id.Of[thing]{a, b} {
			if one.String() <= base.String() || one.String() >= id.PlacedEnd[thing](base).String() {
				t.Errorf("%s is not between %s and its end", one, base)
			}
			if u := uuid.UUID(one); u.Version() != 7 || u.Variant() != uuid.RFC4122 {
				t.Errorf("%s is of version %d", one, u.Version())
			}
		}
	})
}
