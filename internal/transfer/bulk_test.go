package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

func bulk(s *servertest.Server, access, body string) servertest.Answer {
	s.T.Helper()
	return s.Call("POST", "/api/v1/contacts/bulk", access, body)
}

func TestBulkCountsLikeAFile(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		for name, row := range map[string]struct {
			body    string
			want    counts
			reasons []string
		}{
			"two contacts":   {`{"contacts":[{"phone":"+254712345678","firstName":"Asha","tags":["vip"]},{"phone":"+447911123456"}]}`, counts{2, 1, 1, 0}, nil},
			"nobody":         {`{"contacts":[]}`, counts{}, nil},
			"phone a number": {`{"contacts":[{"phone":254712345678},{"phone":2.54713e11}]}`, counts{1, 1, 0, 1}, []string{"rounded_number"}},
			"twice":          {`{"contacts":[{"phone":"254712345678"},{"phone":"+254 712 345 678"}]}`, counts{1, 1, 0, 1}, []string{"duplicate_in_file"}},
			"no contacts among them": {`{"contacts":[1,"x",null,[],{},{"phone":null},{"phone":{}},{"phone":"254712345678"}]}`, counts{1, 1, 0, 7},
				[]string{"not_a_contact", "not_a_contact", "phone_no_digits", "not_a_contact", "phone_no_digits", "phone_no_digits", "phone_no_digits"}},
			"unknown fields":  {`{"more":{"deep":[1]},"contacts":[{"phone":"254712345678","age":7}],"listId":null}`, counts{1, 1, 0, 0}, nil},
			"strange letters": {`{"contacts":[{"phone":"254712345678","firstName":"A\u0000\ud800","notes":"\u0007"}]}`, counts{1, 1, 0, 0}, nil},
		} {
			t.Run(name, func(t *testing.T) {
				owner := s.Owner()
				answer := bulk(s, owner.Access, row.body)
				if got := countsOf(t, answer); got != row.want {
					t.Errorf("%+v, want %+v", got, row.want)
				}
				if n := total(t, s, owner.Access, ""); n != row.want.Imported {
					t.Errorf("%d stored", n)
				}
				var reasons []string
				for _, reject := range rowsAt(t, s, owner.Access, answer.Header.Get("Location")+"/rejects") {
					reasons = append(reasons, reject[1])
				}
				if fmt.Sprint(reasons) != fmt.Sprint(row.reasons) {
					t.Errorf("%v, want %v", reasons, row.reasons)
				}
			})
		}
	})
}

func TestBulkLeavesOutWhatCantBeKept(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		answer := bulk(s, owner.Access, `{"contacts":[
			{"phone":"254712345678","firstName":{},"email":"nobody","tags":["a",{}],"notes":7},
			{"phone":"254712345679","tags":"x; y","lastName":true}]}`)
		if got := countsOf(t, answer); got.Imported != 2 {
			t.Errorf("%+v", got)
		}
		rows := rowsAt(t, s, owner.Access, answer.Header.Get("Location")+"/amended")
		if len(rows) != 2 || rows[0][1] != "invalid_first_name;invalid_email;invalid_tags" || rows[1][1] != "invalid_last_name" {
			t.Errorf("%q", rows)
		}
		contacts := s.Want(s.Call("GET", "/api/v1/contacts", owner.Access, nil), 200).JSON(t)["contacts"].([]any)
		if got := fmt.Sprint(contacts[0].(map[string]any)["notes"], contacts[0].(map[string]any)["tags"], contacts[1].(map[string]any)["tags"]); got != "7[] [x y]" {
			t.Errorf("kept %s", got)
		}
	})
}

func TestBulkBodyOfTheWrongShapeStoresNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, stranger := s.Owner(), s.Owner()
		foreign := newList(t, s, stranger.Access)
		good := `{"phone":"254712345678"}`
		many := strings.TrimSuffix(strings.Repeat(good+",", 6000), ",")
		for name, row := range map[string]struct {
			body   string
			status int
			code   string
		}{
			"nothing":                 {" ", 422, "validation_failed"},
			"no object":               {`[` + good + `]`, 422, "validation_failed"},
			"no contacts":             {`{}`, 422, "validation_failed"},
			"contacts an object":      {`{"contacts":{}}`, 422, "validation_failed"},
			"contacts null":           {`{"contacts":null}`, 422, "validation_failed"},
			"contacts twice":          {`{"contacts":[` + good + `],"contacts":[]}`, 422, "validation_failed"},
			"list a number":           {`{"contacts":[` + good + `],"listId":7}`, 422, "validation_failed"},
			"list no id":              {`{"contacts":[` + good + `],"listId":"x"}`, 422, "validation_failed"},
			"foreign list at the end": {`{"contacts":[` + good + `],"listId":"` + foreign + `"}`, 422, "unknown_list"},
			"broken at the end":       {`{"contacts":[` + many + `],"x":}`, 400, "bad_request"},
			"cut short":               {`{"contacts":[` + many, 400, "bad_request"},
			"more behind the end":     {`{"contacts":[` + good + `]} {}`, 400, "bad_request"},
			"one huge contact":        {`{"contacts":[{"phone":"254712345678","notes":"` + strings.Repeat("x", 1_100_000) + `"}]}`, 422, "validation_failed"},
			"too large":               {`{"contacts":[` + strings.Repeat(good+",", 100_000) + good + `]}`, 413, "body_too_large"},
		} {
			t.Run(name, func(t *testing.T) {
				if answer := s.Want(bulk(s, owner.Access, row.body), row.status); answer.Code() != row.code {
					t.Errorf("%s, want %s", answer.Body, row.code)
				}
			})
		}
		if n := total(t, s, owner.Access, ""); n != 0 {
			t.Errorf("%d contacts stored", n)
		}
	}, func(c *config.Config) { c.MaxBulkBytes = 2 << 20 })
}

func TestBulkListMayStandAnywhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner := s.Owner()
		list := newList(t, s, owner.Access)
		countsOf(t, bulk(s, owner.Access, `{"listId":"`+list+`","contacts":[{"phone":"254712345678"}]}`))
		countsOf(t, bulk(s, owner.Access, `{"contacts":[{"phone":"254712345679"}],"listId":"`+list+`"}`))
		if n := contactCount(t, s, owner.Access, list); n != 2 {
			t.Errorf("contactCount %d", n)
		}
	})
}
