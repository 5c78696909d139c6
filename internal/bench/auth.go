package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
)

const (
	clients = 16
	// What another self-hosted product of this kind does on two cores, in
	// requests a second. Its logins hash with bcrypt.
	rivalMe      = 1340
	rivalLogin   = 23
	rivalRefresh = 300
	// crowd is how many logins come at once, and crowdRoom the memory they may
	// cost.
	crowd     = 2000
	crowdRoom = 256 << 20
)

func measureAuth(ctx context.Context, b *bench) error {
	n, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	tokens, err := n.Customer(ctx, "bench@example.com")
	if err != nil {
		return err
	}
	for _, measure := range []func(context.Context, *bench, *node, process.Tokens) error{measureMe, measureLogin, measureRefresh, measureCrowd} {
		if err := measure(ctx, b, n, tokens); err != nil {
			return err
		}
	}
	return nil
}

func measureMe(ctx context.Context, b *bench, n *node, tokens process.Tokens) error {
	client := newClient(clients)
	get := func(path string) func() (float64, error) {
		return func() (float64, error) {
			return rate(ctx, clients, b.time, func(ctx context.Context, _ int) error {
				return request(ctx, client, http.MethodGet, n.URL+path, tokens.Access, "")
			})
		}
	}
	rates, err := inTurns(turns, get("/healthz"), get("/api/v1/users/me"))
	if err != nil {
		return err
	}
	bare, me := rates[0], rates[1]
	b.table.add(row{"GET /users/me, 16 clients", b.engine.name, perSecond, me, "rival product, two cores", rivalMe})
	b.table.add(row{"", b.engine.name, perSecond, me, "GET /healthz: HTTP without work", bare})
	return nil
}

func measureLogin(ctx context.Context, b *bench, n *node, _ process.Tokens) error {
	client, body := newClient(clients), credentials()
	rates, err := inTurns(turns, func() (float64, error) {
		// The parameters of internal/token.
		return rate(ctx, runtime.NumCPU(), b.time, func(context.Context, int) error {
			argon2.IDKey([]byte(process.Password), []byte("sixteen bytes :)"), 2, 19*1024, 1, 32)
			return nil
		})
	}, func() (float64, error) {
		return rate(ctx, clients, b.time, func(ctx context.Context, _ int) error {
			return request(ctx, client, http.MethodPost, n.URL+"/api/v1/auth/login", "", body)
		})
	})
	if err != nil {
		return err
	}
	b.table.add(row{"POST /auth/login, 16 clients", b.engine.name, perSecond, rates[1], "bare argon2id on the same cores", rates[0]})
	b.table.add(row{"", b.engine.name, perSecond, rates[1], "rival product, two cores", rivalLogin})
	return nil
}

func credentials() string {
	body, _ := json.Marshal(map[string]string{"email": "bench@example.com", "password": process.Password})
	return string(body)
}

func measureRefresh(ctx context.Context, b *bench, n *node, _ process.Tokens) error {
	tokens := make([]string, clients)
	for i := range tokens {
		a := n.Call(ctx, http.MethodPost, "/api/v1/auth/login", "", json.RawMessage(credentials()))
		if a.Status != http.StatusOK {
			return fmt.Errorf("login: %d %s", a.Status, a.Body)
		}
		tokens[i] = a.Field("refreshToken")
	}
	bare, closeBare, err := b.bareCommits(ctx)
	if err != nil {
		return err
	}
	defer closeBare()
	rates, err := inTurns(turns, bare, func() (float64, error) {
		return rate(ctx, clients, b.time, func(ctx context.Context, worker int) error {
			a := n.Call(ctx, http.MethodPost, "/api/v1/auth/refresh", "", map[string]string{"refreshToken": tokens[worker]})
			if a.Status != http.StatusOK {
				return fmt.Errorf("refresh: %d %s", a.Status, a.Body)
			}
			tokens[worker] = a.Field("refreshToken")
			return nil
		})
	})
	if err != nil {
		return err
	}
	b.table.add(row{"POST /auth/refresh, 16 clients", b.engine.name, perSecond, rates[1], "bare commits of an update and an insert", rates[0]})
	b.table.add(row{"", b.engine.name, perSecond, rates[1], "rival product, two cores", rivalRefresh})
	return nil
}

