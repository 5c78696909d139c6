package mail_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"ujumbe/internal/fault"
	"ujumbe/internal/mail"
)

func TestParseAddress(t *testing.T) {
	label := strings.Repeat("a", 63)
	for name, c := range map[string]struct {
		in string
		ok bool
	}{
		"plain":                          {"amina@example.com", true},
		"kept as typed":                  {"Amina.Otieno@Example.COM", true},
		"plus and other signs":           {"a+b_c-d'e!#$%&*/=?^`{|}~@example.com", true},
		"subdomain":                      {"a@mail.dept.example.co.ke", true},
		"digits in labels":               {"a@1st.example4.com", true},
		"international domain":           {"a@bücher.example", true},
		"international domain in ASCII":  {"a@xn--bcher-kva.example", true},
		"local part of 64":               {strings.Repeat("a", 64) + "@example.com", true},
		"label of 63":                    {"a@" + label + ".com", true},
		"254 in all":                     {strings.Repeat("a", 64) + "@" + label + "." + label + "." + strings.Repeat("b", 61), true},
		"255 in all":                     {strings.Repeat("a", 64) + "@" + label + "." + label + "." + strings.Repeat("b", 62), false},
		"254 only before ASCII":          {"a@" + strings.Repeat("ü.", 80) + "example", false},
		"empty":                          {"", false},
		"no at":                          {"example.com", false},
		"two ats":                        {"a@b@example.com", false},
		"no local part":                  {"@example.com", false},
		"no domain":                      {"a@", false},
		"domain of one label":            {"a@localhost", false},
		"display name":                   {"Amina <a@example.com>", false},
		"angle brackets":                 {"<a@example.com>", false},
		"comment":                        {"a@example.com (Amina)", false},
		"quoted local part":              {`"a b"@example.com`, false},
		"needless quotes":                {`"a"@example.com`, false},
		"list":                           {"a@example.com,b@example.com", false},
		"leading space":                  {" a@example.com", false},
		"trailing space":                 {"a@example.com ", false},
		"line break":                     {"a@example.com\r\nBcc: b@example.com", false},
		"trailing line feed":             {"a@example.com\n", false},
		"NUL":                            {"a\x00@example.com", false},
		"dots in a row":                  {"a..b@example.com", false},
		"leading dot":                    {".a@example.com", false},
		"trailing dot of the local part": {"a.@example.com", false},
		"trailing dot of the domain":     {"a@example.com.", false},
		"label of 64":                    {"a@" + label + "a.com", false},
		"local part of 65":               {strings.Repeat("a", 65) + "@example.com", false},
		"label begins with hyphen":       {"a@-x.com", false},
		"label ends with hyphen":         {"a@x-.com", false},
		"underscore in the domain":       {"a@x_y.com", false},
		"address literal":                {"a@[127.0.0.1]", false},
		"numbers for a domain":           {"a@127.0.0.1", false},
		"broken international label":     {"a@xn--zzzzzzzzzz99.com", false},
		"full-width at in the domain":    {"a@x＠example.com", false},
		"local part beyond ASCII":        {"аmina@example.com", false},
		"invalid UTF-8":                  {"a\xff@example.com", false},
		"percent in the domain":          {"a@ex%61mple.com", false},
		"bidi override":                  {"a@\u202eexample.com", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := mail.ParseAddress(c.in)
			if ok := err == nil; ok != c.ok {
				t.Fatalf("ParseAddress(%q) = %q, %v; want ok %v", c.in, got, err, c.ok)
			}
			if c.ok && got != c.in {
				t.Fatalf("ParseAddress(%q) = %q; want it as typed", c.in, got)
			}
			if !c.ok && !fault.Is(err, fault.KindInvalid) {
				t.Fatalf("error is %v; want a validation fault", err)
			}
			if mail.ValidAddress(c.in) != c.ok {
				t.Fatal("ValidAddress and ParseAddress disagree")
			}
		})
	}
}

