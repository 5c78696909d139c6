package contact_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/phone"
)

func TestSearchFindsParts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		people := map[string]phone.Number{
			"Wanjikũ Kamau": 254712345678, "José O'Brien": 254700000001, "50%_off Shop": 254733000002,
			"Agent 47": 254733000003, `Back\slash "Quoted"`: 258841234567, "Abdi": 252611234567, "Li": 27821234567,
		}
		for name, number := range people {
			f.create(number, name)
		}
		f.elsewhere(t).create(254712345678, "Wanjikũ Kamau")
		for term, want := range map[string][]string{
			"wanjiku":                 {"Wanjikũ Kamau"},
			"WANJIKŨ":                 {"Wanjikũ Kamau"},
			"ji":                      {"Wanjikũ Kamau"},
			"kũ kam":                  {"Wanjikũ Kamau"},
			"wanjiku  kamau":          {"Wanjikũ Kamau"},
			" kamau ":                 {"Wanjikũ Kamau"},
			"kamau wanjiku":           nil,
			"o'b":                     {"José O'Brien"},
			"jose":                    {"José O'Brien"},
			"%":                       {"50%_off Shop"},
			"%_":                      {"50%_off Shop"},
			"w%u":                     nil,
			"_":                       {"50%_off Shop"},
			`\`:                       {`Back\slash "Quoted"`},
			`k\s`:                     {`Back\slash "Quoted"`},
			`"quo`:                    {`Back\slash "Quoted"`},
			"li":                      {"Li"},
			"+254712345678":           {"Wanjikũ Kamau"},
			"00254712345678":          {"Wanjikũ Kamau"},
			"254 712 345-678":         {"Wanjikũ Kamau"},
			"712345":                  {"Wanjikũ Kamau"},
			"12345678":                {"Wanjikũ Kamau"},
			"5678":                    {"Wanjikũ Kamau"},
			"678":                     {"Wanjikũ Kamau"},
			"78":                      {"Wanjikũ Kamau", "Li"},
			"47":                      {"Wanjikũ Kamau", "Agent 47", "José O'Brien", "50%_off Shop"},
			"000":                     {"José O'Brien", "50%_off Shop", "Agent 47"},
			"0000":                    {"José O'Brien", "50%_off Shop", "Agent 47"},
			"8":                       {"Wanjikũ Kamau", `Back\slash "Quoted"`, "Li"},
			"2547123456789":           nil,
			"999999999999999999":      nil,
			"nobody":                  nil,
			"'; DROP TABLE contact--": nil,
			strings.Repeat("w", 200):  nil,
		} {
			var got []string
			for _, c := range f.all(contact.Filter{Search: term}, 100) {
				got = append(got, nameOf(c))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", term, got, want)
			}
		}
	})
}

func nameOf(c contact.Contact) string {
	var parts []string
	for _, part := range []*string{c.FirstName, c.LastName} {
		if part != nil {
			parts = append(parts, *part)
		}
	}
	return strings.Join(parts, " ")
}

// The plan of a filter follows the number of hits; the answer must not.
func TestFiltersFindWhatTheyDescribe(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		list := f.list("Some")
		people := generatePeople(f, list)
		optedOut := false
		rapid.Check(t, func(r *rapid.T) {
			filter := contact.Filter{Search: drawTerm(r, people)}
			if rapid.IntRange(0, 2).Draw(r, "list") == 0 {
				filter.List = &list
			}
			if rapid.IntRange(0, 2).Draw(r, "opted out") == 0 {
				optedOut = rapid.Bool().Draw(r, "which")
				filter.OptedOut = &optedOut
			}
			filter.Tags = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "none"}), 0, 2).Draw(r, "tags")
			var want []contact.ID
			for _, c := range people {
				if meets(c, filter) {
					want = append(want, c.ID)
				}
			}
			got := idsOf(f.all(filter, rapid.IntRange(20, 100).Draw(r, "page size")))
			if !slices.Equal(got, want) {
				r.Fatalf("%+v: got %d contacts, want %d", filter, len(got), len(want))
			}
		})
	})
}

