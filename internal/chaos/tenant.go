package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path"
	"time"

	"ujumbe/internal/server/process"
)

// tenant is a customer at work, and what they were told is done.
type tenant struct {
	*process.Process // the proxy
	ledger           *ledger
	number           int
	email            string
	tokens           process.Tokens
	list             string
	phones           int

	active  map[string]bool // contacts created and never asked to be deleted
	trashed map[string]bool // contacts deleted
	members map[string]bool // contacts put into the list
	imports map[string]int  // rows by import
}

// newTenant signs up before the faults begin.
func newTenant(ctx context.Context, p *process.Process, l *ledger, number int) (*tenant, error) {
	t := &tenant{
		Process: p, ledger: l, number: number, email: fmt.Sprintf("tenant%d@example.com", number),
		active: map[string]bool{}, trashed: map[string]bool{}, members: map[string]bool{}, imports: map[string]int{},
	}
	var err error
	if t.tokens, err = p.Customer(ctx, t.email); err != nil {
		return nil, err
	}
	a := p.Call(ctx, http.MethodPost, "/api/v1/contact-lists", t.tokens.Access, map[string]any{"name": "Customers"})
	if a.Status != http.StatusCreated {
		return nil, fmt.Errorf("create a list: %d %s", a.Status, a.Body)
	}
	t.list = a.Field("id")
	return t, nil
}

// call sends a request and judges the answer.
func (t *tenant) call(method, path string, body any, want ...int) (process.Answer, outcome) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*slowest)
	defer cancel()
	began := time.Now()
	a := t.Call(ctx, method, "/api/v1"+path, t.tokens.Access, body)
	o := t.ledger.hear(method+" "+path, a, time.Since(began), want...)
	if o == open {
		time.Sleep(50 * time.Millisecond) // as a well-behaved client does
	}
	return a, o
}

// work does one thing after another until the context ends.
func (t *tenant) work(ctx context.Context) {
	for ctx.Err() == nil {
		switch rand.IntN(10) {
		case 0, 1, 2:
			t.create()
		case 3:
			t.delete()
		case 4:
			t.enlist()
		case 5:
			t.load()
		case 6:
			t.rotate()
		case 7:
			t.call(http.MethodGet, "/contacts?search=neema", nil, http.StatusOK)
		default:
			t.call(http.MethodGet, "/users/me", nil, http.StatusOK)
		}
		sleep(ctx, 5*time.Millisecond)
	}
}

// phone is a number that the tenant has not used yet.
func (t *tenant) phone() string {
	t.phones++
	return fmt.Sprintf("+25471%07d", t.phones)
}

func (t *tenant) create() {
	a, o := t.call(http.MethodPost, "/contacts", map[string]any{"phone": t.phone(), "firstName": "Neema", "listIds": []string{t.list}}, http.StatusCreated)
	if o == acknowledged {
		t.active[a.Field("id")], t.members[a.Field("id")] = true, true
	}
}

// any returns some contact that is there.
func (t *tenant) any() string {
	for id := range t.active {
		return id
	}
	return ""
}

func (t *tenant) delete() {
	id := t.any()
	if id == "" {
		return
	}
	delete(t.active, id)
	delete(t.members, id)
	if _, o := t.call(http.MethodDelete, "/contacts/"+id, nil, http.StatusNoContent); o == acknowledged {
		t.trashed[id] = true
	}
}

// enlist takes a contact out of the list or puts it in.
func (t *tenant) enlist() {
	id := t.any()
	if id == "" {
		return
	}
	method, in := http.MethodPost, true
	if t.members[id] {
		method, in = http.MethodDelete, false
	}
	delete(t.members, id)
	if _, o := t.call(method, "/contact-lists/"+t.list+"/contacts", map[string]any{"contactIds": []string{id}}, http.StatusOK); o == acknowledged && in {
		t.members[id] = true
	}
}

// load imports some contacts.
func (t *tenant) load() {
	const rows = 50
	contacts := make([]map[string]any, rows)
	for i := range contacts {
		contacts[i] = map[string]any{"phone": t.phone(), "firstName": "Baraka"}
	}
	a, o := t.call(http.MethodPost, "/contacts/bulk", map[string]any{"contacts": contacts, "listId": t.list}, http.StatusCreated)
	if o != acknowledged {
		return
	}
	var counts struct{ Imported int }
	if err := json.Unmarshal(a.Body, &counts); err != nil || counts.Imported != rows {
		t.ledger.wrong("an import of %d new numbers was told to have %s", rows, a.Body)
	}
	t.imports[path.Base(a.Header.Get("Location"))] = counts.Imported
}

// rotate exchanges the refresh token. When the outcome was open the token may be
// spent, so the tenant signs in next time.
func (t *tenant) rotate() {
	var (
		a process.Answer
		o outcome
	)
	if spent := t.tokens.Refresh; spent != "" {
		t.tokens.Refresh = ""
		a, o = t.call(http.MethodPost, "/auth/refresh", map[string]any{"refreshToken": spent}, http.StatusOK)
	} else {
		a, o = t.call(http.MethodPost, "/auth/login", map[string]any{"email": t.email, "password": process.Password}, http.StatusOK)
	}
	if o == acknowledged {
		t.tokens = process.Tokens{Access: a.Field("accessToken"), Refresh: a.Field("refreshToken")}
	}
}
