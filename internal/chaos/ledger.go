package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"ujumbe/internal/server/process"
)

// slowest is how long an answer may take: operations are bounded to 15 s.
const slowest = 25 * time.Second

// ledger remembers what the server has said, to hold it to its word.
type ledger struct {
	mu         sync.Mutex
	took       []time.Duration
	done       int // acknowledged
	refused    int // told to come back
	unanswered int // the outcome is open
	violations []string
	registered []string // addresses
}

// outcome is what is known after a request.
type outcome int

const (
	acknowledged outcome = iota
	open                 // it may have happened or not
)

// hear judges an answer. Beside the expected status only 503 is allowed, with
// word when to come back, and what a proxy says when no node answers.
func (l *ledger) hear(what string, a process.Answer, took time.Duration, want ...int) outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, took)
	if took > slowest {
		l.violate("%s took %s", what, took.Round(time.Millisecond))
	}
	isOurs := a.Header.Get("Content-Type") == "application/problem+json"
	switch {
	case slices.Contains(want, a.Status):
		l.done++
		return acknowledged
	case a.Status == http.StatusServiceUnavailable && isOurs:
		if a.Header.Get("Retry-After") == "" {
			l.violate("%s: 503 without Retry-After", what)
		}
		l.refused++
	case a.Status == http.StatusServiceUnavailable || a.Status == http.StatusBadGateway || a.Status == http.StatusGatewayTimeout || a.Status == 0:
		l.unanswered++
	default:
		l.violate("%s: %d %s", what, a.Status, a.Body)
	}
	// Also after a 503 the outcome is open: the commit may have gone through
	// although its acknowledgement did not.
	return open
}

// violate is called with the lock held.
func (l *ledger) violate(format string, arguments ...any) {
	if len(l.violations) < 20 {
		l.violations = append(l.violations, fmt.Sprintf(format, arguments...))
	}
}

func (l *ledger) wrong(format string, arguments ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violate(format, arguments...)
}

func (l *ledger) successes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

var requestID = regexp.MustCompile(`"requestId":"([^"]+)"`)

// report prints the figures and returns an error if anything was violated. What
// the servers said of a violation is printed with it.
func (l *ledger) report(servers ...*process.Process) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.took)
	at := func(q float64) time.Duration {
		if len(l.took) == 0 {
			return 0
		}
		return l.took[int(q*float64(len(l.took)-1))].Round(time.Millisecond / 10)
	}
	fmt.Printf("requests      %d: %d acknowledged, %d told to come back, %d unanswered\n", len(l.took), l.done, l.refused, l.unanswered)
	fmt.Printf("answer times  median %s, p99 %s, slowest %s\n", at(0.5), at(0.99), at(1))
	for _, v := range l.violations {
		fmt.Println("VIOLATION    ", strings.TrimSpace(v))
		found := requestID.FindStringSubmatch(v)
		for _, server := range servers {
			for line := range strings.Lines(server.Said()) {
				if found != nil && strings.Contains(line, found[1]) {
					fmt.Print("              ", line)
				}
			}
		}
	}
	if len(l.violations) > 0 {
		return fmt.Errorf("%d violations", len(l.violations))
	}
	return nil
}
