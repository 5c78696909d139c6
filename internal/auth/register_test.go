package auth_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ujumbe/internal/server/servertest"
)

func each(t *testing.T, test func(t *testing.T, h house)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) { test(t, house{s}) })
}

// newcomer is the body of a good registration.
func newcomer(email string) body {
	return body{"accountName": "Duka la Asha", "firstName": "Asha", "lastName": "Juma", "email": email, "password": servertest.Password}
}

// null is an object with one field null.
func null(object body, field string) body {
	changed := maps.Clone(object)
	changed[field] = nil
	return changed
}

func TestRegistrationMakesAnUnverifiedOwnerAndIssuesNoTokens(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		email := servertest.Email()
		given := with(newcomer("  "+strings.ToUpper(email)+" "), body{
			"firstName": " Asha ", "role": "admin", "isVerified": true, "accountId": "01980d5e-7c1a-7000-8000-5b1f0c8e2a11",
		})
		answer := h.Want(h.post("/register", given), 201).JSON(t)
		wantFields(t, answer, "message", "user", "account")
		user, account := answer["user"].(body), answer["account"].(body)
		wantFields(t, user, slices.Clone(userFields)...)
		wantFields(t, account, "id", "name")
		if user["email"] != strings.ToUpper(email) || user["firstName"] != "Asha" || user["lastName"] != "Juma" || user["role"] != "owner" ||
			user["isVerified"] != false || user["isActive"] != true || user["lastLoginAt"] != nil ||
			user["accountId"] != account["id"] || account["name"] != "Duka la Asha" || answer["message"] == "" {
			t.Errorf("answer: %v", answer)
		}
		if created := moment(t, user["createdAt"]); created != h.Clock.Now() {
			t.Errorf("created at %v, want %v", created, h.Clock.Now())
		}
		if n := h.number(`SELECT COUNT(*) FROM credit WHERE balance = 0 AND currency = 'KES'`); n != 1 {
			t.Errorf("%d empty credit records, want 1", n)
		}
		if n := h.number(`SELECT COUNT(*) FROM session`); n != 0 {
			t.Errorf("%d sessions, want none", n)
		}
		h.Want(h.login(email, servertest.Password), 401)
		h.wantSignedIn(h.post("/verify-email", body{"token": h.Mail.Token(t, email, "/verify-email")}), strings.ToUpper(email))
	})
}

func TestARegisteredEmailIsTakenInAnyLetterCase(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		email := servertest.Email()
		h.Want(h.post("/register", newcomer(email)), 201)
		for _, again := range []string{email, strings.ToUpper(email), "U" + email[1:], email[:len(email)-3] + "COM", " " + email + " "} {
			if a := h.Want(h.post("/register", newcomer(again)), 409); a.Code() != "email_registered" {
				t.Errorf("%q: code %s", again, a.Code())
			}
		}
		h.Want(h.post("/verify-email", body{"token": h.Mail.Token(t, email, "/verify-email")}), 200)
		h.Want(h.post("/register", newcomer(email)), 409)
		if n := h.number(`SELECT COUNT(*) FROM account`); n != 1 {
			t.Errorf("%d organizations, want 1", n)
		}
		if mails := h.Mail.To(email); len(mails) != 1 {
			t.Errorf("%d mails, want 1", len(mails))
		}
	})
}

func TestOfRegistrationsOfOneEmailAtOnceOneSucceeds(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		email := servertest.Email()
		got := atOnce(10, func(i int) servertest.Answer {
			return h.post("/register", newcomer([]string{email, strings.ToUpper(email)}[i%2]))
		})
		if !maps.Equal(got, map[int]int{201: 1, 409: 9}) {
			t.Errorf("got %v", got)
		}
		if n := h.number(`SELECT COUNT(*) FROM account`); n != 1 {
			t.Errorf("%d organizations, want 1", n)
		}
	})
}

