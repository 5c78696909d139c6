package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
)

// The chance that a sample of one case takes longer than one of another. At 0.5
// the time tells nothing; within these bounds 1,000 samples of each don't tell.
const tellTale = 0.55

var chance = unit{name: "AUC", isCost: true, digits: 2}

// timed is a group of requests that must not be told apart by their time.
type timed struct {
	path   string
	status int
	cases  []timedCase
}

type timedCase struct {
	name string
	body string
}

// measureTiming sends requests about known and unknown addresses by turns and
// prints, for each pair of cases, the chance that the first takes longer.
func measureTiming(ctx context.Context, b *bench) error {
	n, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	if err := n.makePeople(ctx); err != nil {
		return err
	}
	for _, g := range timedGroups() {
		samples, err := g.sample(ctx, n, b.samples)
		if err != nil {
			return err
		}
		worst := g.print(os.Stdout, b.engine.name, samples)
		b.table.add(row{"POST " + g.path + ": known told from unknown by time", b.engine.name, chance, worst, "0.5: not at all", tellTale})
	}
	return nil
}

// people are users by what keeps them from signing in.
var people = map[string]string{
	"":            "known@example.com",
	"unverified":  "unverified@example.com",
	"deactivated": "deactivated@example.com",
	"no password": "bare@example.com",
}

func (n *node) makePeople(ctx context.Context) error {
	for _, email := range people {
		if a := n.Call(ctx, http.MethodPost, "/api/v1/auth/register", "", process.Registration(email)); a.Status != http.StatusCreated {
			return fmt.Errorf("register %s: %d %s", email, a.Status, a.Body)
		}
	}
	db, err := database.Open(ctx, n.database, database.Options{Shared: true})
	if err != nil {
		return err
	}
	defer db.Close()
	for _, change := range []struct{ statement, of string }{
		{`UPDATE users SET is_verified = (1 = 1) WHERE email <> $1`, "unverified"},
		{`UPDATE membership SET is_active = (1 = 0) WHERE user_id IN (SELECT id FROM users WHERE email = $1)`, "deactivated"},
		{`UPDATE users SET password_hash = NULL WHERE email = $1`, "no password"},
	} {
		if _, err := db.Exec(ctx, change.statement, people[change.of]); err != nil {
			return err
		}
	}
	return nil
}

func timedGroups() []timed {
	login := func(name, email, password string) timedCase {
		body, _ := json.Marshal(map[string]string{"email": email, "password": password})
		return timedCase{name, string(body)}
	}
	all := []timed{{"/auth/login", http.StatusUnauthorized, []timedCase{
		login("wrong password", people[""], "not the password"),
		login("unknown", "nobody@example.com", "not the password"),
		login("unverified", people["unverified"], process.Password),
		login("deactivated", people["deactivated"], process.Password),
		login("no password", people["no password"], process.Password),
		login("empty", people[""], ""),
	}}}
	for _, path := range []string{"/auth/forgot-password", "/auth/magic-link", "/auth/resend-verification"} {
		all = append(all, timed{path, http.StatusOK, []timedCase{
			{"known", `{"email":"` + people[""] + `"}`},
			{"unknown", `{"email":"nobody@example.com"}`},
			{"unverified", `{"email":"` + people["unverified"] + `"}`},
		}})
	}
	return all
}

// sample times each case in turn, so that whatever else the machine does falls
// on all of them.
func (g timed) sample(ctx context.Context, n *node, rounds int) ([]times, error) {
	client, samples := newClient(1), make([]times, len(g.cases))
	const warmup = 10
	for round := range warmup + rounds {
		for i, c := range g.cases {
			took, err := g.time(ctx, client, n.URL, c.body)
			if err != nil {
				return nil, err
			}
			if round >= warmup {
				samples[i] = append(samples[i], took)
			}
		}
	}
	return samples, nil
}

// time is how long one answer takes.
func (g timed) time(ctx context.Context, client *http.Client, server, body string) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server+"/api/v1"+g.path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	took := time.Since(began)
	if err == nil && response.StatusCode != g.status {
		err = fmt.Errorf("%s: %d", g.path, response.StatusCode)
	}
	return took, err
}

// print writes the pairs and returns the one that tells most, as its distance
// from 0.5 above 0.5.
func (g timed) print(w io.Writer, engine string, samples []times) (worst float64) {
	fmt.Fprintf(w, "\nPOST %s on %s, %d samples a case: chance that the row takes longer than the column\n\n", g.path, engine, len(samples[0]))
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range g.cases {
		fmt.Fprintf(out, "\t%s", c.name)
	}
	fmt.Fprintln(out)
	for i, c := range g.cases {
		fmt.Fprintf(out, "%s", c.name)
		for j := range g.cases {
			auc := chanceOver(samples[i], samples[j])
			worst = max(worst, math.Abs(auc-0.5)+0.5)
			fmt.Fprintf(out, "\t%.3f", auc)
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush()
	return worst
}

// chanceOver is the chance that a sample of a takes longer than one of b, where
// equal ones count half: the area under the curve of a test that tells them
// apart by time.
func chanceOver(a, b times) float64 {
	sorted := slices.Sorted(slices.Values(b))
	var sum float64
	for _, t := range a {
		below, _ := slices.BinarySearch(sorted, t)
		upTo, _ := slices.BinarySearchFunc(sorted, t, func(x, y time.Duration) int {
			if x == y {
				return -1
			}
			return cmp.Compare(x, y)
		})
		sum += float64(below+upTo) / 2
	}
	return sum / float64(len(a)*len(b))
}
