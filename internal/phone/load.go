package phone

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// loadRegistry reads the format that registry.txt describes.
func loadRegistry(source string) (*table, error) {
	t := &table{
		countries: make([]Country, 1),
		networks:  make([]prefixLine, 1),
		blocks:    make([][headValues]uint8, 1),
	}
	number := 0
	for line := range strings.Lines(source) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if err := t.add(fields); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if t.version == "" {
		return nil, errors.New("no version line")
	}
	if err := t.layOut(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *table) add(fields []string) error {
	switch kind := fields[0]; {
	case kind == "version" && len(fields) == 2 && t.version == "":
		t.version = fields[1]
		return nil
	case kind == "country" && len(fields) >= 5:
		return t.addCountry(fields[1], fields[2], fields[3], strings.Join(fields[4:], " "))
	case kind == "prefix" && len(fields) >= 4:
		return t.addNetwork(prefixLine{prefix: fields[1], country: fields[2], operator: strings.Join(fields[3:], " ")})
	}
	return fmt.Errorf("not a version, country or prefix line: %q", strings.Join(fields, " "))
}

func (t *table) addCountry(iso, code, lengths, name string) error {
	c := Country{ISO: iso, Name: name, CallingCode: code}
	if !isISO(iso) || !isDigits(code, headDigits) {
		return fmt.Errorf("country %s with calling code %s", iso, code)
	}
	for word := range strings.SplitSeq(lengths, ",") {
		length, err := strconv.ParseUint(word, 10, 8)
		if err != nil || length == 0 || length > MaxDigits {
			return fmt.Errorf("country %s has national length %q", iso, word)
		}
		c.lengths |= 1 << length
	}
	for _, other := range t.countries[1:] {
		if other.ISO == iso || strings.HasPrefix(other.CallingCode, code) || strings.HasPrefix(code, other.CallingCode) {
			return fmt.Errorf("country %s collides with %s", iso, other.ISO)
		}
	}
	t.countries = append(t.countries, c)
	return nil
}

// addNetwork takes a prefix of the country whose line was read last, so that
// the file stays grouped as people read it.
func (t *table) addNetwork(p prefixLine) error {
	last := t.countries[len(t.countries)-1]
	switch {
	case !isDigits(p.prefix, prefixDigits):
		return fmt.Errorf("prefix %q is not 1 to %d digits, the first not 0", p.prefix, prefixDigits)
	case p.country == "" || p.country != last.ISO:
		return fmt.Errorf("prefix %s does not stand under country %s", p.prefix, p.country)
	case !strings.HasPrefix(p.prefix, last.CallingCode):
		return fmt.Errorf("prefix %s does not begin with %s's calling code %s", p.prefix, last.ISO, last.CallingCode)
	case slices.ContainsFunc(t.networks, func(other prefixLine) bool { return other.prefix == p.prefix }):
		return fmt.Errorf("prefix %s stands twice", p.prefix)
	}
	t.networks = append(t.networks, p)
	return nil
}

// layOut fills the lookup tables. Shorter prefixes go in first, so that longer
// ones overwrite them where they are more exact.
func (t *table) layOut() error {
	if len(t.countries) > indexes || len(t.networks) > indexes {
		return fmt.Errorf("%d countries and %d prefixes are more than fit", len(t.countries), len(t.networks))
	}
	for i, c := range t.countries[1:] {
		from, to := span(c.CallingCode, headDigits)
		for head := from; head < to; head++ {
			t.country[head] = uint8(i + 1)
		}
	}
	order := make([]int, 0, len(t.networks))
	for i := range t.networks[1:] {
		order = append(order, i+1)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return len(t.networks[a].prefix) - len(t.networks[b].prefix)
	})
	for _, i := range order {
		from, to := span(t.networks[i].prefix, prefixDigits)
		for lead := from; lead < to; lead++ {
			t.blockOf(lead / headValues)[lead%headValues] = uint8(i)
		}
	}
	if len(t.blocks) > indexes {
		return fmt.Errorf("prefixes begin with %d different heads, more than fit", len(t.blocks))
	}
	return nil
}

// blockOf returns the block of the numbers that begin with head, made when
// first asked for.
func (t *table) blockOf(head int) *[headValues]uint8 {
	if t.block[head] == 0 {
		t.block[head] = uint8(len(t.blocks))
		t.blocks = append(t.blocks, [headValues]uint8{})
	}
	return &t.blocks[t.block[head]]
}

// span is the half-open range of size-digit numbers that begin with prefix.
func span(prefix string, size int) (from, to int) {
	value, _ := strconv.Atoi(prefix) // at most six digits, checked before
	unit := int(pow10[size-len(prefix)])
	return value * unit, (value + 1) * unit
}

func isISO(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}

// isDigits tells whether s is 1 to limit digits, the first not 0.
func isDigits(s string, limit int) bool {
	if s == "" || len(s) > limit || s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}
