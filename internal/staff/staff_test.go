package staff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

const (
	base          = "/api/v1/admin"
	ownerEmail    = "owner@staff.example.com"
	ownerPassword = "the owner's password"
	nobody        = "01980d5e-7c1a-7000-8000-5b1f0c8e2a11"
)

type body = map[string]any

// house is a running server with a staff owner.
type house struct {
	*servertest.Server
}

// member is a signed-in member of the staff.
type member struct {
	id, email, password, access, refresh string
}

func each(t *testing.T, test func(t *testing.T, h house), change ...func(*config.Config)) {
	t.Helper()
	change = append([]func(*config.Config){func(c *config.Config) {
		c.StaffOwnerEmail, c.StaffOwnerPassword = ownerEmail, ownerPassword
	}}, change...)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) { test(t, house{s}) }, change...)
}

func (h house) login(email, password string) servertest.Answer {
	h.T.Helper()
	return h.Call("POST", base+"/auth/login", "", body{"email": email, "password": password})
}

func (h house) signIn(email, password string) member {
	h.T.Helper()
	answer := h.Want(h.login(email, password), 200).JSON(h.T)
	staff, _ := answer["staff"].(map[string]any)
	return member{
		id: fmt.Sprint(staff["id"]), email: email, password: password,
		access: fmt.Sprint(answer["accessToken"]), refresh: fmt.Sprint(answer["refreshToken"]),
	}
}

func (h house) owner() member { return h.signIn(ownerEmail, ownerPassword) }

// hire adds a member with a password and signs them in.
func (h house) hire(owner member, role string) member {
	h.T.Helper()
	email := "staff-" + servertest.Email()
	h.Want(h.Call("POST", base+"/staff", owner.access, body{
		"name": "Neema", "email": email, "role": role, "password": servertest.Password,
	}), 201)
	return h.signIn(email, servertest.Password)
}

// permit sets levels of a member.
func (h house) permit(owner, of member, levels body) {
	h.T.Helper()
	h.Want(h.Call("PATCH", base+"/staff/"+of.id+"/permissions", owner.access, body{"permissions": levels}), 200)
}

// row is one request and what it must answer.
type row struct {
	name, method, path, token string
	body                      any
	status                    int
	code                      string
}

func (h house) run(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			answer := h.Call(r.method, base+r.path, r.token, r.body)
			if answer.Status != r.status || r.code != "" && answer.Code() != r.code {
				t.Errorf("%s %s: %d %s, want %d %s", r.method, r.path, answer.Status, answer.Body, r.status, r.code)
			}
		})
	}
}

// wantFields fails unless the object has exactly these fields.
func wantFields(t *testing.T, object map[string]any, fields ...string) {
	t.Helper()
	have := make([]string, 0, len(object))
	for name := range object {
		have = append(have, name)
	}
	slices.Sort(have)
	slices.Sort(fields)
	if !slices.Equal(have, fields) {
		t.Errorf("fields %s, want %s", strings.Join(have, " "), strings.Join(fields, " "))
	}
}

func wantStaffShape(t *testing.T, object map[string]any) {
	t.Helper()
	wantFields(t, object, "id", "name", "email", "role", "phone", "isActive", "createdAt")
}
