package httpapi

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Optional is a field of a PATCH body, which tells "not sent" from null and from
// a value. Fields of this type carry the tag `required:"false"`.
type Optional[T any] struct {
	Sent  bool
	Null  bool
	Value T
}

// UnmarshalJSON is called only for fields that were sent.
func (o *Optional[T]) UnmarshalJSON(raw []byte) error {
	o.Sent = true
	if bytes.Equal(raw, []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(raw, &o.Value)
}

// Pointer returns the value, or nil for null.
func (o Optional[T]) Pointer() *T {
	if o.Null {
		return nil
	}
	return &o.Value
}

// Schema is the schema of T, or null.
func (Optional[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	schema.Nullable = true
	return &schema
}
