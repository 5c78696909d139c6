package contact_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ujumbe/internal/id"
	"ujumbe/internal/server/servertest"
)

const (
	contactsPath = "/api/v1/contacts"
	listsPath    = "/api/v1/contact-lists"
	nobody       = "01980d5e-7c1a-7000-8000-5b1f0c8e2a11"
)

type object = map[string]any

// keysOf is the shape of an answer.
func keysOf(o object) string { return strings.Join(slices.Sorted(maps.Keys(o)), " ") }

const contactKeys = "createdAt email firstName id isOptedOut lastName listIds notes phone tags updatedAt"

func createContact(s *servertest.Server, c servertest.Customer, body object) object {
	s.T.Helper()
	return s.Want(s.Call("POST", contactsPath, c.Access, body), 201).JSON(s.T)
}

func createList(s *servertest.Server, c servertest.Customer, name string) string {
	s.T.Helper()
	return s.Want(s.Call("POST", listsPath, c.Access, object{"name": name}), 201).JSON(s.T)["id"].(string)
}

func TestContactHasTheShapeOfTheContract(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		list := createList(s, owner, "Customers")
		full := createContact(s, owner, object{
			"phone": "00254 712-345 678", "firstName": " Wanjikũ ", "lastName": "Kamau", "email": "W.Kamau@example.com",
			"tags": []string{"vip", " ke ", "vip"}, "notes": "two\nlines", "listIds": []string{list, list},
		})
		if keysOf(full) != contactKeys {
			t.Errorf("fields: %s", keysOf(full))
		}
		wanted := object{
			"phone": "+254712345678", "firstName": "Wanjikũ", "lastName": "Kamau", "email": "W.Kamau@example.com",
			"tags": []any{"vip", "ke"}, "notes": "two\nlines", "listIds": []any{list}, "isOptedOut": false,
		}
		for key, want := range wanted {
			if fmt.Sprint(full[key]) != fmt.Sprint(want) {
				t.Errorf("%s is %v, want %v", key, full[key], want)
			}
		}
		bare := createContact(s, owner, object{"phone": "+1 202 555 0123", "firstName": nil, "lastName": "", "tags": nil, "listIds": nil})
		for _, key := range []string{"firstName", "lastName", "email", "notes"} {
			if value, ok := bare[key]; !ok || value != nil {
				t.Errorf("%s of a bare contact is %v, want null", key, value)
			}
		}
		if fmt.Sprint(bare["tags"], bare["listIds"]) != "[] []" {
			t.Errorf("arrays of a bare contact: %v %v", bare["tags"], bare["listIds"])
		}
		path := contactsPath + "/" + full["id"].(string)
		found := s.Want(s.Call("GET", path, owner.Access, nil), 200).JSON(t)
		if fmt.Sprint(found) != fmt.Sprint(full) {
			t.Errorf("found %v, created %v", found, full)
		}
		page := s.Want(s.Call("GET", contactsPath, owner.Access, nil), 200).JSON(t)
		if keysOf(page) != "contacts page pageSize total" || page["total"] != 2.0 || page["page"] != 1.0 || page["pageSize"] != 25.0 {
			t.Errorf("page: %v", page)
		}
		if first := page["contacts"].([]any)[0].(object); first["id"] != bare["id"] {
			t.Error("the newest contact is not first")
		}
	})
}

