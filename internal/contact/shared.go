package contact

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
)

// What many contacts share — names, sets of tags, the heads of phone numbers —
// is stored once per organization. These are the texts that search looks
// through, so its cost follows the number of distinct ones.

// tailDigits is how many digits of a number are its tail; the rest is its head.
const (
	tailDigits = 5
	tailSpan   = 100_000
)

// shared are what some rows refer to.
type shared struct {
	names map[string]int64 // folded name -> key
	tags  map[Tags]int64
	heads map[int64]struct{}
}

// refer returns the keys of a row and notes what they stand for.
func (s *shared) refer(org account.ID, r *row) (nameKey, tagsKeyed *int64) {
	s.heads[int64(r.Phone)/tailSpan] = struct{}{}
	if name := foldedName(r.FirstName, r.LastName); name != "" {
		key, ok := s.names[name]
		if !ok {
			key = keyOf(org, "name", name)
			s.names[name] = key
		}
		nameKey = &key
	}
	if r.Tags != "" {
		key, ok := s.tags[r.Tags]
		if !ok {
			key = tagsKey(org, r.Tags)
			s.tags[r.Tags] = key
		}
		tagsKeyed = &key
	}
	return nameKey, tagsKeyed
}

func newShared() *shared {
	return &shared{names: map[string]int64{}, tags: map[Tags]int64{}, heads: map[int64]struct{}{}}
}

// store adds what is not there yet, each kind in one statement and in the order
// of its keys, so that writers of the same values queue and never deadlock.
func (s *shared) store(ctx context.Context, tx database.Tx, org account.ID, known *memory) error {
	s.forget(org, known)
	if err := s.storeNames(ctx, tx, org); err != nil {
		return fmt.Errorf("store names: %w", err)
	}
	if err := s.storeTags(ctx, tx, org); err != nil {
		return fmt.Errorf("store tags: %w", err)
	}
	if err := s.storeHeads(ctx, tx, org); err != nil {
		return fmt.Errorf("store heads of numbers: %w", err)
	}
	tx.OnCommit(func() { s.remember(org, known) })
	return nil
}

func (s *shared) storeNames(ctx context.Context, tx database.Tx, org account.ID) error {
	if len(s.names) == 0 {
		return nil
	}
	keys := make([]int64, 0, len(s.names))
	for _, key := range s.names {
		keys = append(keys, key)
	}
	// A name about to be swept is wanted again; the lock keeps the sweeper off.
	among, parameter := numbersIn(tx.Engine(), "key", 2, keys)
	err := tx.Queue(ctx, `UPDATE contact_name SET suspect_at = NULL WHERE account_id = $1 AND key IN (
		SELECT key FROM contact_name WHERE account_id = $1 AND suspect_at IS NOT NULL AND `+among+` ORDER BY key`+database.Locking(tx.Engine(), "FOR UPDATE")+`)`,
		org, parameter)
	if err != nil {
		return err
	}
	const insert = `INSERT INTO contact_name (account_id, key, text)
		SELECT $1, CAST(CAST(value AS TEXT) AS BIGINT), key FROM json_each($2) WHERE true ORDER BY key
		ON CONFLICT (account_id, key) DO NOTHING`
	if tx.Engine() == database.Postgres {
		return tx.Queue(ctx, insert, org, jsonOf(s.names))
	}
	return indexNames(ctx, tx, org, insert+` RETURNING key, text`, jsonOf(s.names))
}

// indexNames runs an insert of names on SQLite, and adds those that are new to its
// text index.
func indexNames(ctx context.Context, tx database.Tx, org account.ID, insert, names string) error {
	added, err := database.Collect(ctx, tx, func(found database.Row) ([]any, error) {
		var (
			key  int64
			name string
		)
		err := found.Scan(&key, &name)
		return []any{key, piecesOf(org, name)}, err
	}, insert, org, names)
	if err != nil {
		return err
	}
	// The index writes out what it holds whenever a row comes out of order.
	slices.SortFunc(added, func(a, b []any) int { return cmp.Compare(a[0].(int64), b[0].(int64)) })
	_, err = tx.Copy(ctx, "contact_name_fts", []string{"rowid", "pieces"}, added)
	return err
}

// pieceLength is how many letters the pieces have that SQLite's text index
// knows; PostgreSQL's trigrams have as many.
const pieceLength = 3

