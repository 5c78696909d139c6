package staff_test

import (
	"maps"
	"strings"
	"testing"

	"ujumbe/internal/server/servertest"
)

func TestOwnersManageTheStaffAndOthersMayNot(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		plain := h.hire(owner, "staff")
		// Refused before the body is looked at, and before an id is.
		var rows []row
		for _, r := range []row{
			{"list", "GET", "/staff", "", nil, 403, "role_required"},
			{"create", "POST", "/staff", "", body{"nonsense": true}, 403, "role_required"},
			{"change", "PATCH", "/staff/" + plain.id, "", body{"name": 5}, 403, "role_required"},
			{"change someone unknown", "PATCH", "/staff/" + nobody, "", body{"name": "X"}, 403, "role_required"},
			{"read permissions", "GET", "/staff/" + plain.id + "/permissions", "", nil, 403, "role_required"},
			{"change permissions", "PATCH", "/staff/" + plain.id + "/permissions", "", body{"permissions": body{"crm": "owner"}}, 403, "role_required"},
			{"change activity", "PATCH", "/staff/" + owner.id + "/active", "", body{"active": false}, 403, "role_required"},
		} {
			r.token = plain.access
			rows = append(rows, r)
			r.name, r.token, r.status, r.code = r.name+" without token", "", 401, "invalid_token"
			rows = append(rows, r)
		}
		h.run(t, append(rows, []row{
			{"create with an unknown role", "POST", "/staff", owner.access, body{"name": "A", "email": "a@staff.example.com", "role": "admin"}, 422, ""},
			{"create without a role", "POST", "/staff", owner.access, body{"name": "A", "email": "a@staff.example.com"}, 422, ""},
			{"create without a name", "POST", "/staff", owner.access, body{"name": " ", "email": "a@staff.example.com", "role": "staff"}, 422, ""},
			{"create with a long name", "POST", "/staff", owner.access, body{"name": strings.Repeat("é", 101), "email": "a@staff.example.com", "role": "staff"}, 422, ""},
			{"create with a bad email", "POST", "/staff", owner.access, body{"name": "A", "email": "a@", "role": "staff"}, 422, ""},
			{"create with a short password", "POST", "/staff", owner.access, body{"name": "A", "email": "a@staff.example.com", "role": "staff", "password": "short"}, 422, ""},
			{"create with a taken email", "POST", "/staff", owner.access, body{"name": "A", "email": strings.ToUpper(ownerEmail), "role": "staff"}, 409, "email_exists"},
			{"change someone unknown as owner", "PATCH", "/staff/" + nobody, owner.access, body{"name": "X"}, 404, "staff_not_found"},
			{"change to an empty name", "PATCH", "/staff/" + plain.id, owner.access, body{"name": ""}, 422, ""},
			{"change to no name", "PATCH", "/staff/" + plain.id, owner.access, body{"name": nil}, 422, ""},
			{"change to a bad phone", "PATCH", "/staff/" + plain.id, owner.access, body{"phone": "call me"}, 422, ""},
			{"change to a phone that is no text", "PATCH", "/staff/" + plain.id, owner.access, body{"phone": 254712345678}, 422, ""},
			{"change with a malformed id", "PATCH", "/staff/42", owner.access, body{"name": "X"}, 422, ""},
			{"permissions of someone unknown", "GET", "/staff/" + nobody + "/permissions", owner.access, nil, 404, "staff_not_found"},
			{"permit someone unknown", "PATCH", "/staff/" + nobody + "/permissions", owner.access, body{"permissions": body{"crm": "read"}}, 404, "staff_not_found"},
			{"permit an unknown module", "PATCH", "/staff/" + plain.id + "/permissions", owner.access, body{"permissions": body{"crm": "read", "sms": "read"}}, 422, "validation_failed"},
			{"permit an unknown level", "PATCH", "/staff/" + plain.id + "/permissions", owner.access, body{"permissions": body{"crm": "write"}}, 422, "validation_failed"},
			{"permit nothing", "PATCH", "/staff/" + plain.id + "/permissions", owner.access, body{}, 422, ""},
			{"permit null", "PATCH", "/staff/" + plain.id + "/permissions", owner.access, body{"permissions": nil}, 422, ""},
			{"activity without a value", "PATCH", "/staff/" + plain.id + "/active", owner.access, body{}, 422, ""},
			{"activity with a word", "PATCH", "/staff/" + plain.id + "/active", owner.access, body{"active": "no"}, 422, ""},
			{"activity of someone unknown", "PATCH", "/staff/" + nobody + "/active", owner.access, body{"active": false}, 404, "staff_not_found"},
			{"deactivate oneself", "PATCH", "/staff/" + owner.id + "/active", owner.access, body{"active": false}, 400, "own_account"},
			{"activate oneself", "PATCH", "/staff/" + owner.id + "/active", owner.access, body{"active": true}, 200, ""},
			{"another path", "GET", "/staff/me/nothing", owner.access, nil, 404, "route_not_found"},
		}...))
	})
}