func TestContactInputIsChecked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		foreign := createList(s, other, "Theirs")
		for name, body := range map[string]any{
			"no phone":                object{"firstName": "Asha"},
			"null phone":              object{"phone": nil},
			"empty phone":             object{"phone": ""},
			"phone of words":          object{"phone": "call me"},
			"phone too short":         object{"phone": "+25471"},
			"phone too long":          object{"phone": "+2547123456789012"},
			"phone beginning with 0":  object{"phone": "0712345678"},
			"impossible length":       object{"phone": "+25471234567890"},
			"phone as a number":       object{"phone": 254712345678},
			"first name too long":     object{"phone": "+254712345678", "firstName": strings.Repeat("é", 101)},
			"first name of two lines": object{"phone": "+254712345678", "firstName": "a\nb"},
			"last name too long":      object{"phone": "+254712345678", "lastName": strings.Repeat("x", 101)},
			"bad email":               object{"phone": "+254712345678", "email": "nobody"},
			"notes too long":          object{"phone": "+254712345678", "notes": strings.Repeat("x", 2001)},
			"notes with a bell":       object{"phone": "+254712345678", "notes": "\a"},
			"empty tag":               object{"phone": "+254712345678", "tags": []string{""}},
			"tag too long":            object{"phone": "+254712345678", "tags": []string{strings.Repeat("x", 51)}},
			"tag with a comma":        object{"phone": "+254712345678", "tags": []string{"a,b"}},
			"tag with a semicolon":    object{"phone": "+254712345678", "tags": []string{"a;b"}},
			"tag with a tab":          object{"phone": "+254712345678", "tags": []string{"a\tb"}},
			"tags as a text":          object{"phone": "+254712345678", "tags": "vip"},
			"too many tags":           object{"phone": "+254712345678", "tags": strings.Fields(strings.Repeat("x ", 51))},
			"unknown list":            object{"phone": "+254712345678", "listIds": []string{nobody}},
			"list of others":          object{"phone": "+254712345678", "listIds": []string{foreign}},
			"malformed list":          object{"phone": "+254712345678", "listIds": []string{"vip"}},
			"no object":               "[]",
			"nothing":                 nil,
		} {
			if answer := s.Call("POST", contactsPath, owner.Access, body); answer.Status != 422 {
				t.Errorf("%s: status %d, want 422: %s", name, answer.Status, answer.Body)
			}
		}
		if page := s.Call("GET", contactsPath, owner.Access, nil).JSON(t); page["total"] != 0.0 {
			t.Errorf("%v contacts were stored", page["total"])
		}
		problem := s.Want(s.Call("POST", contactsPath, owner.Access, object{"phone": "+25471"}), 422)
		if !strings.Contains(string(problem.Body), `"location":"body.phone"`) || problem.Code() != "phone_too_short" {
			t.Errorf("the problem does not point at the phone: %s", problem.Body)
		}
	})
}

func TestContactChanges(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		one, two := createList(s, owner, "One"), createList(s, owner, "Two")
		taken := createContact(s, owner, object{"phone": "+254711111111"})
		made := createContact(s, owner, object{"phone": "+254712345678", "firstName": "Asha", "notes": "old", "tags": []string{"a"}, "listIds": []string{one}})
		path := contactsPath + "/" + made["id"].(string)
		change := func(body any, want object) {
			t.Helper()
			changed := s.Want(s.Call("PATCH", path, owner.Access, body), 200).JSON(t)
			for key, value := range want {
				if fmt.Sprint(changed[key]) != fmt.Sprint(value) {
					t.Errorf("after %v %s is %v, want %v", body, key, changed[key], value)
				}
			}
			if found := s.Call("GET", path, owner.Access, nil).JSON(t); fmt.Sprint(found) != fmt.Sprint(changed) {
				t.Errorf("the answer to %v is not what is stored:\n%v\n%v", body, changed, found)
			}
		}
		change(object{}, object{"firstName": "Asha", "notes": "old", "tags": []any{"a"}, "listIds": []any{one}})
		change(object{"lastName": "Juma", "notes": nil}, object{"firstName": "Asha", "lastName": "Juma", "notes": nil})
		change(object{"firstName": ""}, object{"firstName": nil})
		change(object{"phone": "+254 712 345 679"}, object{"phone": "+254712345679"})
		change(object{"phone": "+254712345679"}, object{"phone": "+254712345679"})
		change(object{"tags": []string{"b", "a"}}, object{"tags": []any{"b", "a"}})
		change(object{"tags": nil}, object{"tags": []any{}})
		change(object{"listIds": []string{two}}, object{"listIds": []any{two}})
		change(object{"listIds": []string{two, one}}, object{"listIds": []any{one, two}})
		change(object{"listIds": []string{}}, object{"listIds": []any{}})
		change(object{"isOptedOut": true}, object{"isOptedOut": true})
		change(object{"email": "asha@example.com", "unknownField": 1}, object{"email": "asha@example.com", "isOptedOut": true})
		for body, status := range map[string]int{
			`{"phone":"+254711111111"}`:                    409,
			`{"phone":null}`:                               422,
			`{"phone":"12"}`:                               422,
			`{"isOptedOut":null}`:                          422,
			`{"isOptedOut":"yes"}`:                         422,
			`{"listIds":["` + nobody + `"]}`:               422,
			`{"tags":["` + strings.Repeat("x", 51) + `"]}`: 422,
			`{`: 400,
		} {
			if answer := s.Call("PATCH", path, owner.Access, body); answer.Status != status {
				t.Errorf("%s: status %d, want %d: %s", body, answer.Status, status, answer.Body)
			}
		}
		if found := s.Call("GET", contactsPath+"/"+taken["id"].(string), owner.Access, nil).JSON(t); found["phone"] != "+254711111111" {
			t.Errorf("the other contact changed: %v", found)
		}
		s.Want(s.Call("POST", contactsPath, owner.Access, object{"phone": "0025471 1111111"}), 409)
	})
}

