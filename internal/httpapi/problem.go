package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/database"
	"ujumbe/internal/fault"
)

// Problem is the body of every error, RFC 9457 with two additions: code, a
// stable word for programs, and requestId, which finds the request in the log.
type Problem struct {
	Type      string         `json:"type" example:"about:blank"`
	Title     string         `json:"title" example:"Unprocessable Entity"`
	Status    int            `json:"status" example:"422"`
	Detail    string         `json:"detail" example:"The phone number is too short."`
	Code      string         `json:"code" example:"validation_failed" doc:"A stable word for programs."`
	Errors    []ProblemField `json:"errors,omitempty" doc:"What is wrong with which part of the input."`
	RequestID string         `json:"requestId,omitempty" doc:"Finds this request in the server's log."`

	retryAfter string
}

// ProblemField points at one part of the input.
type ProblemField struct {
	Location string `json:"location" example:"body.phone"`
	Message  string `json:"message" example:"expected a phone number"`
}

// Error makes a Problem what huma writes for a failed operation.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is the media type of RFC 9457.
func (*Problem) ContentType(string) string { return problemType }

// GetHeaders carries Retry-After where the caller should come back.
func (p *Problem) GetHeaders() http.Header {
	if p.retryAfter == "" {
		return nil
	}
	return http.Header{"Retry-After": {p.retryAfter}}
}

const problemType = "application/problem+json"

// statuses is the one place where a kind of fault becomes a status.
var statuses = map[fault.Kind]int{
	fault.KindBadRequest:   http.StatusBadRequest,
	fault.KindUnauthorized: http.StatusUnauthorized,
	fault.KindForbidden:    http.StatusForbidden,
	fault.KindNotFound:     http.StatusNotFound,
	fault.KindConflict:     http.StatusConflict,
	fault.KindTooLarge:     http.StatusRequestEntityTooLarge,
	fault.KindInvalid:      http.StatusUnprocessableEntity,
	fault.KindTooMany:      http.StatusTooManyRequests,
	fault.KindUnavailable:  http.StatusServiceUnavailable,
}

// problemOf turns any error of a feature into what the caller sees. What is not
// a fault is logged and told as an internal error, no more.
func problemOf(ctx context.Context, err error) *Problem {
	var (
		problem *Problem
		f       *fault.Error
	)
	if errors.As(err, &problem) {
		return problem
	}
	if !errors.As(err, &f) {
		f = faultOf(ctx, err)
	}
	if f == nil {
		slog.ErrorContext(ctx, "request failed", "error", err, "requestId", ClientOf(ctx).RequestID)
		return newProblem(ctx, http.StatusInternalServerError, "internal", "Something went wrong on our side. If it goes on, tell the operator this request's id.")
	}
	p := newProblem(ctx, statuses[f.Kind], f.Code, f.Detail)
	for _, field := range f.Fields {
		p.Errors = append(p.Errors, ProblemField(field))
	}
	if f.RetryAfter > 0 {
		p.retryAfter = strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds())))
	}
	return p
}

// faultOf names the errors that pass through features untouched.
func faultOf(ctx context.Context, err error) *fault.Error {
	switch {
	case errors.Is(err, database.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		slog.WarnContext(ctx, "database unavailable", "error", err, "requestId", ClientOf(ctx).RequestID)
		return fault.Unavailable("unavailable", "The database can't be reached just now. Try again in a few seconds.", retrySoon)
	case errors.Is(err, context.Canceled):
		return fault.BadRequest("cancelled", "The client went away before the answer.")
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.TooLarge("body_too_large", "The request body is larger than this operation takes.")
	}
	return nil
}

func newProblem(ctx context.Context, status int, code, detail string) *Problem {
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: detail, Code: code, RequestID: ClientOf(ctx).RequestID,
	}
}

// WriteProblem answers a request that no typed operation handles.
func WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(r.Context(), err)
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

// codes are the machine words of what the HTTP layer itself refuses.
var codes = map[int]string{
	http.StatusBadRequest:            "bad_request",
	http.StatusRequestTimeout:        "timeout",
	http.StatusNotAcceptable:         "not_acceptable",
	http.StatusRequestEntityTooLarge: "body_too_large",
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusUnprocessableEntity:   "validation_failed",
}

// humaProblem is how huma makes the errors of its own checks.
func humaProblem(ctx context.Context, status int, message string, errs []error) *Problem {
	switch {
	case status == http.StatusInternalServerError:
		return problemOf(ctx, errors.Join(append(errs, errors.New(message))...))
	case message == "request body is required":
		status, errs = http.StatusUnprocessableEntity, []error{&huma.ErrorDetail{Location: "body", Message: "is required"}}
	case hugeNumber(errs):
		status, errs = http.StatusUnprocessableEntity, []error{&huma.ErrorDetail{Location: "body", Message: "has a number that is out of range"}}
	}
	p := newProblem(ctx, status, codes[status], sentence(message))
	for _, err := range errs {
		var detailer huma.ErrorDetailer
		if errors.As(err, &detailer) {
			d := detailer.ErrorDetail()
			p.Errors = append(p.Errors, ProblemField{Location: d.Location, Message: d.Message})
		}
	}
	if len(p.Errors) == 1 {
		p.Detail = sentence(p.Errors[0].Location + ": " + p.Errors[0].Message)
	}
	return p
}

// hugeNumber reports that the body has a number which no type holds. The words
// of the decoder, who alone knows, are not for the outside.
func hugeNumber(errs []error) bool {
	return slices.ContainsFunc(errs, func(err error) bool {
		return strings.Contains(err.Error(), "json: cannot unmarshal number")
	})
}

func sentence(message string) string {
	if message == "" {
		return "The request can't be carried out."
	}
	return strings.ToUpper(message[:1]) + strings.TrimSuffix(message[1:], ".") + "."
}

// Huma keeps these as variables of its package; they are the same for every API
// of the process.
func init() {
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return humaProblem(context.Background(), status, message, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		if ctx == nil {
			return humaProblem(context.Background(), status, message, errs)
		}
		return humaProblem(ctx.Context(), status, message, errs)
	}
}
