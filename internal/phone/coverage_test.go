package phone_test

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/nyaruka/phonenumbers"

	"ujumbe/internal/phone"
)

// The registry is measured against libphonenumber, over the numbers it holds
// valid and not over subscribers, of whom nobody publishes a list.
const (
	wantMobile = 0.98
	mostFixed  = 0.02
)

// weighting is how likely a length is for a random national number. Where a
// country has several lengths, the share matched depends on it.
type weighting func(length int) float64

func byNumber(length int) float64 { return math.Pow10(length) } // each number alike
func byLength(int) float64        { return 1 }                  // each length alike

// sampler draws random numbers of one kind in one country.
type sampler struct {
	code    string
	kind    phonenumbers.PhoneNumberType
	pattern *regexp.Regexp
	lengths []int32
	random  *rand.Rand
}

func newSampler(meta *phonenumbers.PhoneMetadata, kind phonenumbers.PhoneNumberType) *sampler {
	desc := meta.GetMobile()
	if kind == phonenumbers.FIXED_LINE {
		desc = meta.GetFixedLine()
	}
	lengths := desc.GetPossibleLength()
	if len(lengths) == 0 {
		lengths = meta.GetGeneralDesc().GetPossibleLength()
	}
	return &sampler{
		code:    strconv.Itoa(int(meta.GetCountryCode())),
		kind:    kind,
		pattern: regexp.MustCompile("^(?:" + desc.GetNationalNumberPattern() + ")$"),
		lengths: lengths,
		random:  rand.New(rand.NewPCG(53, 151)),
	}
}

// find draws national numbers that begin with head until one is of the kind. It
// returns that one in international form, and how many draws it took.
func (s *sampler) find(w weighting, head string) (number *phonenumbers.PhoneNumber, raw string, draws int) {
	for {
		draws++
		national := s.draw(w, head)
		if !s.pattern.Match(national) {
			continue
		}
		// The library has the last word: its patterns overlap, and it reads some
		// numbers otherwise than they are written.
		raw = "+" + s.code + string(national)
		number, err := phonenumbers.Parse(raw, "")
		if err == nil && phonenumbers.Format(number, phonenumbers.E164) == raw && phonenumbers.GetNumberType(number) == s.kind {
			return number, raw, draws
		}
	}
}

func (s *sampler) draw(w weighting, head string) []byte {
	at, i := s.random.Float64()*s.total(w), 0
	for ; i < len(s.lengths)-1 && at >= w(int(s.lengths[i])); i++ {
		at -= w(int(s.lengths[i]))
	}
	national := make([]byte, s.lengths[i])
	for d := copy(national, head); d < len(national); d++ {
		national[d] = byte('0' + s.random.IntN(10))
	}
	return national
}

func (s *sampler) total(w weighting) (sum float64) {
	for _, length := range s.lengths {
		sum += w(int(length))
	}
	return sum
}

// measure returns which part of the country's numbers of the kind the registry
// matches, by a sample, and an estimate of how much weight they have together.
func (s *sampler) measure(w weighting, sample int) (share, weight float64) {
	matched, draws := 0, 0
	for range sample {
		_, raw, took := s.find(w, "")
		draws += took
		if n, err := phone.Parse(raw); err == nil && n.Network().Known() {
			matched++
		}
	}
	return float64(matched) / float64(sample), float64(sample) / float64(draws) * s.total(w)
}

// registryMetadata returns the metadata of the registry's countries, in their
// order.
func registryMetadata(t *testing.T) []*phonenumbers.PhoneMetadata {
	t.Helper()
	all, err := phonenumbers.MetadataCollection()
	if err != nil {
		t.Fatal(err)
	}
	var metas []*phonenumbers.PhoneMetadata
	for c := range phone.Countries() {
		i := slices.IndexFunc(all.GetMetadata(), func(m *phonenumbers.PhoneMetadata) bool { return m.GetId() == c.ISO })
		if i < 0 {
			t.Fatalf("%s is no region of the metadata", c.ISO)
		}
		metas = append(metas, all.GetMetadata()[i])
	}
	return metas
}

// tally averages shares over countries: each country alike, or by weight.
type tally struct{ countries, shares, weight, matched float64 }

func (a *tally) add(share, weight float64) {
	a.countries++
	a.shares += share
	a.weight += weight
	a.matched += share * weight
}

func (a *tally) alike() float64    { return a.shares / a.countries }
func (a *tally) weighted() float64 { return a.matched / a.weight }