func TestNothingIsSharedBetweenOrganizations(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		list := createList(s, owner, "Ours")
		made := createContact(s, owner, object{"phone": "+254712345678", "firstName": "Asha", "tags": []string{"ours"}, "listIds": []string{list}})
		theirs := createContact(s, stranger, object{"phone": "+254712345678"})
		id := made["id"].(string)
		for call, status := range map[string]int{
			"GET " + contactsPath + "/" + id:                 404,
			"PATCH " + contactsPath + "/" + id:               404,
			"DELETE " + contactsPath + "/" + id:              404,
			"GET " + contactsPath + "/" + nobody:             404,
			"GET " + contactsPath + "/not-an-id":             422,
			"PATCH " + listsPath + "/" + list:                404,
			"DELETE " + listsPath + "/" + list:               404,
			"DELETE " + listsPath + "/" + nobody:             404,
			"POST " + listsPath + "/" + list + "/contacts":   404,
			"DELETE " + listsPath + "/" + list + "/contacts": 404,
		} {
			method, path, _ := strings.Cut(call, " ")
			var body any
			if method != "GET" {
				body = object{"contactIds": []string{id}}
			}
			if answer := s.Call(method, path, stranger.Access, body); answer.Status != status {
				t.Errorf("%s: status %d, want %d: %s", call, answer.Status, status, answer.Body)
			}
		}
		for path, body := range map[string]object{
			contactsPath + "/bulk-delete":   {"ids": []string{id}},
			contactsPath + "/trash/restore": {"ids": []string{id}},
		} {
			answer := s.Want(s.Call("POST", path, stranger.Access, body), 200).JSON(t)
			if answer["deleted"] != 0.0 && answer["restored"] != 0.0 {
				t.Errorf("%s: %v", path, answer)
			}
		}
		theirList := createList(s, stranger, "Theirs")
		added := s.Want(s.Call("POST", listsPath+"/"+theirList+"/contacts", stranger.Access, object{"contactIds": []any{id, theirs["id"], nobody}}), 200).JSON(t)
		if added["added"] != 1.0 {
			t.Errorf("added %v", added)
		}
		for _, query := range []string{"?search=asha", "?tags=ours", "?listId=" + list} {
			if page := s.Want(s.Call("GET", contactsPath+query, stranger.Access, nil), 200).JSON(t); page["total"] != 0.0 {
				t.Errorf("%s finds %v", query, page["total"])
			}
		}
		if tags := s.Want(s.Call("GET", contactsPath+"/tags", stranger.Access, nil), 200); strings.TrimSpace(string(tags.Body)) != "[]" {
			t.Errorf("tags: %s", tags.Body)
		}
	})
}

