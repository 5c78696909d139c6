package staff

import (
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/field"
)

// Module is a part of the platform that staff work with.
type Module string

// The modules.
const (
	CRM       Module = "crm"
	SenderIDs Module = "sender-ids"
	Billing   Module = "billing"
	Pricing   Module = "pricing"
)

var modules = []Module{CRM, SenderIDs, Billing, Pricing}

// Level is how far a member may go in a module.
type Level string

// The levels, each including those before it.
const (
	LevelNone  Level = "none"
	LevelRead  Level = "read"
	LevelAdmin Level = "admin"
	LevelOwner Level = "owner"
)

var levels = []Level{LevelNone, LevelRead, LevelAdmin, LevelOwner}

// Includes reports whether someone at this level may do what needs the other.
func (l Level) Includes(needed Level) bool {
	return slices.Index(levels, l) >= slices.Index(levels, needed)
}

// Permissions are levels by module.
type Permissions map[Module]Level

// Of returns what someone of a role with these stored permissions may do in
// fact, with every module named. A module that was never set is at none; an
// owner is at owner everywhere, whatever is stored.
func (p Permissions) Of(role Role) Permissions {
	all := make(Permissions, len(modules))
	for _, module := range modules {
		all[module] = LevelNone
		if level, ok := p[module]; ok {
			all[module] = level
		}
		if role == RoleOwner {
			all[module] = LevelOwner
		}
	}
	return all
}

// Schema names the modules and levels in the OpenAPI document. Modules that it
// does not name are refused by check, with words that name those there are.
func (Permissions) Schema(huma.Registry) *huma.Schema {
	choices := make([]any, len(levels))
	for i, level := range levels {
		choices[i] = string(level)
	}
	properties := make(map[string]*huma.Schema, len(modules))
	for _, module := range modules {
		properties[string(module)] = &huma.Schema{Type: huma.TypeString, Enum: choices}
	}
	return &huma.Schema{Type: huma.TypeObject, Properties: properties, AdditionalProperties: true}
}

func (p Permissions) check() error {
	var c field.Checks
	for _, module := range p.named() {
		location := "body.permissions." + string(module)
		switch {
		case !slices.Contains(modules, module):
			c.Fail(location, "is no module; the modules are "+list(modules))
		case !slices.Contains(levels, p[module]):
			c.Fail(location, "must be one of "+list(levels))
		}
	}
	return c.Err()
}

// named returns the modules in a fixed order, in which rows are locked too.
func (p Permissions) named() []Module { return slices.Sorted(maps.Keys(p)) }

func (p Permissions) String() string {
	parts := make([]string, 0, len(p))
	for _, module := range p.named() {
		parts = append(parts, string(module)+"="+string(p[module]))
	}
	return strings.Join(parts, " ")
}

func list[T ~string](words []T) string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return strings.Join(texts, ", ")
}