func TestRegistrationRefusesWhatIsNotRight(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		good := newcomer("new@example.com")
		rows := []row{
			{"no body", "/register", nil, 422, "validation_failed"},
			{"no JSON", "/register", "{", 400, "bad_request"},
			{"an array", "/register", "[]", 422, "validation_failed"},
			{"null", "/register", "null", 422, "validation_failed"},
			{"a long account name", "/register", with(good, body{"accountName": strings.Repeat("é", 101)}), 422, "validation_failed"},
			{"a long first name", "/register", with(good, body{"firstName": strings.Repeat("a", 101)}), 422, "validation_failed"},
			{"a long last name", "/register", with(good, body{"lastName": strings.Repeat("a", 2000)}), 422, "validation_failed"},
			{"a line break in a name", "/register", with(good, body{"firstName": "Asha\r\nBcc: x@example.com"}), 422, "validation_failed"},
			{"a NUL in a name", "/register", with(good, body{"firstName": "Asha\x00"}), 422, "validation_failed"},
			{"a short password", "/register", with(good, body{"password": "1234567"}), 422, "validation_failed"},
			{"a password of seven letters in fourteen bytes", "/register", with(good, body{"password": "ééééééé"}), 422, "validation_failed"},
			{"a long password", "/register", with(good, body{"password": strings.Repeat("a", 257)}), 422, "validation_failed"},
		}
		for field := range good {
			rows = append(rows,
				row{"no " + field, "/register", with(good, body{field: nil}), 422, "validation_failed"},
				row{field + " null", "/register", null(good, field), 422, "validation_failed"},
				row{field + " empty", "/register", with(good, body{field: ""}), 422, "validation_failed"},
				row{field + " a number", "/register", with(good, body{field: 12345678}), 422, "validation_failed"},
				row{field + " an array", "/register", with(good, body{field: []string{"x"}}), 422, "validation_failed"},
			)
			if field != "password" {
				rows = append(rows, row{field + " blank", "/register", with(good, body{field: " \t "}), 422, "validation_failed"})
			}
		}
		for _, email := range []string{
			"new", "new@", "@example.com", "new@example", "new example@example.com", "a@b@example.com", "New <new@example.com>",
			"new@example.com\nBcc: x@example.com", "new@[127.0.0.1]", strings.Repeat("a", 65) + "@example.com", strings.Repeat("a", 300) + "@example.com",
		} {
			rows = append(rows, row{"email " + email[:min(len(email), 40)], "/register", with(good, body{"email": email}), 422, "validation_failed"})
		}
		h.run(t, rows)
		if n := h.number(`SELECT COUNT(*) FROM users`); n != 0 {
			t.Errorf("%d users were made", n)
		}
	})
}

func TestRegistrationTakesWhatIsJustRight(t *testing.T) {
	each(t, func(t *testing.T, h house) {
		for name, changes := range map[string]body{
			"eight characters":     {"password": "12345678"},
			"a common password":    {"password": "password123"},
			"256 characters":       {"password": strings.Repeat("é", 256)},
			"spaces at the edges":  {"password": "  12345678  "},
			"a name of 100":        {"accountName": strings.Repeat("é", 100), "firstName": strings.Repeat("a", 100)},
			"a name of one letter": {"accountName": "x", "lastName": "y"},
		} {
			t.Run(name, func(t *testing.T) {
				h, email := h.on(t), servertest.Email()
				given := with(newcomer(email), changes)
				h.Want(h.post("/register", given), 201)
				h.Want(h.post("/verify-email", body{"token": h.Mail.Token(t, email, "/verify-email")}), 200)
				h.Want(h.login(email, given["password"].(string)), 200)
				h.Want(h.login(email, strings.TrimSpace(given["password"].(string))+" "), 401)
			})
		}
	})
}

func TestBodiesOfAnotherTypeOrSizeAreRefused(t *testing.T) {
	each(t, func(_ *testing.T, h house) {
		h.Want(h.post("/login", "email=a@example.com&password=12345678", "Content-Type", "application/x-www-form-urlencoded"), 415)
		h.Want(h.post("/login", `{"email":"`+strings.Repeat("a", 2<<20)+`","password":"x"}`), 413)
	})
}
