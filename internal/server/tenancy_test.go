package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ujumbe/internal/database"
	"ujumbe/internal/server/servertest"
)

// organization is one with something of every kind in it.
type organization struct {
	access string
	ids    []string // of everything in it
	users  []string
}

var organizationSerial int

// newOrganization makes another organization of a customer. The guest is
// somebody else, who is invited.
func newOrganization(s *servertest.Server, owner servertest.Customer, guest string) (organization, servertest.Customer) {
	s.T.Helper()
	organizationSerial++
	created := s.Want(s.Call("POST", "/api/v1/accounts", owner.Access, map[string]any{"name": fmt.Sprintf("Tenant %d", organizationSerial)}), 201).JSON(s.T)
	owner.Access = created["accessToken"].(string)
	o := organization{access: owner.Access, users: []string{owner.ID}}
	post := func(path string, status int, body any) servertest.Answer {
		return s.Want(s.Call("POST", "/api/v1"+path, o.access, body), status)
	}
	add := func(a servertest.Answer) string {
		id := a.JSON(s.T)["id"].(string)
		o.ids = append(o.ids, id)
		return id
	}
	o.ids = append(o.ids, created["account"].(map[string]any)["id"].(string))
	o.users = append(o.users, add(post("/users/invite", 201, map[string]any{
		"firstName": "Baraka", "lastName": "Otieno", "email": servertest.Email(), "password": servertest.Password, "role": "member",
	})))
	add(post("/users/invitations", 201, map[string]any{"email": guest, "role": "member"}))
	list := add(post("/contact-lists", 201, map[string]any{"name": "Customers"}))
	add(post("/contacts", 201, map[string]any{"phone": "+254712345678", "firstName": "Neema", "tags": []string{"vip"}, "listIds": []string{list}}))
	add(post("/contacts", 201, map[string]any{"phone": "+254712345677"}))
	trashed := add(post("/contacts", 201, map[string]any{"phone": "+254712345679"}))
	s.Want(s.Call("DELETE", "/api/v1/contacts/"+trashed, o.access, nil), 204)
	imported := post("/contacts/bulk", 201, map[string]any{"contacts": []map[string]any{{"phone": "+254712345680"}, {"phone": "none"}}})
	o.ids = append(o.ids, path.Base(imported.Header.Get("Location")))
	return o, owner
}

// TestNoIDReachesAnotherOrganization calls every operation that takes an id with
// every id of another organization. The answer must be the one to an id that
// does not exist, and nothing of the other organization may change.
func TestNoIDReachesAnotherOrganization(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		guest := s.Owner()
		mine, _ := newOrganization(s, s.Owner(), guest.Email)
		theirs, _ := newOrganization(s, s.Owner(), guest.Email)
		tester := s.Owner()
		operations := operationsWithIDs(t, s)
		for _, o := range operations {
			for _, p := range o.places {
				var control organization
				control, tester = newOrganization(s, tester, guest.Email)
				t.Run(fmt.Sprintf("%s %s by %s", o.method, o.path, p.name), func(t *testing.T) {
					before := everythingOf(t, s.DB, theirs)
					attack(t, s, o, p, mine, theirs)
					if after := everythingOf(t, s.DB, theirs); after != before {
						t.Errorf("the other organization has changed:\n%s\nbefore:\n%s", after, before)
					}
					mustMatter(t, s, o, p, control)
				})
			}
		}
		if len(operations) < 15 {
			t.Errorf("only %d operations that take an id were found", len(operations))
		}
	})
}

// attack compares the answers to foreign ids with the answer to an unknown one.
func attack(t *testing.T, s *servertest.Server, o operation, p place, mine, theirs organization) {
	t.Helper()
	others, ok := otherPlaces(t, s, o, p, mine)
	if !ok {
		t.Fatal("no id of one's own is good for the other places, so nothing is tested")
	}
	unknown := answerTo(t, s, o, p, mine, others, uuid.NewString())
	for _, id := range theirs.ids {
		if got := answerTo(t, s, o, p, mine, others, id); got != unknown {
			t.Errorf("to an id of another organization: %s\nto an unknown id: %s", got, unknown)
		}
	}
}

