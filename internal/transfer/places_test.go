package transfer_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/server/servertest"
)

// slowUpload begins an import that has its place and stands still. What is
// returned lets it come to its end.
func slowUpload(t *testing.T, s *servertest.Server, access string) (finish func()) {
	t.Helper()
	admitted := make(chan struct{})
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{Got100Continue: func() { close(admitted) }})
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/contacts/bulk", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+access)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Expect", "100-continue")
	var answered sync.WaitGroup
	answered.Go(func() {
		transport := &http.Transport{ExpectContinueTimeout: time.Minute}
		defer transport.CloseIdleConnections()
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Errorf("slow upload: %v", err)
			return
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusCreated {
			t.Errorf("slow upload: %d", response.StatusCode)
		}
	})
	select {
	case <-admitted:
	case <-time.After(time.Minute):
		t.Fatal("the upload has no place")
	}
	return func() {
		_, _ = io.Copy(rest, strings.NewReader(`{"contacts":[]}`))
		_ = rest.Close()
		answered.Wait()
	}
}

func TestOneOrganizationCantKeepTheOthersFromImporting(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		owner, other := s.Owner(), s.Owner()
		var finish []func()
		for range 32 {
			finish = append(finish, slowUpload(t, s, owner.Access))
		}
		refused := s.Want(bulk(s, owner.Access, `{"contacts":[]}`), http.StatusServiceUnavailable)
		if refused.Code() != "busy" || refused.Header.Get("Retry-After") == "" {
			t.Errorf("refused with %s", refused.Body)
		}
		countsOf(t, bulk(s, other.Access, `{"contacts":[]}`))
		for _, end := range finish {
			end()
		}
		countsOf(t, bulk(s, owner.Access, `{"contacts":[]}`))
	})
}
