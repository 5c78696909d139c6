package devidp

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
)

// Transport returns a way to the provider that never leaves the process: the
// server that embeds it need not be reachable by its own public address.
func (p *Provider) Transport() http.RoundTripper {
	prefix := ""
	if u, err := url.Parse(p.Issuer); err == nil {
		prefix = u.Path
	}
	return direct{http.StripPrefix(prefix, p)}
}

type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	// A server's request always has a body; a client's need not.
	inner := r.Clone(r.Context())
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	d.handler.ServeHTTP(w, inner)
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
