package main

import (
	"bytes"
	"context"
	"encoding/json"
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

// measureContacts measures pages, searches, imports and exports at each size.
func measureContacts(ctx context.Context, b *bench) error {
	sizes := []int{b.contacts / 10, b.contacts}
	if b.large {
		sizes = append(sizes, 1_000_000)
	}
	if b.huge {
		sizes = append(sizes, 10_000_000)
	}
	for _, size := range sizes {
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
	return b.measureTransfers(ctx, n, large, size)
}

// organization is one that holds contacts.
type organization struct {
	email, access, list string
	imported            time.Duration // of all its contacts, from CSV
	peak                int64         // memory above idle meanwhile
}

// seed fills a large organization by CSV, a fifth of it in a list, and small
// ones by JSON.
func (b *bench) seed(ctx context.Context, n *node, size int) (organization, error) {
	if err := b.seedSmall(ctx, n, size/10/smallOrganizations); err != nil {
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
	for _, file := range []struct {
		from, until int
		list        string
	}{{0, size / 5, o.list}, {size / 5, size, ""}} {
		content, err := csvFile(file.from, file.until)
		if err != nil {
			return o, err
		}
		began := time.Now()
		if err := n.upload(ctx, o.access, "people.csv", content, file.list, file.until-file.from); err != nil {
			return o, err
		}
		o.imported += time.Since(began)
	}
	o.peak = n.PeakMemory() - idle
	return o, nil
}

// seedSmall gives each small organization its share.
func (b *bench) seedSmall(ctx context.Context, n *node, each int) error {
	tokens, err := n.Customer(ctx, "small@example.com")
	if err != nil {
		return err
	}
	access, body := tokens.Access, bulkBody(0, max(1, each))
	for i := range smallOrganizations {
		made := n.Call(ctx, http.MethodPost, "/api/v1/accounts", access, map[string]any{"name": fmt.Sprintf("Small %d", i)})
		if made.Status != http.StatusCreated {
			return fmt.Errorf("create an organization: %d %s", made.Status, made.Body)
		}
		access = made.Field("accessToken")
		if filled := n.Call(ctx, http.MethodPost, "/api/v1/contacts/bulk", access, body); filled.Status != http.StatusCreated {
			return fmt.Errorf("fill an organization: %d %s", filled.Status, filled.Body)
		}
	}
	return nil
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
	for _, page := range []struct {
		name  string
		query url.Values
	}{
		{"contacts: page 1", nil},
		{"contacts: middle page", url.Values{"page": {strconv.Itoa(middle)}}},
		{"contacts: search of 2 letters", url.Values{"search": {"ju"}}},
		{"contacts: search of 3 letters", url.Values{"search": {"bar"}}},
		{"contacts: search of 6 letters", url.Values{"search": {"baraka"}}},
		{"contacts: search of a first and last name", url.Values{"search": {"zawadi mus"}}},
		{"contacts: search without a hit", url.Values{"search": {"qqqqq"}}},
		{"contacts: fragment of a phone", url.Values{"search": {"71234"}}},
		{"contacts: one tag", url.Values{"tags": {"vip"}}},
		{"contacts: two tags", url.Values{"tags": {"vip,retail"}}},
		{"contacts: a fifth in a list", url.Values{"listId": {o.list}}},
		{"contacts: middle page of that list", url.Values{"listId": {o.list}, "page": {strconv.Itoa(max(1, middle/5))}}},
	} {
		address := n.URL + "/api/v1/contacts?" + page.query.Encode()
		took, err := sample(ctx, b.time/3, func() error {
			return request(ctx, client, http.MethodGet, address, access, "")
		})
		if err != nil {
			return err
		}
		b.growth.add(page.name, b.engine.name, size, fmt.Sprintf("%.1f ms (p99 %.1f)", ms(took.at(0.5)), ms(took.at(0.99))))
		if size == b.largest() {
			b.table.add(row{page.name, b.engine.name, milliseconds, ms(took.at(0.5)), "bare SQL: the newest 25 rows", ms(bare)})
		}
	}
	return nil
}

// largest is the size whose figures go into the main table.
func (b *bench) largest() int {
	switch {
	case b.huge:
		return 10_000_000
	case b.large:
		return 1_000_000
	}
	return b.contacts
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