func TestAddressKeyIsOneForAllSpellingsOfAMailbox(t *testing.T) {
	for _, same := range [][]string{
		{"amina@example.com", "Amina@Example.com", "AMINA@EXAMPLE.COM"},
		{"a@bücher.example", "A@BÜCHER.example", "a@xn--bcher-kva.example", "a@bücher。example"},
	} {
		for _, spelling := range same {
			if got, want := mail.AddressKey(spelling), mail.AddressKey(same[0]); got != want {
				t.Errorf("AddressKey(%q) = %q; want %q", spelling, got, want)
			}
		}
	}
}

func TestAddressKeyOfNoAddressIsNoAddressesKey(t *testing.T) {
	for _, s := range []string{"", "nobody", "\u212aate@example.com", "Kate <kate@example.com>", " kate@example.com"} {
		if key := mail.AddressKey(s); key == "kate@example.com" || mail.ValidAddress(key) {
			t.Errorf("AddressKey(%q) = %q", s, key)
		}
	}
}

// addresses generates addresses that the rule takes.
func addresses() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		local := rapid.StringMatching(`[a-zA-Z0-9+_-]{1,20}(\.[a-zA-Z0-9]{1,20})?`).Draw(t, "local")
		domain := rapid.StringMatching(`([a-zA-Z0-9]([a-zA-Z0-9]{0,10}[a-zA-Z0-9])?\.){1,3}[a-zA-Z]{2,10}`).Draw(t, "domain")
		return local + "@" + domain
	})
}

func TestEveryOrdinaryAddressIsTakenWithAStableKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := addresses().Draw(t, "address")
		if !mail.ValidAddress(address) {
			t.Fatalf("%q refused", address)
		}
		key := mail.AddressKey(address)
		if key != strings.ToLower(address) || mail.AddressKey(key) != key {
			t.Fatalf("key of %q is %q", address, key)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"a@example.com", "A@bücher.example", `"a b"@x.y`, "a@b\r\nBcc: c@d.e", "<a@b.c>", "a@[1.2.3.4]", "a@x。y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := mail.ParseAddress(s)
		key := mail.AddressKey(s)
		if mail.AddressKey(key) != key {
			t.Fatalf("key of key of %q differs", s)
		}
		if err != nil {
			return
		}
		local, domain, _ := strings.Cut(got, "@")
		switch {
		case got != s, len(s) > 254, !utf8.ValidString(s), len(local) > 64, strings.Count(s, "@") != 1:
			t.Fatalf("took %q", s)
		case strings.ContainsAny(s, " \t\r\n\x00\"<>(),;\\[]"):
			t.Fatalf("took %q with a sign that is no part of an address", s)
		case !mail.ValidAddress(key), !strings.Contains(key[strings.IndexByte(key, '@'):], "."):
			t.Fatalf("key %q of %q (domain %q) is no address", key, s, domain)
		}
	})
}

func TestParseFrom(t *testing.T) {
	for in, want := range map[string]mail.From{
		"no-reply@example.com":                  {Address: "no-reply@example.com"},
		"Ujumbe <no-reply@example.com>":         {Name: "Ujumbe", Address: "no-reply@example.com"},
		`"Ujumbe, Ltd." <no-reply@example.com>`: {Name: "Ujumbe, Ltd.", Address: "no-reply@example.com"},
		"Ujumbé <no-reply@example.com>":         {Name: "Ujumbé", Address: "no-reply@example.com"},
		"ujumbe@localhost":                      {Address: "ujumbe@localhost"},
	} {
		got, err := mail.ParseFrom(in)
		if err != nil || got != want {
			t.Errorf("ParseFrom(%q) = %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "Ujumbe", "a@b@c", "a@", "Ujumbe <a@exa mple.com>", "a@example.com, b@example.com", "a@127.0.0.1"} {
		if got, err := mail.ParseFrom(in); err == nil {
			t.Errorf("ParseFrom(%q) = %+v; want an error", in, got)
		}
	}
}

func TestPlainAddressIsAlwaysAnAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		address := rapid.StringMatching(`[a-zA-Z0-9._+@-]{1,8}@[a-zA-Z0-9.-]{1,12}(\.[a-zA-Z0-9-]{1,4})?`).Draw(t, "address")
		_, err := mail.ParseAddress(address)
		if mail.ValidAddress(address) != (err == nil) {
			t.Errorf("%q: valid %v, but parsing says %v", address, mail.ValidAddress(address), err)
		}
	})
}
