package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
)

// verify compares what was acknowledged with what is there.
func (s *site) verify(ctx context.Context) error {
	if err := s.awaitProxy(ctx); err != nil {
		return err
	}
	db, err := database.Open(ctx, s.cluster.URL, database.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	check := &checker{ctx: ctx, db: db, ledger: &s.ledger}
	check.count("registrations", len(s.ledger.registered), `SELECT COUNT(*) FROM users WHERE email_key IN (SELECT key FROM json_each($1))`, database.Texts(s.ledger.registered))
	for _, t := range s.tenants {
		check.tenant(t)
	}
	for what, query := range neverRows {
		check.count(what, 0, query)
	}
	s.awaitMail(ctx)
	if check.err != nil {
		return check.err
	}
	contacts, imports := 0, 0
	for _, t := range s.tenants {
		contacts += len(t.active) + len(t.trashed)
		imports += len(t.imports)
	}
	fmt.Printf("compared      %d registrations and their mails, %d contacts, %d imports\n", len(s.ledger.registered), contacts, imports)
	return nil
}

// neverRows count what must never be.
var neverRows = map[string]string{
	"organizations without an owner":         `SELECT COUNT(*) FROM account WHERE id NOT IN (SELECT account_id FROM membership WHERE role = 'owner' AND is_active)`,
	"organizations without a credit record":  `SELECT COUNT(*) FROM account WHERE id NOT IN (SELECT account_id FROM credit WHERE balance = 0 AND currency = 'KES')`,
	"users without an organization":          `SELECT COUNT(*) FROM users WHERE id NOT IN (SELECT user_id FROM membership)`,
	"phones of two contacts":                 `SELECT COUNT(*) FROM (SELECT 1 FROM contact GROUP BY account_id, phone HAVING COUNT(*) > 1) twice`,
	"members of lists that are no contacts":  `SELECT COUNT(*) FROM contact_list_member m WHERE NOT EXISTS (SELECT 1 FROM contact c WHERE c.account_id = m.account_id AND c.id = m.contact_id)`,
	"contacts both active and in the trash":  `SELECT COUNT(*) FROM contact c JOIN contact_trash t ON t.account_id = c.account_id AND t.id = c.id`,
	"sessions with two tokens that are good": `SELECT COUNT(*) FROM (SELECT 1 FROM refresh_token WHERE used_at IS NULL GROUP BY session_id HAVING COUNT(*) > 1) twice`,
	"jobs that were given up":                `SELECT COUNT(*) FROM job WHERE failed_at IS NOT NULL`,
	"imports that say more than there is":    `SELECT COUNT(*) FROM contact_import i WHERE i.valid + i.invalid <> (SELECT COUNT(*) FROM contact c WHERE c.account_id = i.account_id AND c.import_id = i.id) + (SELECT COUNT(*) FROM contact_trash t WHERE t.account_id = i.account_id AND t.import_id = i.id)`,
}

// checker compares counts; the first error of the database ends it.
type checker struct {
	ctx    context.Context
	db     *database.DB
	ledger *ledger
	err    error
}

func (c *checker) number(query string, args ...any) (n int) {
	if c.err == nil {
		c.err = c.db.QueryRow(c.ctx, query, args...).Scan(&n)
		if c.err != nil {
			c.err = fmt.Errorf("%s: %w", query, c.err)
		}
	}
	return n
}

func (c *checker) count(what string, want int, query string, args ...any) {
	if got := c.number(query, args...); c.err == nil && got != want {
		c.ledger.wrong("%s: %d, want %d", what, got, want)
	}
}

// tenant compares what a tenant was told with what is stored and with what the
// server says now.
func (c *checker) tenant(t *tenant) {
	set := func(ids map[string]bool) string { return database.Texts(slices.Collect(maps.Keys(ids))) }
	one := func(id string) string { return database.Texts([]string{id}) }
	const among = ` IN (SELECT uuid(key) FROM json_each($1))`
	c.count(t.email+": contacts", len(t.active), `SELECT COUNT(*) FROM contact WHERE id`+among, set(t.active))
	c.count(t.email+": trash", len(t.trashed), `SELECT COUNT(*) FROM contact_trash WHERE id`+among, set(t.trashed))
	c.count(t.email+": deleted but active", 0, `SELECT COUNT(*) FROM contact WHERE id`+among, set(t.trashed))
	c.count(t.email+": members", len(t.members), `SELECT COUNT(*) FROM contact_list_member WHERE contact_id`+among, set(t.members))
	for id, rows := range t.imports {
		c.count(t.email+": contacts of an import", rows, `SELECT COUNT(*) FROM contact WHERE import_id`+among, one(id))
	}
	a := t.Call(c.ctx, http.MethodPost, "/api/v1/auth/login", "", map[string]any{"email": t.email, "password": process.Password})
	if a.Status != http.StatusOK {
		c.ledger.wrong("%s can't sign in any more: %d %s", t.email, a.Status, a.Body)
		return
	}
	access := a.Field("accessToken")
	var lists []struct{ ContactCount int }
	a = t.Call(c.ctx, http.MethodGet, "/api/v1/contact-lists", access, nil)
	members := c.number(`SELECT COUNT(*) FROM contact_list_member WHERE list_id`+among, one(t.list))
	if err := json.Unmarshal(a.Body, &lists); err != nil || len(lists) != 1 || lists[0].ContactCount != members {
		c.ledger.wrong("%s: the list has %d members and is shown as %s", t.email, members, a.Body)
	}
	var page struct{ Total int }
	a = t.Call(c.ctx, http.MethodGet, "/api/v1/contacts", access, nil)
	contacts := c.number(`SELECT COUNT(*) FROM contact WHERE account_id = (SELECT account_id FROM contact_list WHERE id`+among+`)`, one(t.list))
	if err := json.Unmarshal(a.Body, &page); err != nil || page.Total != contacts {
		c.ledger.wrong("%s: %d contacts are shown as %d", t.email, contacts, page.Total)
	}
}

// awaitMail waits until everybody who signed up has a mail. A job that a killed
// node held is taken over after at most 30 s, and retries wait.
func (s *site) awaitMail(ctx context.Context) {
	deadline := time.Now().Add(2 * time.Minute)
	for _, address := range s.ledger.registered {
		for s.mail.MailsTo(address) == 0 {
			if time.Now().After(deadline) || !sleep(ctx, 50*time.Millisecond) {
				s.ledger.wrong("no mail to %s", address)
				break
			}
		}
	}
}
