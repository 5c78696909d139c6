package token

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// garbage is one for the process, as its collector is.
var garbage pace

// pace lets the collector of garbage rest while passwords are hashed. A hash takes
// 19 MiB, in which there is nothing to follow, and drops them. The collector, which
// starts when the heap has doubled, would look through everything else after every
// second hash: a tenth of what a sign-in costs.
type pace struct {
	mu      sync.Mutex
	waiting int // for a hash, or at it
	usual   int // percent by which the heap grows otherwise
	set     int // percent by which it grows now
}

const (
	// hashPercent is by how much the heap may grow while passwords are hashed,
	// unless the operator allows more anyway.
	hashPercent = 200
	// calm is how long no password must have come until the collector works as
	// usual: between two that come one after the other it is not worth it.
	calm = 100 * time.Millisecond
)

// begin is called when a password comes to be hashed. Where a crowd waits for
// theirs, memory is short, and the collector works as usual.
func (p *pace) begin(isCrowd bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting++
	if p.set == p.usual {
		p.usual = heapPercent()
		p.set = p.usual
	}
	if isCrowd {
		p.change(p.usual)
	} else {
		p.change(max(p.usual, hashPercent))
	}
}

// end is called when the password is hashed, or given up.
func (p *pace) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		time.AfterFunc(calm, p.restore)
	}
}

func (p *pace) restore() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == 0 {
		p.change(p.usual)
	}
}

func (p *pace) change(percent int) {
	if percent != p.set {
		debug.SetGCPercent(percent)
		p.set = percent
	}
}

// heapPercent is by how much the heap may grow before garbage is collected; very
// much where it never is.
func heapPercent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(min(sample[0].Value.Uint64(), math.MaxInt))
}
