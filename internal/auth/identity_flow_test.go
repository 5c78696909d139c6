package auth_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/config"
	"ujumbe/internal/server/servertest"
)

func TestEverySlotSignsInInDevelopmentWithNothingButTheCode(t *testing.T) {
	eachWorld(t, nil, func(t *testing.T, w *world) {
		for _, slot := range config.SlotNames {
			email := servertest.Email()
			user := w.signIn(slot, as(email))
			if user["email"] != email || user["role"] != "owner" || user["isVerified"] != true || user["isActive"] != true || user["lastLoginAt"] == nil {
				t.Errorf("%s: %v", slot, user)
			}
			if again := w.signIn(slot, as(email)); again["id"] != user["id"] || again["accountId"] != user["accountId"] {
				t.Errorf("%s: second sign-in is another user", slot)
			}
		}
	}, inDevelopment)
}

func TestSlotWithoutConfigurationDoesNotExistOutsideDevelopment(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		for _, slot := range []string{"idp_b", "idp_c", "idp_d"} {
			wantCode(t, w.Call("GET", "/api/v1/auth/"+slot, "", nil), 404, "identity_provider_not_configured")
			wantCode(t, w.Call("POST", "/api/v1/auth/"+slot+"/callback", "", map[string]any{"code": "x"}), 404, "identity_provider_not_configured")
			w.Want(w.Call("POST", "/auth/callback/"+slot, "", "code=x", "Content-Type", "application/x-www-form-urlencoded"), 404)
		}
		w.Want(w.Call("GET", "/api/v1/auth/idp_e", "", nil), 404)
		w.Want(w.Call("POST", "/api/v1/auth/idp_e/callback", "", map[string]any{"code": "x"}), 404)
		for _, slot := range config.SlotNames {
			for _, path := range []string{"/authorize", "/token", "/jwks", "/.well-known/openid-configuration"} {
				w.Want(w.Call("GET", "/dev/idp/"+slot+path, "", nil), 404)
				w.Want(w.Call("POST", "/dev/idp/"+slot+path, "", nil), 404)
			}
		}
	})
}

func TestFlowBelongsToWhoeverBeganIt(t *testing.T) {
	eachWorld(t, []string{"idp_a", "idp_b"}, func(t *testing.T, w *world) {
		person := func() url.Values { return as(servertest.Email()) }
		asBrowser := func(w *world) begun { return w.consent(w.begin("idp_a", browser...), person()) }
		withCookie := func(b begun) []string { return append(slices.Clone(browser), "Cookie", b.cookie) }

		w.run(t, "a program sends nothing but the code", func(_ *testing.T, w *world) {
			w.Want(w.callback(w.arrive("idp_a", person()), nil), 200)
		})
		w.run(t, "a program sends the state too", func(_ *testing.T, w *world) {
			b := w.arrive("idp_a", person())
			w.Want(w.callback(b, map[string]any{"state": b.state}), 200)
		})
		w.run(t, "a browser sends its cookie", func(_ *testing.T, w *world) {
			b := asBrowser(w)
			w.Want(w.callback(b, nil, withCookie(b)...), 200)
		})
		w.run(t, "a browser sends the state", func(_ *testing.T, w *world) {
			b := asBrowser(w)
			w.Want(w.callback(b, map[string]any{"state": b.state}, browser...), 200)
		})
		w.run(t, "a browser sends both", func(_ *testing.T, w *world) {
			b := asBrowser(w)
			w.Want(w.callback(b, map[string]any{"state": b.state}, withCookie(b)...), 200)
		})
		w.run(t, "a browser sends neither", func(t *testing.T, w *world) {
			wantCode(t, w.callback(asBrowser(w), nil, browser...), 400, "state_required")
			wantCode(t, w.callback(w.arrive("idp_a", person()), nil, browser...), 400, "state_required")
		})
		w.run(t, "the older of two tabs", func(_ *testing.T, w *world) {
			first := asBrowser(w)
			second := w.consent(w.begin("idp_a", withCookie(first)...), person())
			w.Want(w.callback(first, map[string]any{"state": first.state}, withCookie(second)...), 200)
		})
		w.run(t, "code of one browser posted by another", func(t *testing.T, w *world) {
			mine, theirs := asBrowser(w), asBrowser(w)
			wantCode(t, w.callback(mine, nil, withCookie(theirs)...), 400, "invalid_code")
			wantCode(t, w.callback(theirs, map[string]any{"state": theirs.state}, withCookie(mine)...), 400, "invalid_flow")
			wantCode(t, w.callback(asBrowser(w), map[string]any{"state": theirs.state}, browser...), 400, "invalid_code")
		})
		w.run(t, "code of a browser posted by a program", func(t *testing.T, w *world) {
			wantCode(t, w.callback(asBrowser(w), nil), 400, "invalid_code")
		})
		w.run(t, "flow of another slot", func(t *testing.T, w *world) {
			b := w.arrive("idp_a", person())
			b.slot = "idp_b"
			wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_flow")
			wantCode(t, w.callback(b, nil), 400, "invalid_code")
		})
		w.run(t, "unknown state", func(t *testing.T, w *world) {
			b := w.arrive("idp_a", person())
			for _, state := range []string{"nonsense", strings.Repeat("A", 43)} {
				wantCode(t, w.callback(b, map[string]any{"state": state}), 400, "invalid_flow")
			}
		})
		w.run(t, "unknown code", func(t *testing.T, w *world) {
			b := w.begin("idp_a")
			b.code = "guessed"
			wantCode(t, w.callback(b, nil), 400, "invalid_code")
			w.Want(w.callback(begun{slot: "idp_a"}, nil), 422)
			w.Want(w.Call("POST", "/api/v1/auth/idp_a/callback", "", map[string]any{}), 422)
		})
		w.run(t, "a replay", func(t *testing.T, w *world) {
			b := w.arrive("idp_a", person())
			w.Want(w.callback(b, nil), 200)
			wantCode(t, w.callback(b, nil), 400, "invalid_code")
			wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_flow")
		})
		w.run(t, "older than ten minutes", func(t *testing.T, w *world) {
			b, c := w.arrive("idp_a", person()), w.arrive("idp_a", person())
			w.Clock.Advance(10*time.Minute + time.Second)
			wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_flow")
			w.Want(w.callback(c, nil), 400)
		})
	})
}

