package phone

import (
	_ "embed" // the registry is part of the program
	"fmt"
	"iter"
	"slices"
)

//go:embed registry.txt
var registryText string

// Country is a country of the registry.
type Country struct {
	ISO         string // ISO 3166-1 alpha-2
	Name        string
	CallingCode string

	lengths uint16 // bit l: a national number may have l digits
}

// PossibleLength tells whether a national number of this country can have so
// many digits.
func (c Country) PossibleLength(digits int) bool {
	return digits >= 0 && c.lengths>>digits&1 == 1
}

// Network is a prefix of the registry: numbers that begin with it, and with no
// longer one, are taken to be its operator's. The zero Network is an unknown
// one. It is as small as a byte, so that a lookup costs no copying.
type Network struct{ index uint8 }

// Known tells whether there is such a network in the registry.
func (w Network) Known() bool { return w.index != 0 }

// Prefix is the digits that the network's numbers begin with, calling code
// first; "" for an unknown network.
func (w Network) Prefix() string { return registry.networks[w.index].prefix }

// Country is the ISO 3166-1 alpha-2 code of the network's country; "" for an
// unknown network.
func (w Network) Country() string { return registry.networks[w.index].country }

// Operator is the name of the network's operator; "" for an unknown network.
func (w Network) Operator() string { return registry.networks[w.index].operator }

// prefixLine is a prefix line of the registry.
type prefixLine struct{ prefix, country, operator string }

// headDigits and prefixDigits bound calling codes and prefixes: the tables below
// are indexed by the first three digits of a number and by the three that follow.
const (
	headDigits   = 3
	prefixDigits = 6
	headValues   = 1000
	indexes      = 256 // of the bytes that the tables hold
)

// table is the registry laid out for lookup. An entry is an index into
// countries or networks, whose first element stands for none.
type table struct {
	version   string
	countries []Country
	networks  []prefixLine

	country [headValues]uint8   // first three digits -> country
	block   [headValues]uint8   // first three digits -> blocks
	blocks  [][headValues]uint8 // next three digits -> network
}

// registry is read at start. The file is part of the program, so a mistake in it
// is ours and stops the first test that runs.
var registry = func() *table {
	t, err := loadRegistry(registryText)
	if err != nil {
		panic(fmt.Sprintf("phone: registry.txt: %v", err))
	}
	return t
}()

// Version names the state of the registry. What was decided under another
// version may be decided otherwise now.
func Version() string { return registry.version }

// Countries yields the countries of the registry in its order.
func Countries() iter.Seq[Country] { return slices.Values(registry.countries[1:]) }

// Networks yields the networks of the registry in its order.
func Networks() iter.Seq[Network] {
	return func(yield func(Network) bool) {
		for i := range registry.networks[1:] {
			if !yield(Network{uint8(i + 1)}) {
				return
			}
		}
	}
}

// Network finds the longest prefix of the registry that begins n.
func (n Number) Network() Network {
	digits := n.digits()
	if digits < MinDigits {
		return Network{}
	}
	first := n / pow10[digits-prefixDigits]
	block := registry.block[first/headValues]
	return Network{registry.blocks[block][first%headValues]}
}

// Country finds the registry country whose calling code begins n, whether or
// not a prefix matches.
func (n Number) Country() (c Country, known bool) {
	digits := n.digits()
	if digits < MinDigits {
		return Country{}, false
	}
	c = *registry.countryOf(n, digits)
	return c, c.ISO != ""
}

// countryOf returns the country whose calling code begins n, or the one that
// stands for none.
func (t *table) countryOf(n Number, digits int) *Country {
	return &t.countries[t.country[n/pow10[digits-headDigits]]]
}

// takes tells whether a number of so many digits, calling code included, can be
// this country's. Of no country nothing is known, and every length is taken.
func (c *Country) takes(digits int) bool {
	return c.ISO == "" || c.PossibleLength(digits-len(c.CallingCode))
}
