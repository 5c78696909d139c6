package httpapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Param is a parameter of a query that may be left out, where every value that
// it can have means something.
type Param[T any] struct {
	Value T
	Sent  bool
}

// Pointer returns the value, or nil if there was none.
func (p *Param[T]) Pointer() *T {
	if !p.Sent {
		return nil
	}
	return &p.Value
}

// Schema is the schema of T.
func (Param[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// Receiver is where the value is read into.
func (p *Param[T]) Receiver() reflect.Value { return reflect.ValueOf(&p.Value).Elem() }

// OnParamSet notes whether there was one.
func (p *Param[T]) OnParamSet(sent bool, _ any) { p.Sent = sent }