// bareCommits measures how many durable transactions of an update and an insert
// the engine does a second for 16 writers, with nothing around them.
func (b *bench) bareCommits(ctx context.Context) (measure func() (float64, error), closeAll func(), err error) {
	n, err := b.prepare(ctx)
	if err != nil {
		return nil, nil, err
	}
	db, err := openBare(ctx, n.database)
	if err != nil {
		n.close()
		return nil, nil, err
	}
	count := make([]int, clients)
	measure = func() (float64, error) {
		return rate(ctx, clients, b.time, func(ctx context.Context, worker int) error {
			count[worker]++
			token := fmt.Sprintf("%032d-%d", worker, count[worker])
			return db.InTx(ctx, func(tx database.Tx) error {
				if _, err := tx.Exec(ctx, `UPDATE holder SET token = $2 WHERE id = $1`, worker, token); err != nil {
					return err
				}
				return tx.Queue(ctx, `INSERT INTO spent (token, holder) VALUES ($2, $1)`, worker, token)
			})
		})
	}
	return measure, func() {
		_ = db.Close()
		n.close()
	}, nil
}

// openBare opens a database with a row for each client.
func openBare(ctx context.Context, address string) (*database.DB, error) {
	db, err := database.Open(ctx, address, database.Options{})
	if err != nil {
		return nil, err
	}
	statements := []string{
		`CREATE TABLE holder (id INTEGER NOT NULL PRIMARY KEY, token TEXT NOT NULL)`,
		`CREATE TABLE spent (token TEXT NOT NULL PRIMARY KEY, holder INTEGER NOT NULL)`,
	}
	for worker := range clients {
		statements = append(statements, fmt.Sprintf(`INSERT INTO holder (id, token) VALUES (%d, '')`, worker))
	}
	for _, statement := range statements {
		if _, err := db.Exec(ctx, statement); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// measureCrowd sends all logins at once and sees what it costs the server and
// the other requests.
func measureCrowd(ctx context.Context, b *bench, n *node, tokens process.Tokens) error {
	n.Kill() // for an honest peak of memory
	if _, err := n.restart(ctx); err != nil {
		return err
	}
	me := func() error {
		return request(ctx, http.DefaultClient, http.MethodGet, n.URL+"/api/v1/users/me", tokens.Access, "")
	}
	quiet, err := sample(ctx, b.time/3, me)
	if err != nil {
		return err
	}
	idle, client, body := n.Memory(), newClient(crowd), credentials()
	var (
		logins   sync.WaitGroup
		mu       sync.Mutex
		statuses = map[bool]int{}
		busy     times
	)
	for range crowd {
		logins.Go(func() {
			err := request(ctx, client, http.MethodPost, n.URL+"/api/v1/auth/login", "", body)
			mu.Lock()
			defer mu.Unlock()
			statuses[err == nil]++
		})
	}
	done := make(chan struct{})
	go func() {
		logins.Wait()
		close(done)
	}()
	for waiting := true; waiting; {
		began := time.Now()
		if err := me(); err != nil {
			return err
		}
		busy = append(busy, time.Since(began))
		select {
		case <-done:
			waiting = false
		default:
		}
	}
	slices.Sort(busy)
	path := fmt.Sprintf("2,000 logins at once (%d let in)", statuses[true])
	b.table.add(row{path + ": memory above idle", b.engine.name, mebibytes, mib(n.PeakMemory() - idle), "promised", mib(crowdRoom)})
	b.table.add(row{"GET /users/me meanwhile, median", b.engine.name, milliseconds, ms(busy.at(0.5)), "the same on an idle server", ms(quiet.at(0.5))})
	return nil
}
