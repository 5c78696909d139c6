package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// rate runs work in n goroutines for a time and returns how often a second it
// was done. The first failure ends it.
func rate(ctx context.Context, n int, during time.Duration, work func(ctx context.Context, worker int) error) (float64, error) {
	var (
		mu      sync.Mutex
		done    int
		failure error
		workers sync.WaitGroup
	)
	began := time.Now()
	for worker := range n {
		workers.Go(func() {
			count := 0
			var err error
			for err == nil && time.Since(began) < during && ctx.Err() == nil {
				if err = work(ctx, worker); err == nil {
					count++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			done += count
			if failure == nil {
				failure = err
			}
		})
	}
	workers.Wait()
	if failure != nil {
		return 0, failure
	}
	return float64(done) / time.Since(began).Seconds(), ctx.Err()
}

// turns is how often rates that are compared are measured, one after the other,
// and longTurns how often those that take a minute are.
const (
	turns     = 4
	longTurns = 2
)

// inTurns measures rates that are to be compared by turns, and returns the mean
// of each: the speed of a machine wavers, and so it does for all of them.
func inTurns(rounds int, rates ...func() (float64, error)) ([]float64, error) {
	means := make([]float64, len(rates))
	for range rounds {
		for i, measure := range rates {
			one, err := measure()
			if err != nil {
				return nil, err
			}
			means[i] += one / float64(rounds)
		}
	}
	return means, nil
}

// newClient returns a client that keeps n connections and does no work that
// would count against the server.
func newClient(n int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: n, MaxIdleConnsPerHost: n, DisableCompression: true}}
}

// request sends a request and fails unless it is answered with 200. The body is
// thrown away.
func request(ctx context.Context, client *http.Client, method, url, access, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if access != "" {
		r.Header.Set("Authorization", "Bearer "+access)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		return fmt.Errorf("%s %s: %d %s", method, url, response.StatusCode, said)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// times are samples of how long something took.
type times []time.Duration

// sample repeats work, at least three times and about as long as during.
func sample(ctx context.Context, during time.Duration, work func() error) (times, error) {
	var all times
	for began := time.Now(); len(all) < 3 || time.Since(began) < during; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := time.Now()
		if err := work(); err != nil {
			return nil, err
		}
		all = append(all, time.Since(at))
	}
	slices.Sort(all)
	return all, nil
}

// at is a quantile, like 0.5 for the median.
func (t times) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return t[min(len(t)-1, int(q*float64(len(t))))]
}
