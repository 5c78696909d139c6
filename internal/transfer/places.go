package transfer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

// places bounds how many do the same thing at once, in all and for each
// organization, so that one alone can't keep everybody else out.
type places struct {
	taken chan struct{}
	share int

	mu  sync.Mutex
	own map[account.ID]*seats
}

// seats are the places of one organization that has taken some, or waits for
// one.
type seats struct {
	taken chan struct{}
	users int
}

func newPlaces(all, share int) *places {
	return &places{taken: make(chan struct{}, all), share: share, own: map[account.ID]*seats{}}
}

// busyRetry is when someone who found no place should come back.
const busyRetry = 5 * time.Second

var errBusy = fault.Unavailable("busy", "The server has too many transfers in hand. Try again in a few seconds.", busyRetry)

// enter takes a place, or refuses when there is none.
func (p *places) enter(org account.ID) (leave func(), err error) {
	return p.take(org, func(places chan<- struct{}) error {
		select {
		case places <- struct{}{}:
			return nil
		default:
			return errBusy
		}
	})
}

// wait takes a place as soon as there is one, unless the node stops.
func (p *places) wait(ctx context.Context, org account.ID, stop <-chan struct{}) (leave func(), err error) {
	return p.take(org, func(places chan<- struct{}) error {
		select {
		case places <- struct{}{}:
			return nil
		case <-stop:
			return httpapi.ErrStopping
		case <-ctx.Done():
			return fmt.Errorf("wait for a turn: %w", context.Cause(ctx))
		}
	})
}

// take gets a place among those of the organization and then one among all, so
// that whoever waits for its own organization is in nobody else's way.
func (p *places) take(org account.ID, get func(places chan<- struct{}) error) (leave func(), err error) {
	own := p.open(org)
	if err := get(own.taken); err != nil {
		p.close(org, own)
		return nil, err
	}
	if err := get(p.taken); err != nil {
		<-own.taken
		p.close(org, own)
		return nil, err
	}
	return func() {
		<-p.taken
		<-own.taken
		p.close(org, own)
	}, nil
}

func (p *places) open(org account.ID) *seats {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.own[org]
	if own == nil {
		own = &seats{taken: make(chan struct{}, p.share)}
		p.own[org] = own
	}
	own.users++
	return own
}

func (p *places) close(org account.ID, own *seats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.own, org)
	}
}