// mustMatter makes sure that the test can fail: an id of one's own must make a
// difference.
func mustMatter(t *testing.T, s *servertest.Server, o operation, p place, own organization) {
	t.Helper()
	others, _ := otherPlaces(t, s, o, p, own)
	unknown := answerTo(t, s, o, p, own, others, uuid.NewString())
	for _, id := range own.ids {
		if answerTo(t, s, o, p, own, others, id) != unknown {
			return
		}
	}
	t.Errorf("no id of one's own is answered otherwise than an unknown one, so nothing was tested: %s", unknown)
}

// otherPlaces fills the required places beside the one under test with ids of
// one's own. Of a set, unknown ids are passed over, so it takes all of them.
func otherPlaces(t *testing.T, s *servertest.Server, o operation, under place, own organization) (map[place][]string, bool) {
	t.Helper()
	filled, missing := map[place][]string{}, place{}
	for _, p := range o.places {
		switch {
		case p == under || !p.required:
		case p.isArray:
			filled[p] = own.ids
		default:
			missing = p
		}
	}
	if missing == (place{}) {
		return filled, true
	}
	for _, id := range own.ids {
		filled[missing] = []string{id}
		try := map[place][]string{missing: filled[missing]}
		if under.required {
			try[under] = []string{uuid.NewString()}
		}
		maps.Copy(try, filled)
		if o.send(t, s, own.access, try).Status < 400 {
			return filled, true
		}
	}
	return nil, false
}

// answerTo is the answer with one id in the place under test, less what differs
// from request to request.
func answerTo(t *testing.T, s *servertest.Server, o operation, under place, by organization, others map[place][]string, id string) string {
	t.Helper()
	ids := map[place][]string{under: {id}}
	maps.Copy(ids, others)
	a := o.send(t, s, by.access, ids)
	body := strings.ReplaceAll(string(a.Body), id, "ID")
	var object map[string]any
	if json.Unmarshal([]byte(body), &object) == nil {
		delete(object, "requestId")
		encoded, _ := json.Marshal(object)
		body = string(encoded)
	}
	return fmt.Sprintf("%d %s %s", a.Status, a.Header.Get("Content-Type"), body)
}

// everythingOf writes down every row that belongs to an organization or to its
// users.
func everythingOf(t *testing.T, db *database.DB, o organization) string {
	t.Helper()
	var b strings.Builder
	for _, table := range tenantTables(t, db) {
		rows(t, &b, db, table, `account_id IN (SELECT uuid(key) FROM json_each($1))`, o.ids[:1])
	}
	rows(t, &b, db, "users", `id IN (SELECT uuid(key) FROM json_each($1))`, o.users)
	return b.String()
}

// tenantTables are the tables with an account's rows.
func tenantTables(t *testing.T, db *database.DB) []string {
	t.Helper()
	query := `SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`
	if db.Engine() == database.SQLite {
		query = `SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' AND p.name = 'account_id' ORDER BY 1`
	}
	tables, err := database.Collect(t.Context(), db, database.Column[string], query)
	if err != nil || len(tables) < 5 {
		t.Fatalf("tables of organizations: %v, %v", tables, err)
	}
	return tables
}

func rows(t *testing.T, b *strings.Builder, db *database.DB, table, where string, ids []string) {
	t.Helper()
	expression := table + `::text`
	if db.Engine() == database.SQLite {
		columns, err := database.Collect(t.Context(), db, database.Column[string], `SELECT 'quote(' || name || ')' FROM pragma_table_info($1)`, table)
		if err != nil {
			t.Fatal(err)
		}
		expression = strings.Join(columns, ` || ',' || `)
	}
	all, err := database.Collect(t.Context(), db, database.Column[string], `SELECT `+expression+` FROM `+table+` WHERE `+where+` ORDER BY 1`, database.Texts(ids))
	if err != nil {
		t.Fatalf("read %s: %v", table, err)
	}
	fmt.Fprintf(b, "%s: %d\n\t%s\n", table, len(all), strings.Join(all, "\n\t"))
}
