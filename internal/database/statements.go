package database

import (
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds how many texts are kept prepared. There are fewer in the
// whole program, but for searches that are put together of many parts.
const maxStatements = 256

// statements keeps the texts that were used last prepared: of SQLite's quick
// reads, compiling the text is a third. The connections of the database share it.
type statements struct {
	db *sql.DB

	mu     sync.Mutex
	kept   map[string]*statement
	wanted map[string]struct{}
	turn   uint64 // counts uses
}

// statement is prepared, and handed out to as many as users says.
type statement struct {
	*sql.Stmt
	users   int
	used    uint64 // when, by statements.turn
	dropped bool   // closed by its last user
}

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, kept: map[string]*statement{}, wanted: map[string]struct{}{}}
}

// get returns the prepared statement, to be released once it has been started, or
// nil where the text is to be run as it is: it is wrong, which running it will
// tell.
func (s *statements) get(ctx context.Context, text string) *statement {
	if found := s.find(text); found != nil {
		return found
	}
	prepared, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.kept[text]; other != nil {
		_ = prepared.Close()
		return s.use(other)
	}
	if len(s.kept) >= maxStatements {
		s.dropOldest()
	}
	s.kept[text] = &statement{Stmt: prepared}
	return s.use(s.kept[text])
}

func (s *statements) find(text string) *statement {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.kept[text]
	if found == nil {
		return nil
	}
	return s.use(found)
}

func (s *statements) use(one *statement) *statement {
	s.turn++
	one.used = s.turn
	one.users++
	return one
}

// release gives a statement back. Its rows may still be read: they hold what
// they need of it.
func (s *statements) release(one *statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.users--
	one.closeUnused()
}

// dropOldest makes room by the text whose last use is the longest ago.
func (s *statements) dropOldest() {
	var (
		oldest string
		found  *statement
	)
	for text, one := range s.kept {
		if found == nil || one.used < found.used {
			oldest, found = text, one
		}
	}
	delete(s.kept, oldest)
	found.dropped = true
	found.closeUnused()
}

func (one *statement) closeUnused() {
	if one.dropped && one.users == 0 {
		_ = one.Close()
	}
}

// getLater is get for one whose transaction holds the only connection: a text
// that is new is prepared before the next transaction.
func (s *statements) getLater(text string) *statement {
	found := s.find(text)
	if found == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wanted[text] = struct{}{}
	}
	return found
}

// prepareWanted is called between transactions.
func (s *statements) prepareWanted(ctx context.Context) {
	s.mu.Lock()
	wanted := s.wanted
	s.wanted = map[string]struct{}{}
	s.mu.Unlock()
	for text := range wanted {
		if prepared := s.get(ctx, text); prepared != nil {
			s.release(prepared)
		}
	}
}
