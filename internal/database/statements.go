package database

import (
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds how many texts are kept prepared. There are fewer in the
// whole program, but for searches that are put together of many parts.
const maxStatements = 256

// statements keeps texts prepared: of SQLite's quick reads, compiling the text
// is a third. The connections of the database share it.
type statements struct {
	db *sql.DB

	mu     sync.RWMutex
	kept   map[string]*sql.Stmt
	wanted []string
}

func newStatements(db *sql.DB) *statements {
	return &statements{db: db, kept: map[string]*sql.Stmt{}}
}

// get returns the prepared statement, or nil where the text is to be run as it
// is: there are too many others, or it is wrong, which running it will tell.
func (s *statements) get(ctx context.Context, text string) *sql.Stmt {
	statement, isWanted := s.find(text)
	if !isWanted {
		return statement
	}
	prepared, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.kept[text]; other != nil {
		_ = prepared.Close()
		return other
	}
	s.kept[text] = prepared
	return prepared
}

func (s *statements) find(text string) (found *sql.Stmt, isWanted bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	found = s.kept[text]
	return found, found == nil && len(s.kept) < maxStatements
}

// getLater is get for one whose transaction holds the only connection: a text
// that is new is prepared before the next transaction.
func (s *statements) getLater(text string) *sql.Stmt {
	statement, isWanted := s.find(text)
	if isWanted {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wanted = append(s.wanted, text)
	}
	return statement
}

// prepareWanted is called between transactions.
func (s *statements) prepareWanted(ctx context.Context) {
	s.mu.Lock()
	wanted := s.wanted
	s.wanted = nil
	s.mu.Unlock()
	for _, text := range wanted {
		s.get(ctx, text)
	}
}