func TestEveryMemberMayUseContactsAndNobodyElse(t *testing.T) {
	servertest.Each(t, func(_ *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for _, role := range []string{"admin", "member"} {
			c := s.Member(owner, role)
			made := createContact(s, c, object{"phone": "+254712345678"})
			s.Want(s.Call("DELETE", contactsPath+"/"+made["id"].(string), c.Access, nil), 204)
		}
		for _, path := range []string{contactsPath, contactsPath + "/tags", contactsPath + "/stats", contactsPath + "/trash", contactsPath + "/" + nobody, listsPath} {
			s.Want(s.Call("GET", path, "", nil), 401)
			s.Want(s.Call("GET", path+"/", owner.Access+"x", nil), 401)
		}
	})
}

func TestPagesAreCutAndChecked(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		for i := range 7 {
			createContact(s, owner, object{"phone": fmt.Sprintf("+25471234567%d", i)})
		}
		var seen []any
		for page := 1; page <= 4; page++ {
			answer := s.Want(s.Call("GET", fmt.Sprintf("%s?page=%d&pageSize=3", contactsPath, page), owner.Access, nil), 200).JSON(t)
			if answer["total"] != 7.0 || answer["page"] != float64(page) || answer["pageSize"] != 3.0 || answer["contacts"] == nil {
				t.Errorf("page %d: %v", page, answer)
			}
			for _, c := range answer["contacts"].([]any) {
				seen = append(seen, c.(object)["phone"])
			}
		}
		want := "[+254712345676 +254712345675 +254712345674 +254712345673 +254712345672 +254712345671 +254712345670]"
		if fmt.Sprint(seen) != want {
			t.Errorf("pages hold %v, want %s", seen, want)
		}
		for _, query := range []string{
			"page=0", "page=-1", "page=x", "page=1.5", "pageSize=0", "pageSize=101", "pageSize=x", "isOptedOut=maybe", "listId=x",
			"search=" + strings.Repeat("x", 201), "search=" + url.QueryEscape("\x00"), "tags=" + strings.Repeat("x", 51), "tags=" + strings.Repeat("x,y", 26*20),
		} {
			s.Want(s.Call("GET", contactsPath+"?"+query, owner.Access, nil), 422)
		}
		for _, query := range []string{"search=", "tags=", "tags=,", "search=" + url.QueryEscape(strings.Repeat("ũ", 200)), "page=1000000000", "listId=" + nobody} {
			s.Want(s.Call("GET", contactsPath+"?"+query, owner.Access, nil), 200)
		}
	})
}

func TestTagsInUseAreSorted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		tags := func() string {
			return strings.TrimSpace(string(s.Want(s.Call("GET", contactsPath+"/tags", owner.Access, nil), 200).Body))
		}
		if got := tags(); got != "[]" {
			t.Errorf("tags of nobody: %s", got)
		}
		one := createContact(s, owner, object{"phone": "+254712345670", "tags": []string{"zebra", "Apple", "mango"}})
		createContact(s, owner, object{"phone": "+254712345671", "tags": []string{"mango", "été", "a:b"}})
		if got, want := tags(), `["Apple","a:b","mango","zebra","été"]`; got != want {
			t.Errorf("tags: %s, want %s", got, want)
		}
		s.Want(s.Call("DELETE", contactsPath+"/"+one["id"].(string), owner.Access, nil), 204)
		if got, want := tags(), `["a:b","mango","été"]`; got != want {
			t.Errorf("tags after a contact went: %s, want %s", got, want)
		}
	})
}

