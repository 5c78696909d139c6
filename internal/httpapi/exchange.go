package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/klauspost/compress/gzhttp"

	"ujumbe/internal/fault"
)

// Exchange is embedded in the input of an operation that reads its body, or
// writes its answer, as a stream. Such an operation is Unbounded and uses the
// connection only through here, which ends a connection whose client stands
// still and keeps one whose client is merely slow.
type Exchange struct {
	// A function, so that nothing looks for texts in the request behind it.
	unwrap func() (*http.Request, http.ResponseWriter)
}

// Resolve notes the request before the operation is called.
func (e *Exchange) Resolve(ctx huma.Context) []error {
	r, w := humago.Unwrap(ctx)
	e.unwrap = func() (*http.Request, http.ResponseWriter) { return r, w }
	return nil
}

// The pace that a client must keep.
const (
	// standstill is how long a connection may carry nothing at all.
	standstill = 30 * time.Second
	// headStart is the time that a body has before its pace is looked at.
	headStart = 2 * time.Minute
	// slowest is the least pace of a body, in bytes a second.
	slowest = 1 << 10
)

var (
	errStalled  = fault.BadRequest("upload_stalled", "The upload stood still for too long and was given up. Nothing was stored. Send it again.")
	errTooLarge = fault.TooLarge("body_too_large", "The request body is larger than this operation takes.")
	// ErrStopping is the answer to what can't be begun because the node stops.
	ErrStopping = fault.Unavailable("stopping", "The server is restarting. Try again in a few seconds.", retrySoon)
)

// Header returns a header of the request.
func (e *Exchange) Header(name string) string {
	r, _ := e.unwrap()
	return r.Header.Get(name)
}

// Body returns the request's body of at most limit bytes. Reading beyond is a
// fault, as is a client that falls behind the least pace, and, once stop is
// closed, ErrStopping. Close is needed as soon as the body has been read.
func (e *Exchange) Body(limit int64, stop <-chan struct{}) *Body {
	r, w := e.unwrap()
	b := &Body{
		body: r.Body, declared: r.ContentLength, waits: r.Header.Get("Expect") != "", limit: limit, left: limit,
		control: http.NewResponseController(w), started: time.Now(), stop: stop, done: make(chan struct{}),
	}
	go b.watch()
	return b
}

// Hold takes the deadlines off the connection for as long as an operation works
// without reading or writing. Its context then ends when the client goes away,
// and not before.
func (e *Exchange) Hold() {
	_, w := e.unwrap()
	control := http.NewResponseController(w)
	// A writer of tests has no deadlines; a real one can't refuse.
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
}

// Answer gives the client time to take a small answer after Hold, with a
// header, if any, that failures carry too.
func (e *Exchange) Answer(name, value string) {
	_, w := e.unwrap()
	if name != "" {
		w.Header().Set(name, value)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(standstill))
}

// Refuse answers with an error where no answer has begun.
func (e *Exchange) Refuse(err error) {
	r, w := e.unwrap()
	e.Answer("", "")
	WriteProblem(w, r, err)
}

// Stream returns a writer of the answer for as long as the client takes it.
func (e *Exchange) Stream() *Stream {
	e.Hold()
	_, w := e.unwrap()
	return &Stream{w: w, control: http.NewResponseController(w)}
}

// Body is a request body that comes at the client's pace.
type Body struct {
	body        io.Reader
	declared    int64
	waits       bool
	limit, left int64
	read        int64
	control     *http.ResponseController
	started     time.Time
	stop        <-chan struct{}
	done        chan struct{}
	once        sync.Once
}

// Read reads on as long as the client keeps its pace.
func (b *Body) Read(p []byte) (int, error) {
	if b.declared > b.limit || b.left < 0 {
		return 0, errTooLarge
	}
	// One byte more than is allowed tells whether there is more.
	n, err := b.take(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, errTooLarge
	}
	return n, err
}

func (b *Body) take(p []byte) (int, error) {
	deadline := time.Now().Add(standstill)
	if last := b.started.Add(headStart + time.Duration(b.read/slowest)*time.Second); last.Before(deadline) {
		deadline = last
	}
	_ = b.control.SetReadDeadline(deadline)
	select {
	case <-b.stop:
		return 0, ErrStopping
	default:
	}
	n, err := b.body.Read(p)
	b.read += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		select {
		case <-b.stop:
			return n, ErrStopping
		default:
			return n, errStalled
		}
	}
	return n, err
}

// watch ends a read that waits for the client when the node stops.
func (b *Body) watch() {
	select {
	case <-b.stop:
		_ = b.control.SetReadDeadline(time.Now())
	case <-b.done:
	}
}

// Discard reads what is left of a body that is refused, as far as that is
// little: many clients look for an answer only when they have sent everything.
func (b *Body) Discard() {
	if b.declared > 2*b.limit || b.waits && b.read == 0 {
		return
	}
	scratch := make([]byte, 32<<10)
	for rest := b.limit; rest > 0; {
		n, err := b.take(scratch)
		if rest -= int64(n); err != nil {
			return
		}
	}
}

// Close ends the watch over the body. It may be called twice.
func (b *Body) Close() { b.once.Do(func() { close(b.done) }) }

// Stream is an answer that goes out at the client's pace.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

// Begun reports whether a part of the answer is out.
func (s *Stream) Begun() bool { return s.begun }

// Header is the header of the answer, to be set before the first write.
func (s *Stream) Header() http.Header { return s.w.Header() }

// Write sends a part of the answer. It fails when the client takes nothing for
// too long.
func (s *Stream) Write(p []byte) (int, error) {
	s.begun = true
	_ = s.control.SetWriteDeadline(time.Now().Add(standstill))
	return s.w.Write(p)
}

// Uncompressed sends the answer as it is written: events must not wait in a
// compressor.
func (s *Stream) Uncompressed() { s.Header().Set(gzhttp.HeaderNoCompression, "true") }

// Flush sends on what was written so far.
func (s *Stream) Flush() { _ = s.control.Flush() }

// Abort breaks the connection off: an answer that can't be finished must not
// look complete.
func (s *Stream) Abort() { panic(http.ErrAbortHandler) }
