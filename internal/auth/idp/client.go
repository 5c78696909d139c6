package idp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// requestTime bounds one request to a provider, answer included.
	requestTime = 5 * time.Second
	// maxAnswer bounds what a provider may send; the largest key sets and
	// discovery documents have some 20 KiB.
	maxAnswer    = 1 << 20
	maxRedirects = 3
)

// newClient returns the only way by which providers are reached. Everything a
// provider sends is bounded in time and size.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Timeout:   requestTime,
		Transport: bounded{transport},
		// A code or a client secret goes where the operator said, and nowhere
		// else; what is read may have moved, but not to a lesser scheme.
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || via[0].Method != http.MethodGet || next.URL.Scheme != via[0].URL.Scheme {
				return fmt.Errorf("%w: unexpected redirect to %s", ErrUnavailable, next.URL.Host)
			}
			return nil
		},
	}
}

// bounded reads answers in full before anyone sees them, so that every way in
// which one can fail is an error of the request itself.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err == nil && len(body) > maxAnswer:
		err = errors.New("answer too large")
	case err == nil && isFailure(r.Method, response.StatusCode):
		err = errors.New(response.Status)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// isFailure reports whether a status is the provider's failure. To a posted code
// a 4xx is an answer; to a read of what must be there it is not.
func isFailure(method string, status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests ||
		(method == http.MethodGet && status >= http.StatusBadRequest)
}
