package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ujumbe/internal/server/process"
)

// What may remain of a long load once it is over: a few idle connections, and
// memory that the runtime has not given back yet.
const (
	spareGoroutines = 32
	spareMemory     = 32 << 20
)

// measureSoak sends mixed traffic for long and looks for what piles up.
func measureSoak(ctx context.Context, b *bench) error {
	n, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer n.stop()
	s := &soak{node: n}
	for i := range clients {
		c, err := s.newCustomer(ctx, i)
		if err != nil {
			return err
		}
		s.customers = append(s.customers, c)
	}
	idle, err := n.goroutines(ctx)
	if err != nil {
		return err
	}
	// The first third fills caches and pools; what grows after that leaks.
	if err := s.run(ctx, b.soak/3); err != nil {
		return err
	}
	warm := n.Memory()
	s.took = nil
	began := time.Now()
	if err := s.run(ctx, b.soak-b.soak/3); err != nil {
		return err
	}
	answered := float64(len(s.took)) / time.Since(began).Seconds()
	slices.Sort(s.took)
	late := n.Memory()
	n.Rest()
	left, err := s.awaitQuiet(ctx, idle)
	if err != nil {
		return err
	}
	path := fmt.Sprintf("mixed load for %s, 16 customers", b.soak)
	b.table.add(row{path: path, engine: b.engine.name, unit: perSecond, figure: answered})
	b.table.add(row{path: "mixed load: p99", engine: b.engine.name, unit: milliseconds, figure: ms(s.took.at(0.99))})
	b.table.add(row{"mixed load: memory at the end", b.engine.name, mebibytes, mib(late), "memory after a third of it", mib(warm)})
	b.table.add(row{"mixed load: goroutines after it", b.engine.name, count, float64(left), "goroutines before it", float64(idle)})
	if left > idle+spareGoroutines {
		return fmt.Errorf("goroutines leak: %d before, %d after", idle, left)
	}
	if late > warm+warm/4+spareMemory {
		return fmt.Errorf("memory leaks: %.0f MiB after a third, %.0f MiB at the end", mib(warm), mib(late))
	}
	return nil
}

type soak struct {
	node      *node
	customers []*soakCustomer

	mu   sync.Mutex
	took times
}

type soakCustomer struct {
	email, access, refresh, list string
	contacts                     []string
	phones                       int
}

func (s *soak) newCustomer(ctx context.Context, i int) (*soakCustomer, error) {
	c := &soakCustomer{email: fmt.Sprintf("soak%d@example.com", i)}
	tokens, err := s.node.Customer(ctx, c.email)
	if err != nil {
		return nil, err
	}
	c.access, c.refresh = tokens.Access, tokens.Refresh
	made := s.node.Call(ctx, http.MethodPost, "/api/v1/contact-lists", c.access, map[string]any{"name": "Customers"})
	c.list = made.Field("id")
	return c, nil
}

// run lets all customers work for a time. The first failure ends it.
func (s *soak) run(ctx context.Context, during time.Duration) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var working sync.WaitGroup
	began := time.Now()
	for _, c := range s.customers {
		working.Go(func() {
			for ctx.Err() == nil && time.Since(began) < during {
				at := time.Now()
				if err := s.step(ctx, c); err != nil {
					cancel(err)
					return
				}
				s.mu.Lock()
				s.took = append(s.took, time.Since(at))
				s.mu.Unlock()
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// step does one of the things customers do, most often reading.
func (s *soak) step(ctx context.Context, c *soakCustomer) error {
	call := func(method, path string, body any, want int) (process.Answer, error) {
		a := s.node.Call(ctx, method, "/api/v1"+path, c.access, body)
		if a.Status != want && ctx.Err() == nil {
			return a, fmt.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
		}
		return a, nil
	}
	var err error
	switch rand.IntN(20) {
	case 0, 1:
		c.phones++
		var a process.Answer
		a, err = call(http.MethodPost, "/contacts", map[string]any{"phone": fmt.Sprintf("+25471%07d", c.phones), "firstName": "Neema", "listIds": []string{c.list}}, http.StatusCreated)
		c.contacts = append(c.contacts, a.Field("id"))
	case 2:
		if len(c.contacts) > 50 {
			_, err = call(http.MethodDelete, "/contacts/"+c.contacts[0], nil, http.StatusNoContent)
			c.contacts = c.contacts[1:]
		}
	case 3:
		var a process.Answer
		a, err = call(http.MethodPost, "/auth/refresh", map[string]any{"refreshToken": c.refresh}, http.StatusOK)
		c.access, c.refresh = a.Field("accessToken"), a.Field("refreshToken")
	case 4:
		_, err = call(http.MethodPost, "/auth/refresh", map[string]any{"refreshToken": "none"}, http.StatusUnauthorized)
	case 5:
		_, err = call(http.MethodGet, "/contacts/export", nil, http.StatusOK)
	case 6, 7, 8:
		_, err = call(http.MethodGet, "/contacts?search=nee", nil, http.StatusOK)
	case 9, 10, 11, 12:
		_, err = call(http.MethodGet, "/contacts?listId="+c.list, nil, http.StatusOK)
	default:
		_, err = call(http.MethodGet, "/users/me", nil, http.StatusOK)
	}
	return err
}

// awaitQuiet waits a while for the goroutines of the load to end and returns how
// many there are then.
func (s *soak) awaitQuiet(ctx context.Context, idle int) (int, error) {
	for began := time.Now(); ; {
		left, err := s.node.goroutines(ctx)
		if err != nil || left <= idle+spareGoroutines || time.Since(began) > 30*time.Second {
			return left, err
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// goroutines is how many the server has, as its metrics tell.
func (n *node) goroutines(ctx context.Context) (int, error) {
	a := n.Call(ctx, http.MethodGet, "/metrics", "", nil)
	for line := range strings.Lines(string(a.Body)) {
		var found int
		if _, err := fmt.Sscanf(line, "go_goroutines %d", &found); err == nil {
			return found, nil
		}
	}
	return 0, errors.New("the metrics do not tell the number of goroutines")
}
