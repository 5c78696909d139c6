package blob

import "time"

// SetTimeout lets a test wait less for storage that never answers.
func (s *Store) SetTimeout(d time.Duration) { s.timeout = d }