func TestFlowIsBoundToSlotEvenWhereTwoSlotsShareAProvider(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		b := w.arrive("idp_a", as(servertest.Email()))
		b.slot = "idp_b"
		wantCode(t, w.callback(b, map[string]any{"state": b.state}), 400, "invalid_flow")
		wantCode(t, w.callback(b, nil), 400, "invalid_flow")
		if n := w.count("users"); n != 0 {
			t.Errorf("%d users made", n)
		}
	}, func(c *config.Config) {
		c.IDPB = c.IDPA
		c.IDPB.RedirectURL = publicURL + "/auth/callback/idp_a"
	})
}

func TestFlowIsSpentOnceThoughTheProviderTakesCodesTwice(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		w.providers["idp_a"].KeepCodes = true
		for name, more := range map[string]func(begun) map[string]any{
			"by state": func(b begun) map[string]any { return map[string]any{"state": b.state} },
			"by nonce": func(begun) map[string]any { return nil },
		} {
			w.run(t, name, func(t *testing.T, w *world) {
				b := w.arrive("idp_a", as(servertest.Email()))
				got := atOnce(8, func(int) servertest.Answer { return w.callback(b, more(b)) })
				if !maps.Equal(got, map[int]int{200: 1, 400: 7}) {
					t.Errorf("got %v", got)
				}
			})
		}
	})
}

func TestProgramCanNotFinishABrowsersFlowThoughTheProviderForgetsPKCE(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		b := w.begin("idp_a", browser...)
		address, err := url.Parse(b.url)
		if err != nil {
			t.Fatal(err)
		}
		query := address.Query()
		if query.Get("code_challenge_method") != "S256" || query.Get("code_challenge") == "" {
			t.Fatalf("no PKCE for a browser: %s", b.url)
		}
		query.Del("code_challenge")
		query.Del("code_challenge_method")
		address.RawQuery = query.Encode()
		b.url = address.String()
		wantCode(t, w.callback(w.consent(b, as(servertest.Email())), nil), 400, "invalid_flow")
		if n := w.count("users"); n != 0 {
			t.Errorf("%d users made", n)
		}
	})
}

func TestFlowCookieSuitsThePublicAddress(t *testing.T) {
	for _, row := range []struct {
		publicURL string
		cookies   []string
	}{
		{"https://sms.example.com", []string{"__Host-ujumbe-flow"}},
		{"http://localhost:8080", []string{"__Host-ujumbe-flow", "ujumbe-flow"}},
		{"http://127.0.0.1:8080", []string{"__Host-ujumbe-flow", "ujumbe-flow"}},
		{"http://sms.example.com", nil},
	} {
		t.Run(row.publicURL, func(t *testing.T) {
			eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
				answer := w.Want(w.Call("GET", "/api/v1/auth/idp_a", "", nil, browser...), 200)
				var names []string
				for _, line := range answer.Header.Values("Set-Cookie") {
					name, rest, _ := strings.Cut(line, "=")
					names = append(names, name)
					for _, part := range []string{"; Path=/", "; HttpOnly", "; SameSite=Lax", "; Max-Age=600"} {
						if !strings.Contains(rest, part) {
							t.Errorf("%s lacks %q: %s", name, part, rest)
						}
					}
					if strings.Contains(rest, "Domain=") || strings.Contains(rest, "; Secure") != strings.HasPrefix(name, "__Host-") {
						t.Errorf("%s: %s", name, rest)
					}
				}
				if !slices.Equal(names, row.cookies) {
					t.Errorf("cookies %v, want %v", names, row.cookies)
				}
				address, _ := answer.JSON(t)["url"].(string)
				if parsed, err := url.Parse(address); err != nil || parsed.Query().Get("redirect_uri") != row.publicURL+"/auth/callback/idp_a" {
					t.Errorf("redirect address in %s", address)
				}
			}, func(c *config.Config) { c.PublicURL = row.publicURL })
		})
	}
}

func TestRateLimitBoundsFlowsAndFailuresOfAnAddress(t *testing.T) {
	eachWorld(t, []string{"idp_a"}, func(t *testing.T, w *world) {
		begin := func() servertest.Answer { return w.Call("GET", "/api/v1/auth/idp_a", "", nil) }
		for range 600 {
			w.Want(begin(), 200)
		}
		if a := w.Want(begin(), 429); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		for range 300 {
			w.Want(w.callback(begun{slot: "idp_a", code: "x"}, nil), 400)
		}
		w.Want(w.callback(begun{slot: "idp_a", code: "x"}, nil), 429)
		w.Clock.Advance(15*time.Minute + time.Second)
		w.Want(begin(), 200)
	}, func(c *config.Config) { c.RateLimits = true })
}
