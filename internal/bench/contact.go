package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
)

// smallOrganizations share a tenth of the contacts between them, beside the
// large one.
const smallOrganizations = 200

// What another product of the field takes with a million contacts on PostgreSQL,
// on two cores, for one client.
const (
	rivalPage   = 80 * time.Millisecond
	rivalDeep   = 340 * time.Millisecond
	rivalSearch = 620 * time.Millisecond
	rivalSize   = 1_000_000
)

// measureContacts measures pages, searches, imports and exports at each size.
func measureContacts(ctx context.Context, b *bench) error {
	for _, size := range b.sizes {
		if err := b.measureSize(ctx, size); err != nil {
			return fmt.Errorf("%s contacts: %w", grouped(size), err)
		}
	}
	return nil
}

func (b *bench) measureSize(ctx context.Context, size int) error {
	n, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	large, err := b.seed(ctx, n, size)
	if err != nil {
		return err
	}
	if err := b.measurePages(ctx, n, large, size); err != nil {
		return err
	}
	if err := b.measurePoints(ctx, n, large, size); err != nil {
		return err
	}
	return b.measureTransfers(ctx, n, large, size)
}

// organization is one that holds contacts.
type organization struct {
	email, access, list string
	imported            time.Duration // of all its contacts, from CSV
	peak                int64         // memory above idle meanwhile
	others              *others       // what other customers felt meanwhile
}

// seed fills a large organization by CSV, a fifth of it in a list, and small
// ones by JSON.
func (b *bench) seed(ctx context.Context, n *node, size int) (organization, error) {
	neighbour, err := b.seedSmall(ctx, n, size/10/smallOrganizations)
	if err != nil {
		return organization{}, err
	}
	n.Kill() // for an honest peak of memory
	if _, err := n.restart(ctx); err != nil {
		return organization{}, err
	}
	o := organization{email: "large@example.com"}
	tokens, err := n.Customer(ctx, o.email)
	if err != nil {
		return o, err
	}
	o.access = tokens.Access
	made := n.Call(ctx, http.MethodPost, "/api/v1/contact-lists", o.access, map[string]any{"name": "A fifth"})
	if made.Status != http.StatusCreated {
		return o, fmt.Errorf("create a list: %d %s", made.Status, made.Body)
	}
	o.list = made.Field("id")
	idle := n.Memory()
	if o.others, err = n.startOthers(ctx, neighbour, 0); err != nil {
		return o, err
	}
	for _, file := range []struct {
		from, until int
		list        string
	}{{0, size / 5, o.list}, {size / 5, size, ""}} {
		took, err := n.importCSV(ctx, o.access, file.from, file.until, file.list)
		if err != nil {
			return o, errors.Join(err, o.others.stop())
		}
		o.imported += took
	}
	o.peak = n.PeakMemory() - idle
	return o, o.others.stop()
}

// importCSV returns how long an import of people takes.
func (n *node) importCSV(ctx context.Context, access string, from, until int, list string) (time.Duration, error) {
	content, err := csvFile(from, until)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = n.upload(ctx, access, "people.csv", content, list, until-from)
	return time.Since(began), err
}

// smallCustomer owns the small organizations, and acts in the last of them.
const smallCustomer = "small@example.com"

// seedSmall gives each small organization its share, and returns a token for
// the last of them.
func (b *bench) seedSmall(ctx context.Context, n *node, each int) (access string, err error) {
	tokens, err := n.Customer(ctx, smallCustomer)
	if err != nil {
		return "", err
	}
	access, body := tokens.Access, bulkBody(0, max(1, each))
	for i := range smallOrganizations {
		made := n.Call(ctx, http.MethodPost, "/api/v1/accounts", access, map[string]any{"name": fmt.Sprintf("Small %d", i)})
		if made.Status != http.StatusCreated {
			return "", fmt.Errorf("create an organization: %d %s", made.Status, made.Body)
		}
		access = made.Field("accessToken")
		if filled := n.Call(ctx, http.MethodPost, "/api/v1/contacts/bulk", access, body); filled.Status != http.StatusCreated {
			return "", fmt.Errorf("fill an organization: %d %s", filled.Status, filled.Body)
		}
	}
	return access, nil
}

