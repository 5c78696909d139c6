package phone_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ujumbe/internal/phone"
)

func TestRegistryHas53CountriesAnd151Prefixes(t *testing.T) {
	countries := len(slices.Collect(phone.Countries()))
	networks := len(slices.Collect(phone.Networks()))
	if countries != 53 || networks != 151 {
		t.Errorf("%d countries and %d prefixes, want 53 and 151", countries, networks)
	}
}

// registryLines returns what stands in the file, comments and spacing aside.
func registryLines(t *testing.T) []string {
	t.Helper()
	file, err := os.ReadFile("registry.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

func TestEveryRegistryLineIsWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^(version \d{4}\.\d+|country [A-Z]{2} [1-9]\d{0,2} \d+(,\d+)* \p{Lu}.*|prefix [1-9]\d{2,5} [A-Z]{2} [\pL].*)$`)
	for _, line := range registryLines(t) {
		if !form.MatchString(line) {
			t.Errorf("odd line: %s", line)
		}
	}
}

// A changed registry with an unchanged version would leave stored contacts with
// a stale status: the job that checks them again goes by the version.
func TestVersionMovesWithTheLines(t *testing.T) {
	const version, sum = "2026.1", "fc108afdf9348ed5"
	lines := slices.DeleteFunc(registryLines(t), func(l string) bool { return strings.HasPrefix(l, "version") })
	hash := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	if got := hex.EncodeToString(hash[:8]); got != sum || phone.Version() != version {
		t.Errorf("the lines of version %s sum to %s, not %s of version %s: "+
			"give registry.txt a new version and write both here", phone.Version(), got, sum, version)
	}
}

func TestCountriesAreThoseOfTheMetadata(t *testing.T) {
	metas := registryMetadata(t)
	for i, c := range slices.Collect(phone.Countries()) {
		if want := strconv.Itoa(int(metas[i].GetCountryCode())); c.CallingCode != want {
			t.Errorf("%s has calling code %s, want %s", c.ISO, c.CallingCode, want)
		}
		for digits := range phone.MaxDigits + 1 {
			want := slices.Contains(metas[i].GetGeneralDesc().GetPossibleLength(), int32(digits))
			if c.PossibleLength(digits) != want {
				t.Errorf("%s takes %d digits: %v, want %v", c.ISO, digits, !want, want)
			}
		}
	}
}

func TestPrefixesAreDistinctAndBeginWithTheirCallingCode(t *testing.T) {
	codes := map[string]string{}
	for c := range phone.Countries() {
		codes[c.ISO] = c.CallingCode
	}
	seen, used := map[string]bool{}, map[string]bool{}
	for w := range phone.Networks() {
		if seen[w.Prefix()] {
			t.Errorf("%s stands twice", w.Prefix())
		}
		seen[w.Prefix()], used[w.Country()] = true, true
		if code := codes[w.Country()]; code == "" || !strings.HasPrefix(w.Prefix(), code) {
			t.Errorf("%s does not begin with %q of %s", w.Prefix(), code, w.Country())
		}
		if w.Operator() == "" {
			t.Errorf("%s has no operator", w.Prefix())
		}
	}
	if len(used) != len(codes) {
		t.Errorf("%d countries have prefixes, want all %d", len(used), len(codes))
	}
}

func TestLongestPrefixWins(t *testing.T) {
	networks := slices.Collect(phone.Networks())
	naive := func(n phone.Number) (longest phone.Network) {
		for _, w := range networks {
			if strings.HasPrefix(n.String(), "+"+w.Prefix()) && len(w.Prefix()) > len(longest.Prefix()) {
				longest = w
			}
		}
		return longest
	}
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.OneOf(
			rapid.Map(rapid.SampledFrom(networks), phone.Network.Prefix),
			rapid.StringMatching(`[1-9]\d{2,5}`),
		).Draw(t, "head") + rapid.StringMatching(`\d{4,9}`).Draw(t, "tail")
		value, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n := phone.Number(value)
		if got, want := n.Network(), naive(n); got != want {
			t.Errorf("%v is on %q, want %q", n, got.Prefix(), want.Prefix())
		}
	})
}

func TestKnownNumbersResolve(t *testing.T) {
	for raw, want := range map[string]string{
		"+254712345678":  "2547 KE Safaricom",
		"+254733123456":  "25473 KE Airtel",
		"+254777123456":  "25477 KE Telkom",
		"+254110123456":  "2541 KE Safaricom",
		"+254100123456":  "25410 KE Airtel",
		"+2348031234567": "2348 NG MTN",
		"+2348021234567": "234802 NG Airtel",
		"+2348051234567": "234805 NG Glo",
		"+256772123456":  "2567 UG MTN",
		"+256752123456":  "25675 UG Airtel",
		"+255754123456":  "2557 TZ Vodacom",
		"+255713123456":  "25571 TZ Yas",
		"+233244123456":  "23324 GH MTN",
		"+233201234567":  "23320 GH Telecel",
		"+27821234567":   "278 ZA Vodacom",
		"+27831234567":   "2783 ZA MTN",
		"+251911234567":  "2519 ET Ethio Telecom",
		"+251712345678":  "2517 ET Safaricom",
		"+201001234567":  "2010 EG Vodafone",
		"+201221234567":  "2012 EG Orange",
		"+212661234567":  "2126 MA Maroc Telecom",
		"+2250712345678": "22507 CI Orange",
		"+250788123456":  "2507 RW MTN",
		"+221771234567":  "2217 SN Orange",
	} {
		n, err := phone.Parse(raw)
		if err != nil {
			t.Errorf("Parse(%s): %v", raw, err)
			continue
		}
		w := n.Network()
		if got := w.Prefix() + " " + w.Country() + " " + w.Operator(); got != want {
			t.Errorf("%s is on %q, want %q", raw, got, want)
		}
		if w.Status() != phone.StatusValid || w.Reason() != "" {
			t.Errorf("%s is %s (%s)", raw, w.Status(), w.Reason())
		}
	}
}

func TestUnknownNetworksAreInvalid(t *testing.T) {
	for name, raw := range map[string]string{
		"fixed line of a registry country":   "+254202012345",
		"country that the registry leaves":   "+22222123456",
		"country of another continent":       "+447911123456",
		"calling code that nobody has":       "+99912345678",
		"trunk zero after the calling code":  "+254 0712 345 678",
		"mobile of a country with no prefix": "+1 202 555 0123",
	} {
		n, err := phone.Parse(raw)
		if err != nil {
			t.Errorf("%s: Parse(%s): %v", name, raw, err)
			continue
		}
		if w := n.Network(); w.Status() != phone.StatusInvalid || w.Reason() != phone.ReasonUnknownNetwork || w.Known() {
			t.Errorf("%s: %s is %s (%s) on %q", name, raw, w.Status(), w.Reason(), w.Prefix())
		}
	}
}

func TestExplainShowsEachStep(t *testing.T) {
	for raw, want := range map[string]phone.Explanation{
		"00254 733 123 456": {
			Normalized: "+254733123456", CallingCode: "254", Country: "KE", CountryName: "Kenya",
			Prefix: "25473", Operator: "Airtel", Status: phone.StatusValid,
		},
		"+254 20 2012345": {
			Normalized: "+254202012345", CallingCode: "254", Country: "KE", CountryName: "Kenya",
			Status: phone.StatusInvalid, Reason: phone.ReasonUnknownNetwork,
			Detail: "No mobile prefix of Kenya in the registry begins this number; it may be a fixed line.",
		},
		"+447911123456": {
			Normalized: "+447911123456", Status: phone.StatusInvalid, Reason: phone.ReasonUnknownNetwork,
			Detail: "The registry has no country whose calling code begins this number.",
		},
		"+256 772 123": {
			Normalized: "+256772123", CallingCode: "256", Country: "UG", CountryName: "Uganda",
			Status: phone.StatusRejected, Reason: "phone_impossible_length", Detail: phone.ErrImpossibleLength.Detail,
		},
		"abc": {Status: phone.StatusRejected, Reason: "phone_no_digits", Detail: phone.ErrNoDigits.Detail},
	} {
		want.Registry = phone.Version()
		if got := phone.Explain(raw); got != want {
			t.Errorf("Explain(%q)\n got %+v\nwant %+v", raw, got, want)
		}
	}
}

func TestRegistryFileWithAFaultIsRefused(t *testing.T) {
	const kenya = "version 2026.1\ncountry KE 254 9 Kenya\n"
	if err := phone.LoadRegistry(kenya + "prefix 2547 KE Safaricom\n"); err != nil {
		t.Fatalf("a sound file: %v", err)
	}
	for name, source := range map[string]string{
		"no version":                     "country KE 254 9 Kenya\n",
		"two versions":                   kenya + "version 2026.2\n",
		"unknown word":                   kenya + "network 2547 KE Safaricom\n",
		"no operator":                    kenya + "prefix 2547 KE\n",
		"no country name":                "version 2026.1\ncountry KE 254 9\n",
		"letters in a prefix":            kenya + "prefix 254x KE Safaricom\n",
		"prefix longer than the tables":  kenya + "prefix 2547123 KE Safaricom\n",
		"prefix under another country":   kenya + "prefix 2567 UG MTN\n",
		"prefix without calling code":    kenya + "prefix 2567 KE Safaricom\n",
		"prefix before any country":      "version 2026.1\nprefix 2547 KE Safaricom\n",
		"prefix twice":                   kenya + "prefix 2547 KE Safaricom\nprefix 2547 KE Airtel\n",
		"country twice":                  kenya + "country KE 255 9 Kenya\n",
		"calling code within another":    kenya + "country EG 25 9 Egypt\n",
		"calling code of four digits":    "version 2026.1\ncountry KE 2547 9 Kenya\n",
		"country in small letters":       "version 2026.1\ncountry ke 254 9 Kenya\n",
		"length that is no number":       "version 2026.1\ncountry KE 254 nine Kenya\n",
		"length beyond any phone number": "version 2026.1\ncountry KE 254 16 Kenya\n",
	} {
		if err := phone.LoadRegistry(source); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
