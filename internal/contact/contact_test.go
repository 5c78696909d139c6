package contact_test

import (
	"testing"

	"ujumbe/internal/server/servertest"
)

func TestSmoke(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		o := s.Owner()
		l := s.Want(s.Call("POST", "/api/v1/contact-lists", o.Access, map[string]any{"name": "VIP"}), 201).JSON(t)
		a := s.Want(s.Call("POST", "/api/v1/contacts", o.Access, map[string]any{"phone": "+254712345678", "firstName": "Wanjikũ", "lastName": "Kamau", "tags": []string{"vip", "ke"}, "listIds": []any{l["id"]}}), 201)
		t.Log(string(a.Body))
		id := a.JSON(t)["id"].(string)
		for _, q := range []string{"", "?search=wanjiku", "?search=KU%20ka", "?search=u", "?search=7123", "?search=%2B254", "?search=00254", "?tags=vip,ke", "?isOptedOut=false", "?isOptedOut=true", "?search=wan&tags=vip&isOptedOut=false", "?listId=" + l["id"].(string), "?search=wan&listId=" + l["id"].(string)} {
			t.Log(q, string(s.Want(s.Call("GET", "/api/v1/contacts"+q, o.Access, nil), 200).Body))
		}
		t.Log(string(s.Want(s.Call("PATCH", "/api/v1/contacts/"+id, o.Access, map[string]any{"isOptedOut": true, "email": "a@example.com", "listIds": []any{}}), 200).Body))
		t.Log(string(s.Want(s.Call("GET", "/api/v1/contact-lists", o.Access, nil), 200).Body))
		s.Want(s.Call("DELETE", "/api/v1/contacts/"+id, o.Access, nil), 204)
		s.Want(s.Call("GET", "/api/v1/contacts/"+id, o.Access, nil), 404)
		t.Log(string(s.Want(s.Call("GET", "/api/v1/contacts/trash", o.Access, nil), 200).Body))
		t.Log(string(s.Want(s.Call("POST", "/api/v1/contacts/trash/restore", o.Access, map[string]any{"ids": []string{id}}), 200).Body))
		t.Log(string(s.Want(s.Call("GET", "/api/v1/contacts/stats", o.Access, nil), 200).Body)[:200])
		t.Log(string(s.Want(s.Call("GET", "/api/v1/contacts/tags", o.Access, nil), 200).Body))
		s.Want(s.Call("DELETE", "/api/v1/contacts/"+id, o.Access, nil), 204)
		t.Log(string(s.Want(s.Call("DELETE", "/api/v1/contacts/trash", o.Access, map[string]any{"ids": []string{id}}), 200).Body))
	})
}
