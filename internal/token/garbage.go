package token

import (
	"runtime/debug"
	"sync"
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

// hashPercent is by how much the heap may grow while passwords are hashed.
const hashPercent = 200

// begin is called when a password comes to be hashed. Where a crowd waits for
// theirs, memory is short, and the collector works as usual.
func (p *pace) begin(isCrowd bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting++; p.waiting == 1 {
		p.usual = debug.SetGCPercent(hashPercent)
		p.set = hashPercent
	}
	isGenerous := p.usual < 0 || p.usual > hashPercent // by the operator's choice
	if isCrowd || isGenerous {
		p.change(p.usual)
	} else {
		p.change(hashPercent)
	}
}

// end is called when the password is hashed, or given up.
func (p *pace) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting--; p.waiting == 0 {
		p.change(p.usual)
	}
}

func (p *pace) change(percent int) {
	if percent != p.set {
		debug.SetGCPercent(percent)
		p.set = percent
	}
}
