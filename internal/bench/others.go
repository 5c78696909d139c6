package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"ujumbe/internal/server/process"
)

// others is a customer of a small organization who reads and writes now and then
// while a large one imports.
type others struct {
	reads, writes times
	failure       error

	cancel  context.CancelFunc
	working sync.WaitGroup
}

// startOthers lets the customer work, on a contact of a spare number, until stop.
func (n *node) startOthers(ctx context.Context, access string, spare int) (*others, error) {
	made := n.createContact(ctx, access, spareNumber(spare))
	if made.Status != http.StatusCreated {
		return nil, fmt.Errorf("create a contact: %d %s", made.Status, made.Body)
	}
	path := "/api/v1/contacts/" + made.Field("id")
	ctx, cancel := context.WithCancel(ctx)
	o := &others{cancel: cancel}
	var mu sync.Mutex
	repeat := func(every time.Duration, into *times, call func() process.Answer) {
		o.working.Go(func() {
			for range time.Tick(every) {
				began := time.Now()
				answer := call()
				if ctx.Err() != nil {
					return
				}
				*into = append(*into, time.Since(began))
				if answer.Status != http.StatusOK {
					mu.Lock()
					o.failure = errors.Join(o.failure, fmt.Errorf("another customer meanwhile: %d %s", answer.Status, answer.Body))
					mu.Unlock()
					return
				}
			}
		})
	}
	repeat(20*time.Millisecond, &o.reads, func() process.Answer {
		return n.Call(ctx, http.MethodGet, path, access, nil)
	})
	repeat(100*time.Millisecond, &o.writes, func() process.Answer {
		return n.Call(ctx, http.MethodPatch, path, access, map[string]any{"notes": time.Now().String()})
	})
	return o, nil
}

// stop ends the work and returns what went wrong in it.
func (o *others) stop() error {
	o.cancel()
	o.working.Wait()
	slices.Sort(o.reads)
	slices.Sort(o.writes)
	return o.failure
}
