// Package contact keeps the contacts of an organization: a phone number with
// what is known of the person behind it, lists and tags to group them by, a
// trash to come back from, and search. It is built so that one organization may
// have a million of them and no other pays for it.
package contact

import (
	"iter"
	"slices"
	"strings"

	"ujumbe/internal/clock"
	"ujumbe/internal/id"
	"ujumbe/internal/phone"
)

// ID names a contact.
type ID = id.Of[Contact]

// ListID names a list.
type ListID = id.Of[List]

// ImportID names the import that brought a contact in.
type ImportID = id.Of[Import]

// Import stands for an import; another package keeps its record.
type Import struct{}

// Contact is a phone number and what is known of the person behind it. What is
// not known is null; tags and lists are arrays, perhaps empty.
type Contact struct {
	ID         ID           `json:"id"`
	FirstName  *string      `json:"firstName"`
	LastName   *string      `json:"lastName"`
	Phone      phone.Number `json:"phone" example:"+254712345678"`
	Email      *string      `json:"email"`
	Tags       []string     `json:"tags"`
	Notes      *string      `json:"notes"`
	IsOptedOut bool         `json:"isOptedOut" doc:"Does not want messages."`
	ListIDs    []ListID     `json:"listIds" doc:"The lists the contact is in."`
	CreatedAt  clock.Time   `json:"createdAt"`
	UpdatedAt  clock.Time   `json:"updatedAt"`
	DeletedAt  *clock.Time  `json:"deletedAt,omitempty" doc:"Only of contacts in the trash."`
}

// List is a group of contacts. A contact may be in many.
type List struct {
	ID           ListID     `json:"id"`
	Name         string     `json:"name"`
	Description  *string    `json:"description"`
	ContactCount int64      `json:"contactCount" doc:"How many active contacts are in the list."`
	CreatedAt    clock.Time `json:"createdAt"`
}

// Tags is a set of tags as it is stored: in the order given, joined by
// semicolons, which no tag contains.
type Tags string

const tagSeparator = ";"

// JoinTags makes Tags of texts that have been checked; a tag that comes twice
// is kept once.
func JoinTags(tags []string) Tags {
	switch len(tags) {
	case 0:
		return ""
	case 1:
		return Tags(tags[0])
	}
	distinct := make([]string, 0, len(tags))
	for _, tag := range tags {
		if !slices.Contains(distinct, tag) {
			distinct = append(distinct, tag)
		}
	}
	return Tags(strings.Join(distinct, tagSeparator))
}

// All yields the tags in their order.
func (t Tags) All() iter.Seq[string] {
	if t == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(string(t), tagSeparator)
}

// Split returns the tags in their order, never nil.
func (t Tags) Split() []string {
	if t == "" {
		return []string{}
	}
	return strings.Split(string(t), tagSeparator)
}
