package contact_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/phone"
	"ujumbe/internal/server/servertest"
)

// sizesVariable names the environment variable with the sizes to measure, such
// as 10000,100000,1000000. Without it nothing is measured.
const sizesVariable = "UJUMBE_BENCH_CONTACTS"

// TestFigures prints what the hot paths take, over HTTP with authentication, in
// an organization of each size beside 200 of a thousand contacts. It asserts
// nothing: machines differ.
func TestFigures(t *testing.T) {
	sizes := os.Getenv(sizesVariable)
	if sizes == "" {
		t.Skipf("set %s to the sizes to measure, such as 10000,100000", sizesVariable)
	}
	for text := range strings.SplitSeq(sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(text, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *database.DB) { measure(t, db, size) })
		})
	}
}

func measure(t *testing.T, db *database.DB, size int) {
	s := servertest.Start(t, db)
	big, small := s.Owner(), s.Owner()
	store := newStore(db, clock.System{})
	list, err := store.CreateList(t.Context(), orgOf(t, big), contact.ListChange{Name: httpapi.Optional[string]{Sent: true, Value: "A fifth"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		load(t, store, id.New[account.Account](), nil, 1000)
	}
	load(t, store, orgOf(t, small), nil, 1000)
	started := time.Now()
	load(t, store, orgOf(t, big), nil, size-size/5)
	took := time.Since(started)
	t.Logf("%-28s %10.0f rows/s", "load", float64(size-size/5)/took.Seconds())
	started = time.Now()
	load(t, store, orgOf(t, big), &list.ID, size/5)
	took = time.Since(started)
	t.Logf("%-28s %10.0f rows/s", "load into a list", float64(size/5)/took.Seconds())
	if db.Engine() == database.Postgres {
		// What autovacuum would do within a minute or so.
		if _, err := db.Exec(t.Context(), `VACUUM ANALYZE`); err != nil {
			t.Fatal(err)
		}
	}
	pages := size / 25
	paths := []struct{ name, query string }{
		{"page 1", "?page=1"},
		{"page in the middle", fmt.Sprintf("?page=%d", pages/2)},
		{"page 39/40 down", fmt.Sprintf("?page=%d", pages*39/40)},
		{"list page 1", "?listId=" + list.ID.String()},
		{"list in the middle", fmt.Sprintf("?page=%d&listId=%s", pages/10, list.ID)},
		{"tag of a third", "?tags=customer"},
		{"tag of a third, middle", fmt.Sprintf("?tags=customer&page=%d", pages/6)},
		{"two tags", "?tags=customer,vip"},
		{"rare tag", "?tags=board"},
		{"not opted out", "?isOptedOut=false"},
		{"search wa", "?search=wa"},
		{"search wan", "?search=wan"},
		{"search wan, page 100", "?search=wan&page=100"},
		{"search wanji", "?search=wanji"},
		{"search wanjiku ka", "?search=" + url.QueryEscape("wanjiku ka")},
		{"search nothing", "?search=qqqq"},
		{"search 12", "?search=12"},
		{"search 712", "?search=712"},
		{"search 7123", "?search=7123"},
		{"search 34567", "?search=34567"},
		{"search 712345", "?search=712345"},
		{"search a whole number", "?search=%2B254712345678"},
		{"search wan in a tag", "?search=wan&tags=customer"},
		{"search wan in the list", "?search=wan&listId=" + list.ID.String()},
	}
	var counted []time.Duration
	for range runs {
		started := time.Now()
		var n int64
		if err := db.QueryRow(t.Context(), `SELECT COUNT(*) FROM contact WHERE account_id = $1`, orgOf(t, big)).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counted = append(counted, time.Since(started))
	}
	t.Logf("%-28s %10.2f ms", "(counting all rows anew)", median(counted))
	for _, p := range paths {
		report(t, p.name, s, big, "/api/v1/contacts"+p.query)
	}
	report(t, "stats", s, big, "/api/v1/contacts/stats")
	report(t, "tags", s, big, "/api/v1/contacts/tags")
	report(t, "lists", s, big, "/api/v1/contact-lists")
	for _, term := range []string{"", "wa", "wan", "12", "712"} {
		report(t, "small: search "+term, s, small, "/api/v1/contacts?search="+term)
	}
	created := make([]time.Duration, 0, runs)
	for i := range runs {
		started := time.Now()
		s.Want(s.Call("POST", "/api/v1/contacts", big.Access, map[string]any{
			"phone": fmt.Sprintf("+25620%07d", i), "firstName": "Wanjiku", "lastName": "Kamau", "tags": []string{"vip"}, "listIds": []any{list.ID},
		}), 201)
		created = append(created, time.Since(started))
	}
	t.Logf("%-28s %10.2f ms", "create", median(created))
}

const runs = 15

func report(t *testing.T, name string, s *servertest.Server, c servertest.Customer, path string) {
	t.Helper()
	times := make([]time.Duration, 0, runs)
	total := ""
	for range runs + 6 {
		started := time.Now()
		answer := s.Want(s.Call("GET", path, c.Access, nil), 200)
		times = append(times, time.Since(started))
		if _, after, ok := strings.Cut(string(answer.Body), `"total":`); ok {
			total, _, _ = strings.Cut(after, ",")
		}
	}
	// The first calls plan and warm; PostgreSQL may settle on another plan.
	t.Logf("%-28s %10.2f ms  first %8.2f ms  total %s", name, median(times[6:]), median(times[:1]), total)
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000
}

func orgOf(t *testing.T, c servertest.Customer) account.ID {
	t.Helper()
	org, err := id.Parse[account.Account](c.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	return org
}

// load stores generated contacts.
func load(t *testing.T, store *contact.Store, org account.ID, list *contact.ListID, n int) {
	t.Helper()
	loader, err := store.NewLoader(t.Context(), org, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newGenerator(uint64(n))
	chunk := make([]contact.Draft, 0, loader.ChunkSize())
	for done := 0; done < n; done += len(chunk) {
		chunk = chunk[:0]
		for range min(cap(chunk), n-done) {
			chunk = append(chunk, g.draft())
		}
		if _, err := loader.At(done).Load(t.Context(), chunk, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// generator makes people with names as they are found in a phone book.
type generator struct {
	r *rand.Rand
}

func newGenerator(seed uint64) *generator { return &generator{rand.New(rand.NewPCG(seed, 7))} }

var (
	firstNames = strings.Fields(`Achieng Adhiambo Aisha Akinyi Ama Amaka Amina Asha Baraka Brian Chebet Chidi Chipo Daniel David Desta Emeka Esi
		Esther Faith Farai Fatuma Florence Francis Gathoni George Grace Halima Hassan Ibrahim Jabari James Jane Jepkosgei John Joseph Joy Juma
		Kamau Kefa Kevin Khadija Kiprono Kofi Kwame Lerato Lydia Makena Mariam Mary Mercy Mohamed Moses Mumbi Mwangi Naledi Neema Ngozi Njeri
		Nyambura Ochieng Omar Otieno Paul Peter Rehema Rose Rudo Ruth Samuel Sarah Sipho Stephen Tatenda Tendai Thabo Wambui Wanjiru Wanjiku
		Wairimu Yusuf Zainab Zawadi`)
	lastNames = strings.Fields(`Abdi Adeyemi Ali Amoah Asante Atieno Auma Balogun Banda Barasa Bekele Bett Boateng Chanda Cheruiyot Dlamini
		Eze Fofanah Gebre Githinji Hussein Kamau Kariuki Kato Khumalo Kibet Kilonzo Kimani Kipchoge Koech Mahlangu Maina Mbeki Mensah Mohamed
		Moyo Mukasa Mutua Mwale Mwangi Mwaniki Musyoka Nabirye Ncube Ndlovu Ngugi Njoroge Nkosi Nyirenda Obi Ochieng Odhiambo Okafor Okeke
		Okello Omondi Onyango Opio Otieno Owusu Phiri Rotich Sibanda Simiyu Ssali Tembo Toure Traore Tshabalala Wafula Wanjala Wanyama Were
		Yeboah Zimba Zulu`)
	tagSets = []contact.Tags{"", "customer", "customer;vip", "lead", "", "newsletter", "customer;newsletter", "", "lead;newsletter"}
)

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func (g *generator) draft() contact.Draft {
	d := contact.Draft{
		FirstName: pick(g.r, firstNames), LastName: pick(g.r, lastNames), Tags: pick(g.r, tagSets),
		Notes: "met at the fair", Phone: phone.Number(254_700_000_000 + g.r.Int64N(100_000_000)),
	}
	if g.r.IntN(4) > 0 {
		d.Email = strings.ToLower(d.FirstName) + strconv.Itoa(g.r.IntN(10000)) + "@example.com"
	}
	if g.r.IntN(10) == 0 {
		d.Phone -= 600_000_000 // 2541…
	}
	if g.r.IntN(5000) == 0 {
		d.Tags = "board"
	}
	return d
}
