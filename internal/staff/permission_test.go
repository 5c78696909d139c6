package staff_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

var (
	modules = []string{"crm", "sender-ids", "billing", "pricing"}
	levels  = []string{"none", "read", "admin", "owner"}
)

func (h house) permissions(owner, of member) map[string]any {
	h.T.Helper()
	answer := h.Want(h.Call("GET", base+"/staff/"+of.id+"/permissions", owner.access, nil), 200).JSON(h.T)
	wantFields(h.T, answer, "permissions")
	return answer["permissions"].(map[string]any)
}

func TestPermissionsStartAtNoneAndOwnersHaveAll(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		plain, second := h.hire(owner, "staff"), h.hire(owner, "owner")
		h.permit(owner, second, body{"crm": "read"})
		for _, module := range modules {
			if level := h.permissions(owner, plain)[module]; level != "none" {
				t.Errorf("staff starts with %s at %v", module, level)
			}
			if level := h.permissions(owner, second)[module]; level != "owner" {
				t.Errorf("owner has %s at %v", module, level)
			}
		}
		h.permit(owner, plain, body{"billing": "admin"})
		mine := h.Want(h.Call("GET", base+"/staff/me/permissions", plain.access, nil), 200).JSON(t)["permissions"].(map[string]any)
		if !maps.Equal(mine, map[string]any{"crm": "none", "sender-ids": "none", "billing": "admin", "pricing": "none"}) {
			t.Errorf("own permissions %v", mine)
		}
	})
}

func TestRefusedPermissionsStoreNothing(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		plain := h.hire(owner, "staff")
		h.Want(h.Call("PATCH", base+"/staff/"+plain.id+"/permissions", owner.access, body{"permissions": body{"crm": "admin", "unknown": "read"}}), 422)
		if level := h.permissions(owner, plain)["crm"]; level != "none" {
			t.Errorf("crm is at %v", level)
		}
	})
}

// Any sequence of changes leaves each module at the level named last.
func TestPermissionsMerge(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		owner := h.owner()
		plain := h.hire(owner, "staff")
		model := map[string]any{}
		for _, module := range modules {
			model[module] = "none"
		}
		rapid.Check(t, func(rt *rapid.T) {
			change := rapid.MapOf(rapid.SampledFrom(modules), rapid.SampledFrom(levels)).Draw(rt, "change")
			given := body{}
			for module, level := range change {
				given[module], model[module] = level, level
			}
			h.permit(owner, plain, given)
			if have := h.permissions(owner, plain); !maps.Equal(have, model) {
				rt.Fatalf("after %v: %v, want %v", change, have, model)
			}
		})
	})
}