func TestLists(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		if body := s.Want(s.Call("GET", listsPath, owner.Access, nil), 200).Body; strings.TrimSpace(string(body)) != "[]" {
			t.Errorf("no lists: %s", body)
		}
		made := s.Want(s.Call("POST", listsPath, owner.Access, object{"name": " VIP ", "description": "the best"}), 201).JSON(t)
		if keysOf(made) != "contactCount createdAt description id name" || made["name"] != "VIP" || made["contactCount"] != 0.0 {
			t.Errorf("list: %v", made)
		}
		path := listsPath + "/" + made["id"].(string)
		for _, body := range []any{
			object{}, object{"name": ""}, object{"name": "  "}, object{"name": nil}, object{"name": strings.Repeat("x", 101)}, object{"name": "a\nb"},
			object{"name": "x", "description": strings.Repeat("x", 501)},
		} {
			s.Want(s.Call("POST", listsPath, owner.Access, body), 422)
		}
		for _, body := range []any{object{"name": ""}, object{"name": nil}, object{"description": strings.Repeat("x", 501)}} {
			s.Want(s.Call("PATCH", path, owner.Access, body), 422)
		}
		changed := s.Want(s.Call("PATCH", path, owner.Access, object{"name": "Very important"}), 200).JSON(t)
		if changed["name"] != "Very important" || changed["description"] != "the best" {
			t.Errorf("changed: %v", changed)
		}
		changed = s.Want(s.Call("PATCH", path, owner.Access, object{"description": nil}), 200).JSON(t)
		if changed["name"] != "Very important" || changed["description"] != nil {
			t.Errorf("changed: %v", changed)
		}
		ids := []any{}
		for i := range 3 {
			ids = append(ids, createContact(s, owner, object{"phone": fmt.Sprintf("+25471234567%d", i)})["id"])
		}
		members := func(method string, ids []any) object {
			t.Helper()
			return s.Want(s.Call(method, path+"/contacts", owner.Access, object{"contactIds": ids}), 200).JSON(t)
		}
		count := func() any {
			t.Helper()
			return s.Want(s.Call("GET", listsPath, owner.Access, nil), 200).Array(t)[0]["contactCount"]
		}
		if got := members("POST", append(ids[:2:2], ids[0], nobody)); got["added"] != 2.0 {
			t.Errorf("added %v", got)
		}
		if got := members("POST", ids); got["added"] != 1.0 || count() != 3.0 {
			t.Errorf("added %v, count %v", got, count())
		}
		if got := members("DELETE", []any{ids[0], ids[0], nobody}); got["removed"] != 1.0 || count() != 2.0 {
			t.Errorf("removed %v, count %v", got, count())
		}
		if got := members("DELETE", []any{}); got["removed"] != 0.0 {
			t.Errorf("removed %v", got)
		}
		for _, body := range []any{object{}, object{"contactIds": []string{"x"}}, object{"contactIds": "x"}} {
			s.Want(s.Call("POST", path+"/contacts", owner.Access, body), 422)
			s.Want(s.Call("DELETE", path+"/contacts", owner.Access, body), 422)
		}
		s.Want(s.Call("DELETE", path, owner.Access, nil), 204)
		s.Want(s.Call("DELETE", path, owner.Access, nil), 404)
		s.Want(s.Call("PATCH", path, owner.Access, object{"name": "x"}), 404)
		s.Want(s.Call("POST", path+"/contacts", owner.Access, object{"contactIds": ids}), 404)
		page := s.Want(s.Call("GET", contactsPath, owner.Access, nil), 200).JSON(t)
		if page["total"] != 3.0 || fmt.Sprint(page["contacts"].([]any)[0].(object)["listIds"]) != "[]" {
			t.Errorf("contacts of a deleted list: %v", page)
		}
	})
}

func TestTenThousandIDsAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		path := listsPath + "/" + createList(s, owner, "Many") + "/contacts"
		ids := make([]string, 10_000)
		for i := range ids {
			ids[i] = id.New[object]().String()
		}
		ids[5000] = createContact(s, owner, object{"phone": "+254712345678"})["id"].(string)
		if got := s.Want(s.Call("POST", path, owner.Access, object{"contactIds": ids}), 200).JSON(t); got["added"] != 1.0 {
			t.Errorf("added %v", got)
		}
		if got := s.Want(s.Call("POST", contactsPath+"/bulk-delete", owner.Access, object{"ids": ids}), 200).JSON(t); got["deleted"] != 1.0 {
			t.Errorf("deleted %v", got)
		}
		more := append(slices.Clone(ids), id.New[object]().String())
		s.Want(s.Call("POST", path, owner.Access, object{"contactIds": more}), 422)
		s.Want(s.Call("POST", contactsPath+"/bulk-delete", owner.Access, object{"ids": more}), 422)
	})
}