// piecesOf writes a text as the words of SQLite's text index: its pieces in
// order, each led by the organization and spelled in hexadecimal. A text within
// it is then a phrase of those words, found without looking at other
// organizations' names.
func piecesOf(org account.ID, text string) string {
	letters := []rune(text)
	var b strings.Builder
	lead := hex.EncodeToString(org[:])
	for i := 0; i+pieceLength <= len(letters); i++ {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(lead)
		b.WriteString(hex.EncodeToString([]byte(string(letters[i : i+pieceLength]))))
	}
	return b.String()
}

func (s *shared) storeTags(ctx context.Context, tx database.Tx, org account.ID) error {
	if len(s.tags) == 0 {
		return nil
	}
	pairs := map[string]struct{}{}
	for tags, key := range s.tags {
		for tag := range tags.All() {
			pairs[fmt.Sprintf("%020d", key)+tag] = struct{}{}
		}
	}
	return tx.Queue(ctx, `INSERT INTO contact_tag (account_id, tag, tags_key)
		SELECT $1, SUBSTR(key, 21), CAST(SUBSTR(key, 1, 20) AS BIGINT) FROM json_each($2) WHERE true ORDER BY key
		ON CONFLICT DO NOTHING`, org, jsonOf(pairs))
}

func (s *shared) storeHeads(ctx context.Context, tx database.Tx, org account.ID) error {
	if len(s.heads) == 0 {
		return nil
	}
	return tx.Queue(ctx, `INSERT INTO contact_phone_head (account_id, head)
		SELECT $1, CAST(key AS BIGINT) FROM json_each($2) WHERE true ORDER BY key
		ON CONFLICT DO NOTHING`, org, jsonOf(s.heads))
}

// suspect marks names that some contact has given up. The sweeper looks at them
// after a while.
func suspect(ctx context.Context, tx database.Tx, org account.ID, now clock.Time, names []string) error {
	keys := make([]int64, 0, len(names))
	for _, name := range names {
		if name != "" {
			keys = append(keys, keyOf(org, "name", name))
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	among, parameter := numbersIn(tx.Engine(), "key", 3, slices.Compact(keys))
	err := tx.Queue(ctx, `UPDATE contact_name SET suspect_at = $2 WHERE account_id = $1 AND key IN (
		SELECT key FROM contact_name WHERE account_id = $1 AND suspect_at IS NULL AND `+among+` ORDER BY key`+database.Locking(tx.Engine(), "FOR UPDATE")+`)`,
		org, now, parameter)
	if err != nil {
		return fmt.Errorf("mark names: %w", err)
	}
	return nil
}

// memory holds what this process knows to be stored, so that a writer need not
// ask again for every contact.
type memory struct {
	mu  sync.Mutex
	all map[memo]time.Time
}

type memo struct {
	org  account.ID
	kind byte
	key  int64
}

const (
	maxMemory = 100_000
	// memoryLife is well below sweepGrace: what is remembered can't have been
	// swept.
	memoryLife = 10 * time.Minute
)

func newMemory() *memory { return &memory{all: map[memo]time.Time{}} }

// forget drops what need not be stored because it is known to be.
func (s *shared) forget(org account.ID, known *memory) {
	known.mu.Lock()
	defer known.mu.Unlock()
	now := time.Now()
	isKnown := func(kind byte, key int64) bool { return now.Before(known.all[memo{org, kind, key}]) }
	for name, key := range s.names {
		if isKnown('n', key) {
			delete(s.names, name)
		}
	}
	for tags, key := range s.tags {
		if isKnown('t', key) {
			delete(s.tags, tags)
		}
	}
	for head := range s.heads {
		if isKnown('h', head) {
			delete(s.heads, head)
		}
	}
}

// remember notes what has just been stored.
func (s *shared) remember(org account.ID, known *memory) {
	known.mu.Lock()
	defer known.mu.Unlock()
	if len(known.all)+len(s.names)+len(s.tags)+len(s.heads) > maxMemory {
		clear(known.all)
	}
	until := time.Now().Add(memoryLife)
	for _, key := range s.names {
		known.all[memo{org, 'n', key}] = until
	}
	for _, key := range s.tags {
		known.all[memo{org, 't', key}] = until
	}
	for head := range s.heads {
		known.all[memo{org, 'h', head}] = until
	}
}

func byPhone(a, b *row) int { return cmp.Compare(a.Phone, b.Phone) }
