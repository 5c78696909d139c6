package account_test

import (
	"strings"
	"testing"

	"golang.org/x/text/language"

	"ujumbe/internal/account"
	"ujumbe/internal/server/servertest"
)

// notAssigned are the regions of CLDR that ISO 3166-1 has withdrawn, reserved or
// left to users.
const notAssigned = "AC AN CP CQ CS DG EA EZ FQ IC NT PC SU TA UN XK YU"

func TestCountriesAreThoseThatISOAssigns(t *testing.T) {
	n := 0
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			region, err := language.ParseRegion(code)
			known := err == nil && region.IsCountry() && region.Canonicalize().String() == code && !strings.Contains(notAssigned, code)
			if account.IsCountry(code) != known {
				t.Errorf("%s: %v, want %v", code, !known, known)
			}
			if known {
				n++
			}
		}
	}
	if n != 249 {
		t.Errorf("%d countries, want 249", n)
	}
}

func TestTimezonesAreThoseOfIANA(t *testing.T) {
	for name, want := range map[string]bool{
		"Africa/Nairobi": true, "UTC": true, "America/Argentina/Buenos_Aires": true, "Etc/GMT+3": true,
		"": false, "Local": false, "localtime": false, "posix/UTC": false, "right/UTC": false, "Factory": false,
		"Africa": false, "Africa/Nowhere": false, "../etc/passwd": false, "/etc/localtime": false, "EAT+3": false,
	} {
		if got := account.IsTimezone(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestChangeOfAnOrganization(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		admin, member := s.Member(owner, "admin"), s.Member(owner, "member")
		type fields = map[string]any
		for _, c := range []struct {
			name   string
			access string
			body   any
			status int
			want   fields
		}{
			{"nothing", owner.Access, fields{}, 200, fields{"country": "KE", "timezone": "Africa/Nairobi", "address": nil}},
			{"a name of 100 characters", owner.Access, fields{"name": strings.Repeat("é", 100)}, 200, fields{"name": strings.Repeat("é", 100)}},
			{"a name with space around it", owner.Access, fields{"name": "  Duka  "}, 200, fields{"name": "Duka"}},
			{"a name of 101 characters", owner.Access, fields{"name": strings.Repeat("a", 101)}, 422, nil},
			{"an empty name", owner.Access, fields{"name": " "}, 422, nil},
			{"no name", owner.Access, fields{"name": nil}, 422, nil},
			{"a name with a NUL", owner.Access, fields{"name": "a\x00b"}, 422, nil},
			{"a name that is a number", owner.Access, fields{"name": 7}, 422, nil},
			{"a country in lower case", owner.Access, fields{"country": "tz"}, 200, fields{"country": "TZ"}},
			{"a country of three letters", owner.Access, fields{"country": "TZA"}, 422, nil},
			{"a country of one letter", owner.Access, fields{"country": "T"}, 422, nil},
			{"a country that is none", owner.Access, fields{"country": "XX"}, 422, nil},
			{"no country", owner.Access, fields{"country": nil}, 422, nil},
			{"a time zone", owner.Access, fields{"timezone": "Africa/Lagos"}, 200, fields{"timezone": "Africa/Lagos"}},
			{"a time zone that is none", owner.Access, fields{"timezone": "Africa/Atlantis"}, 422, nil},
			{"the machine's time zone", owner.Access, fields{"timezone": "Local"}, 422, nil},
			{"an empty time zone", owner.Access, fields{"timezone": ""}, 422, nil},
			{"no time zone", owner.Access, fields{"timezone": nil}, 422, nil},
			{
				"an address in full", admin.Access,
				fields{"address": strings.Repeat("ü", 255), "city": strings.Repeat("ü", 100), "state": strings.Repeat("ü", 100), "zipCode": strings.Repeat("0", 20)},
				200, fields{"address": strings.Repeat("ü", 255), "zipCode": strings.Repeat("0", 20), "timezone": "Africa/Lagos"},
			},
			{"an address of 256 characters", owner.Access, fields{"address": strings.Repeat("a", 256)}, 422, nil},
			{"a city of 101 characters", owner.Access, fields{"city": strings.Repeat("a", 101)}, 422, nil},
			{"a state of 101 characters", owner.Access, fields{"state": strings.Repeat("a", 101)}, 422, nil},
			{"a zip code of 21 characters", owner.Access, fields{"zipCode": strings.Repeat("a", 21)}, 422, nil},
			{"two wrong fields and a right one", owner.Access, fields{"name": "Other", "country": "X", "city": strings.Repeat("a", 101)}, 422, nil},
			{"nothing of what was refused", owner.Access, fields{}, 200, fields{"name": "Duka", "country": "TZ"}},
			{"null for what may be empty", owner.Access, fields{"address": nil, "city": nil, "state": nil, "zipCode": ""}, 200, fields{"address": nil, "city": nil, "state": nil, "zipCode": nil}},
			{"fields that are not the customer's", owner.Access, fields{"status": "suspended", "type": "reseller", "id": owner.ID}, 200, fields{"status": "active", "type": "direct", "id": owner.AccountID}},
			{"a body that is no object", owner.Access, "[]", 422, nil},
			{"a body that is no JSON", owner.Access, "{", 400, nil},
			{"a member", member.Access, fields{"name": "Mine"}, 403, nil},
			{"a member with a wrong body", member.Access, fields{"country": "X"}, 403, nil},
			{"a stranger", "", fields{"name": "Mine"}, 401, nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := in(t, s)
				answer := s.Want(s.Call("PATCH", "/api/v1/accounts/me", c.access, c.body), c.status)
				if c.want == nil {
					return
				}
				got := answer.JSON(t)
				wantFields(t, got, accountFields)
				for key, want := range c.want {
					if got[key] != want {
						t.Errorf("%s is %v, want %v", key, got[key], want)
					}
				}
			})
		}
		shown := s.Want(s.Call("GET", "/api/v1/accounts/me", member.Access, nil), 200).JSON(t)
		wantFields(t, shown, accountFields)
		if shown["name"] != "Duka" || shown["country"] != "TZ" {
			t.Errorf("shown: %v", shown)
		}
	})
}