func TestMemberChangesTheirPhoneAndNothingElse(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		plain := h.hire(h.owner(), "staff")
		change := func(given body, status int) servertest.Answer {
			t.Helper()
			return h.Want(h.Call("PATCH", base+"/staff/me", plain.access, given), status)
		}
		answer := change(body{"phone": "+254712345678", "name": "Intruder", "role": "owner", "email": "intruder@example.com", "isActive": false}, 200).JSON(t)
		wantFields(t, answer, "staff")
		wantStaffShape(t, answer["staff"].(map[string]any))
		me := h.Want(h.Call("GET", base+"/staff/me", plain.access, nil), 200).JSON(t)
		wantStaffShape(t, me)
		if me["phone"] != "+254712345678" || me["name"] != "Neema" || me["role"] != "staff" || me["email"] != plain.email || me["isActive"] != true {
			t.Errorf("after the change: %v", me)
		}
		change(body{"phone": "nonsense"}, 422)
		change(body{"phone": ""}, 422)
		if staff := change(body{}, 200).JSON(t)["staff"].(map[string]any); staff["phone"] != "+254712345678" {
			t.Errorf("an empty change gave %v", staff)
		}
		if staff := change(body{"phone": nil}, 200).JSON(t)["staff"].(map[string]any); staff["phone"] != nil {
			t.Errorf("null left %v", staff)
		}
	})
}

func TestOwnerChangesNameAndPhone(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		plain := h.hire(owner, "staff")
		change := func(given body) map[string]any {
			t.Helper()
			answer := h.Want(h.Call("PATCH", base+"/staff/"+plain.id, owner.access, given), 200).JSON(t)
			wantFields(t, answer, "staff")
			return answer["staff"].(map[string]any)
		}
		if staff := change(body{"name": " Zuri ", "phone": "0712 345 678"}); staff["name"] != "Zuri" || staff["phone"] != "0712 345 678" {
			t.Errorf("both: %v", staff)
		}
		if staff := change(body{"name": "Asha"}); staff["name"] != "Asha" || staff["phone"] != "0712 345 678" {
			t.Errorf("name alone: %v", staff)
		}
		if staff := change(body{"phone": nil, "role": "owner"}); staff["name"] != "Asha" || staff["phone"] != nil || staff["role"] != "staff" {
			t.Errorf("phone alone: %v", staff)
		}
		all := h.Want(h.Call("GET", base+"/staff", owner.access, nil), 200).Array(t)
		if len(all) != 2 || all[0]["email"] != ownerEmail || all[1]["name"] != "Asha" {
			t.Errorf("list: %v", all)
		}
		for _, one := range all {
			wantStaffShape(t, one)
		}
	})
}

func TestNewMemberWithoutPasswordIsInvited(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		for _, password := range []body{{}, {"password": nil}} {
			email := "staff-" + servertest.Email()
			given := body{"name": "Neema", "email": email, "role": "staff"}
			maps.Copy(given, password)
			made := h.Want(h.Call("POST", base+"/staff", owner.access, given), 201).JSON(t)
			wantStaffShape(t, made)
			h.Want(h.login(email, ""), 401)
			token := h.Mail.Token(t, email, "/admin/reset-password")
			h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "their own password"}), 200)
			h.signIn(email, "their own password")
			h.Want(h.Call("POST", base+"/auth/reset-password", "", body{"token": token, "newPassword": "a second password"}), 400)
		}
		with := h.hire(owner, "staff")
		if n := len(h.Mail.To(with.email)); n != 0 {
			t.Errorf("%d mails to a member who has a password", n)
		}
	})
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		here, elsewhere := h.owner(), h.owner()
		change := func(current, next string, status int) servertest.Answer {
			t.Helper()
			return h.Want(h.Call("POST", base+"/staff/me/change-password", here.access, body{"currentPassword": current, "newPassword": next}), status)
		}
		change("not the password", "a new password", 401)
		change(ownerPassword, "short", 400)
		wantFields(t, change(ownerPassword, "a new password", 200).JSON(t), "message")
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": elsewhere.refresh}), 401)
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": here.refresh}), 200)
		h.Want(h.login(ownerEmail, ownerPassword), 401)
		h.signIn(ownerEmail, "a new password")
		h.Want(h.Call("POST", base+"/staff/me/change-password", here.access, body{"newPassword": "a new password"}), 422)
	})
}

func TestDeactivationBitesOnTheNextRequest(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		second := h.hire(owner, "owner")
		h.Want(h.Call("GET", base+"/staff", second.access, nil), 200)
		set := func(active bool) {
			t.Helper()
			wantFields(t, h.Want(h.Call("PATCH", base+"/staff/"+second.id+"/active", owner.access, body{"active": active}), 200).JSON(t), "message")
		}
		set(false)
		h.Want(h.Call("GET", base+"/staff/me", second.access, nil), 401)
		h.Want(h.Call("GET", base+"/staff", second.access, nil), 401)
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": second.refresh}), 401)
		h.Want(h.login(second.email, second.password), 403)
		h.Want(h.login(second.email, "not the password"), 401)
		set(false)
		set(true)
		h.Want(h.Call("POST", base+"/auth/refresh", "", body{"refreshToken": second.refresh}), 401)
		h.signIn(second.email, second.password)
	})
}