// upload imports a file and fails unless all its rows were stored.
func (n *node) upload(ctx context.Context, access, name string, content []byte, list string, rows int) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if list != "" {
		_ = form.WriteField("listId", list)
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return fmt.Errorf("write a form: %w", err)
	}
	_, _ = part.Write(content)
	if err := form.Close(); err != nil {
		return fmt.Errorf("write a form: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.URL+"/api/v1/contacts/import", &body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+access)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return storedAll(n.Do(r), rows)
}

func storedAll(a process.Answer, rows int) error {
	var counts struct{ Imported int }
	if err := json.Unmarshal(a.Body, &counts); err != nil || a.Status != http.StatusCreated || counts.Imported != rows {
		return fmt.Errorf("import of %d rows: %d %s", rows, a.Status, a.Body)
	}
	return nil
}

// signIn returns a new access token, because the last may have grown old.
func (n *node) signIn(ctx context.Context, email string) (string, error) {
	a := n.Call(ctx, http.MethodPost, "/api/v1/auth/login", "", map[string]any{"email": email, "password": process.Password})
	if a.Status != http.StatusOK {
		return "", fmt.Errorf("sign in: %d %s", a.Status, a.Body)
	}
	return a.Field("accessToken"), nil
}

// measurePages times pages of the large organization, each by one client. The
// limit of all of them is reading the newest 25 rows by the primary key.
func (b *bench) measurePages(ctx context.Context, n *node, o organization, size int) error {
	access, err := n.signIn(ctx, o.email)
	if err != nil {
		return err
	}
	bare, err := b.barePage(ctx, n)
	if err != nil {
		return err
	}
	client := newClient(1)
	// The middle is the farthest page from both ends; of a million contacts it is
	// page 20,000.
	middle := max(1, size/2/25)
	// Of a million contacts it is page 39,000, which the rival was asked for.
	deep := max(1, size/25*39/40)
	for _, page := range []struct {
		name  string
		query url.Values
		rival time.Duration
	}{
		{"contacts: page 1", nil, rivalPage},
		{"contacts: deep page", url.Values{"page": {strconv.Itoa(deep)}}, rivalDeep},
		{"contacts: middle page", url.Values{"page": {strconv.Itoa(middle)}}, rivalDeep},
		{"contacts: search of 2 letters", url.Values{"search": {"ju"}}, rivalSearch},
		{"contacts: search of 3 letters", url.Values{"search": {"bar"}}, rivalSearch},
		{"contacts: search of 6 letters", url.Values{"search": {"baraka"}}, rivalSearch},
		{"contacts: search of a first and last name", url.Values{"search": {"zawadi mus"}}, rivalSearch},
		{"contacts: search without a hit", url.Values{"search": {"qqqqq"}}, rivalSearch},
		{"contacts: fragment of a phone", url.Values{"search": {"71234"}}, rivalSearch},
		{"contacts: one tag", url.Values{"tags": {"vip"}}, rivalPage},
		{"contacts: two tags", url.Values{"tags": {"vip,retail"}}, rivalPage},
		{"contacts: a fifth in a list", url.Values{"listId": {o.list}}, rivalPage},
		{"contacts: middle page of that list", url.Values{"listId": {o.list}, "page": {strconv.Itoa(max(1, middle/5))}}, rivalDeep},
	} {
		address := n.URL + "/api/v1/contacts?" + page.query.Encode()
		took, err := sample(ctx, b.time/3, func() error {
			return request(ctx, client, http.MethodGet, address, access, "")
		})
		if err != nil {
			return err
		}
		b.grow(page.name, size, took)
		if size != b.sizes.largest() {
			continue
		}
		median := ms(took.at(0.5))
		b.table.add(row{page.name, b.engine.name, milliseconds, median, "bare SQL: the newest 25 rows", ms(bare)})
		if size == rivalSize {
			b.table.add(row{"", b.engine.name, milliseconds, median, "rival product on PostgreSQL, two cores", ms(page.rival)})
		}
	}
	return nil
}

// grow adds how long something takes at a size.
func (b *bench) grow(path string, size int, took times) {
	b.growth.add(path, b.engine.name, size, fmt.Sprintf("%.1f ms (p99 %.1f)", ms(took.at(0.5)), ms(took.at(0.99))))
}

// measurePoints times what touches one contact, which must not depend on how
// many others there are.
func (b *bench) measurePoints(ctx context.Context, n *node, o organization, size int) error {
	access, err := n.signIn(ctx, o.email)
	if err != nil {
		return err
	}
	made := n.createContact(ctx, access, spareNumber(0))
	if made.Status != http.StatusCreated {
		return fmt.Errorf("create a contact: %d %s", made.Status, made.Body)
	}
	client, address, next := newClient(1), n.URL+"/api/v1/contacts/"+made.Field("id"), 0
	for _, point := range []struct {
		name string
		work func() error
	}{
		{"contacts: read one", func() error { return request(ctx, client, http.MethodGet, address, access, "") }},
		{"contacts: change one", func() error {
			next++
			return request(ctx, client, http.MethodPatch, address, access, fmt.Sprintf(`{"notes":"seen %d times"}`, next))
		}},
		{"contacts: create one", func() error {
			next++
			if a := n.createContact(ctx, access, spareNumber(next)); a.Status != http.StatusCreated {
				return fmt.Errorf("create a contact: %d %s", a.Status, a.Body)
			}
			return nil
		}},
	} {
		took, err := sample(ctx, b.time/3, point.work)
		if err != nil {
			return err
		}
		b.grow(point.name, size, took)
	}
	return nil
}

// spareNumber is a phone number that no person of an import has.
func spareNumber(n int) string { return fmt.Sprintf("+26097%07d", n) }

func (n *node) createContact(ctx context.Context, access, number string) process.Answer {
	return n.Call(ctx, http.MethodPost, "/api/v1/contacts", access, map[string]any{"phone": number, "firstName": "Neema", "lastName": "Juma"})
}

func (b *bench) barePage(ctx context.Context, n *node) (time.Duration, error) {
	db, err := database.Open(ctx, n.database, database.Options{Shared: true})
	if err != nil {
		return 0, err
	}
	defer db.Close()
	took, err := sample(ctx, b.time/3, func() error {
		rows, err := db.Query(ctx, `SELECT * FROM contact WHERE account_id = (SELECT account_id FROM membership m JOIN users u ON u.id = m.user_id WHERE u.email_key = $1)
			ORDER BY id DESC LIMIT 25`, "large@example.com")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	})
	return took.at(0.5), err
}
