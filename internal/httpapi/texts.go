package httpapi

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"ujumbe/internal/fault"
)

// checkTexts refuses input with a NUL character or invalid UTF-8 anywhere in it,
// which PostgreSQL can't store and nobody means to send. So no feature has to
// think of them.
func checkTexts(in any) error {
	if textsAreClean(reflect.ValueOf(in), 0) {
		return nil
	}
	return fault.Invalid("validation_failed", "The input contains a NUL character or text that is not UTF-8. Remove it.",
		fault.Field{Location: "request", Message: "has a NUL character or text that is not UTF-8"})
}

const maxDepth = 12

func textsAreClean(v reflect.Value, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s)
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || textsAreClean(v.Elem(), depth+1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			if !textsAreClean(field, depth+1) {
				return false
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return true
		}
		for i := range v.Len() {
			if !textsAreClean(v.Index(i), depth+1) {
				return false
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if !textsAreClean(it.Key(), depth+1) || !textsAreClean(it.Value(), depth+1) {
				return false
			}
		}
	default: // numbers, flags and fixed bytes hold no text
	}
	return true
}
