package contact

import (
	"context"
	"errors"
	"sync/atomic"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
)

// Loader stores contacts in chunks, each in one transaction with its
// memberships and counts. Several may work at once, also on the same numbers.
// All its contacts are of one moment, and stand in the order of the drafts
// wherever the newest stand first.
type Loader struct {
	store    *Store
	org      account.ID
	list     *ListID
	imported *ImportID
	base     ImportID // below the ids of its contacts
	made     clock.Time
	place    int
	// met is set once a number turned out to be taken. Until then nobody looks:
	// most files bring nothing but new numbers, and the insert tells.
	met *atomic.Bool
}

// NewLoader returns a loader that puts its contacts into a list, if there is
// one, and marks them with the import they came by, if there is one. A list that
// does not exist is a fault.
func (s *Store) NewLoader(ctx context.Context, org account.ID, list *ListID, imported *ImportID) (*Loader, error) {
	if list != nil {
		_, err := findList(ctx, s.db, org, *list, "")
		if fault.Is(err, fault.KindNotFound) {
			return nil, errUnknownList
		}
		if err != nil {
			return nil, err
		}
	}
	l := &Loader{store: s, org: org, list: list, imported: imported, made: s.clock.Now(), met: &atomic.Bool{}}
	if imported != nil {
		l.base = *imported
	} else {
		l.base = id.New[Import]()
	}
	return l, nil
}

// At returns the loader for a chunk whose first draft has this place among all
// drafts. Without it every chunk begins at 0.
func (l *Loader) At(place int) *Loader {
	at := *l
	at.place = place
	return &at
}

// ChunkSize is how many drafts a chunk should have: many enough to be quick, few
// enough that on SQLite other writers don't wait long.
func (l *Loader) ChunkSize() int {
	if l.store.db.Engine() == database.SQLite {
		return 2000
	}
	return 8000
}

// Loaded is what became of a chunk.
type Loaded struct {
	// Valid and Invalid were stored; their numbers are on a known network, or
	// are not.
	Valid, Invalid int
	// Duplicates are the positions in the chunk, in ascending order, of drafts
	// that were passed over, because their number came earlier in the chunk or
	// an active contact has it.
	Duplicates []int
}

// Load stores a chunk. The counts tell what the database did. The hook, if any,
// runs in the same transaction after everything else but the counters, to keep
// a record of progress that is true after a crash too; it may run more than
// once, of which only the last takes effect.
func (l *Loader) Load(ctx context.Context, drafts []Draft, hook func(tx database.Tx, loaded Loaded) error) (Loaded, error) {
	var loaded Loaded
	var lists []ListID
	if l.list != nil {
		lists = []ListID{*l.list}
	}
	rows := make([]row, len(drafts))
	for i := range drafts {
		rows[i] = row{Draft: drafts[i], id: id.Placed[Contact](l.base, uint32(l.place+i)), created: l.made, updated: l.made, imported: l.imported, lists: lists, position: i}
	}
	work := make([]*row, len(rows))
	err := l.store.retryTaken(ctx, func(tx database.Tx) error {
		if err := planAnew(ctx, tx); err != nil {
			return err
		}
		if err := lockLists(ctx, tx, l.org, lists); err != nil {
			return err
		}
		for i := range rows {
			work[i] = &rows[i]
		}
		counted := changes{}
		stored, err := l.insert(ctx, tx, work, counted)
		if err != nil {
			return err
		}
		loaded = outcome(stored, len(drafts))
		counted.created(l.made, int64(len(stored)))
		if hook != nil {
			if err := hook(tx, loaded); err != nil {
				return err
			}
		}
		return counted.apply(ctx, tx, l.org)
	})
	if err != nil {
		return Loaded{}, err
	}
	return loaded, nil
}

func (l *Loader) insert(ctx context.Context, tx database.Tx, rows []*row, counted changes) ([]*row, error) {
	if l.met.Load() {
		return l.store.insert(ctx, tx, l.org, rows, counted)
	}
	stored, err := l.store.add(ctx, tx, l.org, inOrder(rows), counted)
	if errors.Is(err, database.ErrUnique) {
		l.met.Store(true)
	}
	return stored, err
}

func outcome(stored []*row, size int) Loaded {
	var loaded Loaded
	isStored := make([]bool, size)
	for _, r := range stored {
		isStored[r.position] = true
		if r.network.operator != "" {
			loaded.Valid++
		} else {
			loaded.Invalid++
		}
	}
	for position, ok := range isStored {
		if !ok {
			loaded.Duplicates = append(loaded.Duplicates, position)
		}
	}
	return loaded
}
