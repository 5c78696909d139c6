// Package clock is the time as the product keeps it: milliseconds in UTC, the
// same in both databases and in every answer, from a clock that tests can set.
package clock

import (
	"fmt"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Layout is how a Time is written: ISO 8601 in UTC with milliseconds.
const Layout = "2006-01-02T15:04:05.000Z"

// Time is a moment in milliseconds since 1970, stored as an integer.
type Time int64

// From converts a time.Time, dropping what is finer than a millisecond.
func From(t time.Time) Time { return Time(t.UnixMilli()) }

// Std converts to a time.Time in UTC.
func (t Time) Std() time.Time { return time.UnixMilli(int64(t)).UTC() }

// Add returns the moment d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }

// Sub returns the time from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t-u) * time.Millisecond }

// String writes the moment in Layout.
func (t Time) String() string { return t.Std().Format(Layout) }

// MarshalText writes the moment in Layout.
func (t Time) MarshalText() ([]byte, error) {
	return t.Std().AppendFormat(make([]byte, 0, len(Layout)), Layout), nil
}

// UnmarshalText reads any RFC 3339 moment.
func (t *Time) UnmarshalText(text []byte) error {
	std, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("time %q: %w", text, err)
	}
	*t = From(std)
	return nil
}

// Schema describes a Time in the OpenAPI document.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-01-31T09:30:00.000Z"}}
}

// Clock tells the time.
type Clock interface {
	Now() Time
}

// System is the machine's clock.
type System struct{}

// Now returns the present moment.
func (System) Now() Time { return From(time.Now()) }

// Manual is a clock that moves only when told to, for tests of expiry.
type Manual struct {
	mu  sync.Mutex
	now Time
}

// NewManual returns a clock that stands at the present moment.
func NewManual() *Manual { return &Manual{now: System{}.Now()} }

// Now returns where the clock stands.
func (m *Manual) Now() Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Advance moves the clock on.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}
