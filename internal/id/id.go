// Package id makes identifiers: UUIDv7, so that the order of ids is the order
// of creation, typed by what they name, so that the compiler tells the id of an
// account from the id of a contact.
package id

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// Of is the id of a T. It is a uuid column on PostgreSQL and a 16-byte blob on
// SQLite; both sort by time of creation.
type Of[T any] uuid.UUID

// New returns a fresh id, greater than every id made before it in this process.
func New[T any]() Of[T] {
	u, err := uuid.NewV7()
	if err != nil {
		panic("no randomness: " + err.Error())
	}
	return Of[T](u)
}

// Parse reads the usual text form of an id.
func Parse[T any](text string) (Of[T], error) {
	var i Of[T]
	return i, i.UnmarshalText([]byte(text))
}

// IsZero reports whether this is no id at all.
func (i Of[T]) IsZero() bool { return i == Of[T]{} }

// String returns the usual text form.
func (i Of[T]) String() string { return uuid.UUID(i).String() }

// MarshalText writes the usual text form.
func (i Of[T]) MarshalText() ([]byte, error) { return uuid.UUID(i).MarshalText() }

// UnmarshalText takes the 36-character form alone; other spellings of a UUID
// would be second names for the same thing.
func (i *Of[T]) UnmarshalText(text []byte) error {
	if len(text) != 36 {
		return fmt.Errorf("id %q: want 36 characters, xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", text)
	}
	u, err := uuid.ParseBytes(text)
	if err != nil {
		return fmt.Errorf("id %q: %w", text, err)
	}
	*i = Of[T](u)
	return nil
}

// Value is the blob form for SQLite.
func (i Of[T]) Value() (driver.Value, error) { return i[:], nil }

// Scan reads the blob form of SQLite.
func (i *Of[T]) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(i) {
		return fmt.Errorf("id: can't scan %T", src)
	}
	copy(i[:], b)
	return nil
}

// UUIDValue is the native form for PostgreSQL.
func (i Of[T]) UUIDValue() (pgtype.UUID, error) { return pgtype.UUID{Bytes: i, Valid: true}, nil }

// ScanUUID reads the native form of PostgreSQL.
func (i *Of[T]) ScanUUID(v pgtype.UUID) error {
	if !v.Valid {
		return fmt.Errorf("id: can't scan NULL")
	}
	*i = v.Bytes
	return nil
}

// Schema describes an id in the OpenAPI document.
func (Of[T]) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Examples: []any{"01980d5e-7c1a-7000-8000-5b1f0c8e2a11"}}
}

// Before returns the least id that could be made at a moment: every id made
// earlier is smaller.
func Before[T any](moment time.Time) Of[T] {
	var i Of[T]
	ms := uint64(moment.UnixMilli())
	for at := range 6 {
		i[at] = byte(ms >> (40 - 8*at))
	}
	return i
}

// Placed returns the id of one of many things made together right after base:
// the later its place, the smaller the id. So where the newest stand first,
// things that came in a row stand as they came. All these ids lie above base and
// below PlacedEnd.
func Placed[T, B any](base Of[B], place uint32) Of[T] {
	i := New[T]()
	next := nextMillisecond(base)
	copy(i[:6], next[:6])
	rest := ^place
	i[6] = 0x70 | byte(rest>>28)
	i[7] = byte(rest >> 20)
	i[8] = 0x80 | byte(rest>>14)&0x3f
	i[9] = byte(rest >> 6)
	i[10] = byte(rest<<2) | i[10]&0x03
	return i
}

// PlacedEnd is above every id that Placed makes with this base.
func PlacedEnd[T, B any](base Of[B]) Of[T] { return Of[T](nextMillisecond(nextMillisecond(base))) }

// nextMillisecond is the least id that could be made in the millisecond after.
func nextMillisecond[B any](base Of[B]) Of[B] {
	ms := binary.BigEndian.Uint64(base[:8])>>16 + 1
	return Before[B](time.UnixMilli(int64(ms)))
}
