// Package fault holds the errors that a caller can act on. A feature returns
// one of these for everything that is the caller's to mend; any other error is
// ours, and reaches the caller only as "internal error".
package fault

import (
	"errors"
	"time"
)

// Kind says what went wrong in terms the HTTP layer, and only it, turns into a
// status.
type Kind int

// The kinds, in the order of the statuses they become.
const (
	KindBadRequest   Kind = iota + 1 // 400
	KindUnauthorized                 // 401
	KindForbidden                    // 403
	KindNotFound                     // 404
	KindConflict                     // 409
	KindTooLarge                     // 413
	KindInvalid                      // 422
	KindTooMany                      // 429
	KindUnavailable                  // 503
)

// Field points at one part of the input, in the form "body.phone".
type Field struct {
	Location string
	Message  string
}

// Error is a fault: a stable machine word and a sentence for a person.
type Error struct {
	Kind       Kind
	Code       string
	Detail     string
	Fields     []Field
	RetryAfter time.Duration
}

// Error makes a fault an error; the text is what the caller may read.
func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// BadRequest is a request that can't be carried out as it is: a spent token, a
// forbidden target, an unusable upload.
func BadRequest(code, detail string) *Error {
	return &Error{Kind: KindBadRequest, Code: code, Detail: detail}
}

// Unauthorized is a caller who could not show who they are.
func Unauthorized(code, detail string) *Error {
	return &Error{Kind: KindUnauthorized, Code: code, Detail: detail}
}

// Forbidden is a known caller who may not do this.
func Forbidden(code, detail string) *Error {
	return &Error{Kind: KindForbidden, Code: code, Detail: detail}
}

// NotFound is a thing that does not exist for this caller.
func NotFound(code, detail string) *Error {
	return &Error{Kind: KindNotFound, Code: code, Detail: detail}
}

// Conflict is a request that collides with what is stored.
func Conflict(code, detail string) *Error {
	return &Error{Kind: KindConflict, Code: code, Detail: detail}
}

// TooLarge is an input beyond its bound.
func TooLarge(code, detail string) *Error {
	return &Error{Kind: KindTooLarge, Code: code, Detail: detail}
}

// Invalid is input that fails validation; fields say where.
func Invalid(code, detail string, fields ...Field) *Error {
	return &Error{Kind: KindInvalid, Code: code, Detail: detail, Fields: fields}
}

// TooMany asks the caller to come back after a while.
func TooMany(code, detail string, retryAfter time.Duration) *Error {
	return &Error{Kind: KindTooMany, Code: code, Detail: detail, RetryAfter: retryAfter}
}

// Unavailable is a dependency or a resource that is short just now.
func Unavailable(code, detail string, retryAfter time.Duration) *Error {
	return &Error{Kind: KindUnavailable, Code: code, Detail: detail, RetryAfter: retryAfter}
}

// Is reports whether err is a fault of this kind.
func Is(err error, kind Kind) bool {
	var f *Error
	return errors.As(err, &f) && f.Kind == kind
}

// Code returns the machine word of err, or "" when err is not a fault.
func Code(err error) string {
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}