// FuzzFilter asks for anything, and finds what the filter describes.
func FuzzFilter(f *testing.F) {
	db, err := database.Open(f.Context(), databasetest.SQLite(f), database.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	base := newFixture(f, db)
	list := base.list("Some")
	people := generatePeople(base, list)
	for _, search := range []string{"", "a", "juma", "Shop 24", "2547", "+254 7", "00254", "%", "_", `\`, "'", `"`, "İ", "ß", "ﬁ", "\u200f", "\t", "e\u0301", "٧", "🙂", "* OR a"} {
		f.Add(search, "", uint8(0))
		f.Add(search, "a,b", uint8(1))
		f.Add(search, " c ,", uint8(6))
	}
	f.Fuzz(func(t *testing.T, search, tags string, which uint8) {
		// What the API lets through.
		if !utf8.ValidString(search+tags) || strings.Contains(search+tags, "\x00") || utf8.RuneCountInString(search) > 200 || len(tags) > 2600 {
			t.Skip()
		}
		filter := contact.Filter{Search: search}
		for tag := range strings.SplitSeq(tags, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				filter.Tags = append(filter.Tags, tag)
			}
		}
		if which&1 != 0 {
			filter.List = &list
		}
		if optedOut := which&2 != 0; which&4 != 0 {
			filter.OptedOut = &optedOut
		}
		var want []contact.ID
		for _, c := range people {
			if meets(c, filter) {
				want = append(want, c.ID)
			}
		}
		one := *base
		one.t, one.test = t, t
		if got := idsOf(one.all(filter, 100)); !slices.Equal(got, want) {
			t.Errorf("%+v: got %d contacts, want %d", filter, len(got), len(want))
		}
	})
}

// generatePeople stores contacts and returns them newest first.
func generatePeople(f *fixture, list contact.ListID) []contact.Contact {
	f.t.Helper()
	dice := rand.New(rand.NewPCG(1, 7))
	var drafts [2][]contact.Draft
	for i := range 600 {
		d := contact.Draft{
			FirstName: pick(dice, firstNames), LastName: pick(dice, lastNames), Phone: phone.Number(254_700_000_000 + dice.Int64N(100_000_000)),
			Tags: pick(dice, tagSets),
		}
		if i%50 == 0 {
			d.LastName = "Shop 24"
		}
		drafts[i%2] = append(drafts[i%2], d)
	}
	f.load(nil, drafts[0]...)
	f.load(&list, drafts[1]...)
	people := f.all(contact.Filter{}, 100)
	for i := range people {
		if dice.IntN(4) == 0 {
			changed, err := f.store.Update(f.test.Context(), f.org, people[i].ID, contact.Change{IsOptedOut: sent(true)})
			f.must(err)
			people[i] = changed
		}
	}
	if !slices.IsSortedFunc(people, func(a, b contact.Contact) int { return cmp.Compare(b.ID.String(), a.ID.String()) }) {
		f.t.Fatal("the contacts are not newest first")
	}
	return people
}

var (
	firstNames = strings.Fields(`Achieng Adhiambo Aisha Akinyi Ama Amaka Amina Asha Baraka Brian Chebet Chidi`)
	lastNames  = strings.Fields(`Abdi Adeyemi Ali Amoah Asante Atieno Auma Balogun Banda Barasa Bekele Bett Boateng Chanda Cheruiyot Dlamini
		Eze Fofanah Gebre Githinji`)
	tagSets = []contact.Tags{"", "a", "a;b", "b;a", "b;c", "c"}
)

func pick[T any](dice *rand.Rand, all []T) T { return all[dice.IntN(len(all))] }

// drawTerm is a part of some name or number, or nothing.
func drawTerm(r *rapid.T, people []contact.Contact) string {
	if rapid.IntRange(0, 3).Draw(r, "search") == 0 {
		return ""
	}
	c := rapid.SampledFrom(people).Draw(r, "of")
	text := nameOf(c)
	if rapid.Bool().Draw(r, "by number") {
		text = strings.TrimPrefix(c.Phone.String(), "+")
	}
	from := rapid.IntRange(0, len(text)-1).Draw(r, "from")
	to := min(len(text), from+rapid.IntRange(1, 8).Draw(r, "length"))
	return text[from:to]
}

func meets(c contact.Contact, filter contact.Filter) bool {
	term := contact.Fold(filter.Search)
	digits := contact.PhoneDigits(filter.Search)
	number := strings.TrimPrefix(c.Phone.String(), "+")
	rest, is00 := strings.CutPrefix(digits, "00")
	found := strings.Contains(contact.Fold(nameOf(c)), term) ||
		digits != "" && strings.Contains(number, digits) ||
		is00 && rest != "" && rest[0] != '0' && strings.HasPrefix(number, rest)
	for _, tag := range filter.Tags {
		found = found && slices.Contains(c.Tags, tag)
	}
	return found &&
		(filter.List == nil || slices.Contains(c.ListIDs, *filter.List)) &&
		(filter.OptedOut == nil || c.IsOptedOut == *filter.OptedOut)
}