func TestRegistryMatchesMobileNumbersAndNotFixedLines(t *testing.T) {
	sample := 300
	if testing.Short() {
		sample = 60
	}
	metas := registryMetadata(t)
	measure := func(t *testing.T, w weighting) (mobile, fixed tally) {
		for _, meta := range metas {
			m, mobiles := newSampler(meta, phonenumbers.MOBILE).measure(w, sample)
			f, lines := newSampler(meta, phonenumbers.FIXED_LINE).measure(w, sample)
			t.Logf("%s mobile %5.1f%%  fixed %4.1f%%", meta.GetId(), 100*m, 100*f)
			mobile.add(m, mobiles)
			fixed.add(f, lines)
		}
		return mobile, fixed
	}
	hold := func(t *testing.T, mobile, fixed float64) {
		t.Helper()
		t.Logf("mobile %.2f%%, fixed %.2f%%", 100*mobile, 100*fixed)
		if mobile < wantMobile || fixed > mostFixed {
			t.Errorf("want at least %v of mobile numbers and at most %v of fixed lines", wantMobile, mostFixed)
		}
	}
	t.Run("each number alike", func(t *testing.T) {
		mobile, fixed := measure(t, byNumber)
		t.Run("each country alike", func(t *testing.T) { hold(t, mobile.alike(), fixed.alike()) })
		t.Run("countries by their size", func(t *testing.T) { hold(t, mobile.weighted(), fixed.weighted()) })
	})
	t.Run("each length alike", func(t *testing.T) {
		mobile, fixed := measure(t, byLength)
		hold(t, mobile.alike(), fixed.alike())
	})
}

// Mauritius' example of a fixed line is passed over: the library itself takes
// it for either kind.
func TestExampleNumbersAreToldApart(t *testing.T) {
	for c := range phone.Countries() {
		for kind, want := range map[phonenumbers.PhoneNumberType]bool{
			phonenumbers.MOBILE: true, phonenumbers.FIXED_LINE: false,
		} {
			example := phonenumbers.GetExampleNumberForType(c.ISO, kind)
			if phonenumbers.GetNumberType(example) != kind {
				continue
			}
			raw := phonenumbers.Format(example, phonenumbers.E164)
			n, err := phone.Parse(raw)
			if err != nil {
				t.Errorf("%s: Parse(%s): %v", c.ISO, raw, err)
			}
			if n.Network().Known() != want {
				t.Errorf("%s: %s matched: %v, want %v", c.ISO, raw, !want, want)
			}
		}
	}
}

// renamed gives today's name of an operator, or its common one, where the
// metadata has another.
var renamed = map[string]string{
	"AO UNITEL": "Unitel", "BF Onatel": "Moov Africa", "BI Leo": "Econet Leo", "BJ Moov": "Moov Africa",
	"CI Moov": "Moov Africa", "CM MTN Cameroon": "MTN", "CV CVMOVEL": "CV Móvel", "CV T+": "Unitel T+",
	"EG TE": "WE", "GA Libertis": "Moov Africa", "GA Moov": "Moov Africa", "GH airteltiGO": "AT",
	"KM TELCO": "Yas", "LS Econet Ezi-Cel Lesotho": "Econet", "LS Vodacom Lesotho (Pty) Ltd": "Vodacom",
	"ML Atel": "Telecel", "ML Sotelma": "Moov Africa", "MU Cellplus": "my.t",
	"MW Globally Advanced Integrated Networks Ltd": "Globally Advanced Integrated Networks",
	"NE Moov": "Moov Africa", "NE Orange": "Zamani", "SC CWS": "Cable & Wireless", "SD Sudatel": "Sudani",
	"SL QCELL": "QCell", "SO Golis Telecom": "Golis", "SS Sudatel Group": "Sudani", "ST CSTmovel": "CST",
	"SZ Swazi MTN": "MTN", "TD Moov": "Moov Africa", "TD Tigo": "Moov Africa", "TG Moov": "Moov Africa",
	"TG Togo Telecom": "Yas", "ZM ZAMTEL": "Zamtel",
}

// An operator need not have all of its prefix, but no other may have clearly
// more of the numbers whose operator the metadata knows.
func TestOperatorsLeadInTheirPrefixes(t *testing.T) {
	const (
		sample = 150
		even   = 0.6 // of what the leader has is no clear lead, in a sample of this size
	)
	samplers := map[string]*sampler{}
	for _, meta := range registryMetadata(t) {
		samplers[meta.GetId()] = newSampler(meta, phonenumbers.MOBILE)
	}
	for w := range phone.Networks() {
		s, held, leader := samplers[w.Country()], map[string]int{}, 0
		for range sample {
			number, raw, _ := s.find(byNumber, w.Prefix()[len(s.code):])
			carrier, err := phonenumbers.GetCarrierForNumber(number, "en")
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := phone.Parse(raw); n.Network() != w || carrier == "" {
				continue // a longer prefix has it, or nobody knows
			}
			if name, ok := renamed[w.Country()+" "+carrier]; ok {
				carrier = name
			}
			held[carrier]++
			leader = max(leader, held[carrier])
		}
		if own := held[w.Operator()]; own == 0 || float64(own) < even*float64(leader) {
			t.Errorf("%s %s has %d of %v", w.Prefix(), w.Operator(), own, held)
		}
	}
}
