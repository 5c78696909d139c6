package staff_test

import (
	"fmt"
	"slices"
	"testing"

	"ujumbe/internal/server/servertest"
)

func TestOrganizationsNeedLevelsInTheCRM(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, customer := h.owner(), h.Owner()
		plain := h.hire(owner, "staff")
		one := "/accounts/" + customer.AccountID
		suspend := body{"status": "suspended"}
		for _, level := range []struct {
			name         string
			levels       body
			look, manage int
		}{
			{"no level at all", nil, 403, 403},
			{"levels elsewhere", body{"billing": "owner", "pricing": "admin", "sender-ids": "owner"}, 403, 403},
			{"read", body{"crm": "read"}, 200, 403},
			{"admin", body{"crm": "admin"}, 200, 200},
			{"owner", body{"crm": "owner"}, 200, 200},
			{"demoted to read", body{"crm": "read"}, 200, 403},
			{"demoted to none", body{"crm": "none"}, 403, 403},
		} {
			if level.levels != nil {
				h.permit(owner, plain, level.levels)
			}
			h.run(t, []row{
				{level.name + " lists", "GET", "/accounts", plain.access, nil, level.look, ""},
				{level.name + " looks", "GET", one, plain.access, nil, level.look, ""},
				{level.name + " suspends", "PATCH", one + "/status", plain.access, suspend, level.manage, ""},
			})
		}
		h.run(t, []row{
			{"a staff owner needs no level", "PATCH", one + "/status", owner.access, body{"status": "active"}, 200, ""},
			{"no token", "GET", "/accounts", "", nil, 401, ""},
			{"unknown organization", "GET", "/accounts/" + nobody, owner.access, nil, 404, "account_not_found"},
			{"status of an unknown organization", "PATCH", "/accounts/" + nobody + "/status", owner.access, suspend, 404, "account_not_found"},
			{"malformed id", "GET", "/accounts/42", owner.access, nil, 422, ""},
			{"unknown status", "PATCH", one + "/status", owner.access, body{"status": "closed"}, 422, ""},
			{"no status", "PATCH", one + "/status", owner.access, body{}, 422, ""},
			{"page under 1", "GET", "/accounts?page=0", owner.access, nil, 422, ""},
			{"page size over 100", "GET", "/accounts?pageSize=101", owner.access, nil, 422, ""},
		})
	})
}

func TestSuspendedOrganizationIsShutOnItsNextRequest(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, customer, other := h.owner(), h.Owner(), h.Owner()
		set := func(status string) map[string]any {
			t.Helper()
			return h.Want(h.Call("PATCH", base+"/accounts/"+customer.AccountID+"/status", owner.access, body{"status": status}), 200).JSON(t)
		}
		h.Want(h.Call("GET", "/api/v1/users", customer.Access, nil), 200)
		if answer := set("suspended"); answer["status"] != "suspended" {
			t.Errorf("answer %v", answer)
		}
		refused := h.Want(h.Call("GET", "/api/v1/users", customer.Access, nil), 403)
		if refused.Code() != "account_suspended" {
			t.Errorf("code %s", refused.Code())
		}
		h.Want(h.Call("GET", "/api/v1/users", other.Access, nil), 200)
		h.Login(customer.Email, customer.Password)
		set("suspended")
		set("active")
		h.Want(h.Call("GET", "/api/v1/users", customer.Access, nil), 200)

		var entries int64
		if err := h.DB.QueryRow(t.Context(), `SELECT COUNT(*) FROM audit WHERE action = 'account.status_changed'`).Scan(&entries); err != nil {
			t.Fatal(err)
		}
		if entries != 4 {
			t.Errorf("%d entries in the trails, want one in each for each of two changes", entries)
		}
	})
}

func TestOrganizationsAreSearchedByName(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		for _, name := range []string{"Kahawa Bora", "100% Maji_Safi", `Back\slash`, "École Zuri", "Duka"} {
			h.Want(h.Call("POST", "/api/v1/auth/register", "", body{
				"accountName": name, "firstName": "Asha", "lastName": "Juma", "email": servertest.Email(), "password": "long enough",
			}), 201)
		}
		for search, want := range map[string][]string{
			"":        {"Duka", "École Zuri", `Back\slash`, "100% Maji_Safi", "Kahawa Bora"},
			"kahawa":  {"Kahawa Bora"},
			"A%20B":   {"Kahawa Bora"},
			"%25":     {"100% Maji_Safi"},
			"maji_":   {"100% Maji_Safi"},
			"_":       {"100% Maji_Safi"},
			`%5C`:     {`Back\slash`},
			"%C3%89c": {"École Zuri"},
			"nothing": {},
		} {
			answer := h.Want(h.Call("GET", base+"/accounts?search="+search, owner.access, nil), 200).JSON(t)
			wantFields(t, answer, "accounts", "total", "page", "pageSize")
			found := []string{}
			for _, one := range answer["accounts"].([]any) {
				found = append(found, one.(map[string]any)["name"].(string))
			}
			if !slices.Equal(found, want) || answer["total"] != float64(len(want)) {
				t.Errorf("search %q: %q of %v, want %q", search, found, answer["total"], want)
			}
		}
		page := h.Want(h.Call("GET", base+"/accounts?page=2&pageSize=2", owner.access, nil), 200).JSON(t)
		if all := page["accounts"].([]any); len(all) != 2 || page["total"] != 5.0 || page["page"] != 2.0 || page["pageSize"] != 2.0 ||
			all[0].(map[string]any)["name"] != `Back\slash` {
			t.Errorf("page 2: %v", page)
		}
	})
}

func TestOrganizationShowsItsCounts(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner, customer, other := h.owner(), h.Owner(), h.Owner()
		h.Member(customer, "member")
		gone := h.Member(customer, "member")
		h.Want(h.Call("POST", "/api/v1/users/"+gone.ID+"/deactivate", customer.Access, nil), 200)
		var last any
		for n := range 3 {
			phone := fmt.Sprintf("+25471234567%d", n)
			last = h.Want(h.Call("POST", "/api/v1/contacts", customer.Access, body{"phone": phone}), 201).JSON(t)["id"]
		}
		h.Want(h.Call("DELETE", fmt.Sprintf("/api/v1/contacts/%v", last), customer.Access, nil), 204)
		one := h.Want(h.Call("GET", base+"/accounts/"+customer.AccountID, owner.access, nil), 200).JSON(t)
		wantFields(t, one, "id", "name", "status", "country", "createdAt", "userCount", "contactCount")
		if one["id"] != customer.AccountID || one["status"] != "active" || one["userCount"] != 2.0 || one["contactCount"] != 2.0 {
			t.Errorf("organization %v", one)
		}
		one = h.Want(h.Call("GET", base+"/accounts/"+other.AccountID, owner.access, nil), 200).JSON(t)
		if one["userCount"] != 1.0 || one["contactCount"] != 0.0 {
			t.Errorf("another organization %v", one)
		}
	})
}
