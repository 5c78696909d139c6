package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/server/processtest"
)

const (
	crowd = 2000
	// roomForCrowd is how much memory a crowd may cost above an idle server.
	roomForCrowd = 256 << 20
)

func TestTwoThousandLoginsAtOnceAreBoundedAndLeaveOthersAlone(t *testing.T) {
	eachDatabase(t, func(t *testing.T, settings ...string) {
		p := processtest.Start(t, settings...)
		access := p.Customer("crowd@example.com")
		idle := p.Memory()
		var (
			mu       sync.Mutex
			statuses = map[int]int{}
			logins   sync.WaitGroup
			begin    = make(chan struct{})
		)
		for range crowd {
			logins.Go(func() {
				<-begin
				a := p.Call(context.Background(), "POST", "/api/v1/auth/login", "", map[string]any{"email": "crowd@example.com", "password": processtest.Password})
				mu.Lock()
				defer mu.Unlock()
				statuses[a.Status]++
				if a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") == "" {
					t.Error("503 without Retry-After")
				}
			})
		}
		close(begin)
		done := make(chan struct{})
		go func() {
			logins.Wait()
			close(done)
		}()
		others := answersUntil(t, p, access, done)
		if statuses[http.StatusOK] == 0 || statuses[http.StatusServiceUnavailable] == 0 || statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable] != crowd {
			t.Errorf("answers by status: %v, want 200 for some and 503 for the surplus; the server said %.3000s", statuses, p.Said())
		}
		if grown := p.PeakMemory() - idle; grown > roomForCrowd {
			t.Errorf("memory grew by %d MiB above the idle %d MiB", grown>>20, idle>>20)
		}
		t.Logf("%v; %d other requests answered meanwhile; idle %d MiB, peak %d MiB", statuses, others, idle>>20, p.PeakMemory()>>20)
	})
}

// answersUntil reads until done is closed, at least once, and returns how many
// answers it got. All must be good.
func answersUntil(t *testing.T, p *processtest.Process, access string, done <-chan struct{}) int {
	t.Helper()
	for n := 0; ; n++ {
		for _, path := range []string{"/healthz", "/api/v1/users/me"} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			if status, body := p.Get(ctx, path, access); status != http.StatusOK {
				t.Errorf("GET %s amid the crowd: %d %s", path, status, body)
			}
			cancel()
		}
		select {
		case <-done:
			return n + 1
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func TestTwoThousandSlowConnectionsDoNoHarm(t *testing.T) {
	p := processtest.Start(t)
	access := p.Customer("slow@example.com")
	idle := p.Memory()
	address := strings.TrimPrefix(p.URL, "http://")
	slow := func(text string) net.Conn {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	var halfHeaders []net.Conn
	for range crowd / 2 {
		halfHeaders = append(halfHeaders, slow("GET /api/v1/users/me HTTP/1.1\r\nHost: localhost\r\nX-Slow: "))
		slow(fmt.Sprintf("POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", 1<<19))
	}
	done := make(chan struct{})
	time.AfterFunc(2*time.Second, func() { close(done) })
	answersUntil(t, p, access, done)
	if a := p.Call(t.Context(), "POST", "/api/v1/auth/login", "", map[string]any{"email": "slow@example.com", "password": processtest.Password}); a.Status != http.StatusOK {
		t.Errorf("login beside slow connections: %d %s", a.Status, a.Body)
	}
	if grown := p.PeakMemory() - idle; grown > roomForCrowd {
		t.Errorf("memory grew by %d MiB above the idle %d MiB", grown>>20, idle>>20)
	}
	// A client that never finishes its header is shown the door.
	for _, conn := range halfHeaders {
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.Copy(io.Discard, bufio.NewReader(conn)); err != nil {
			t.Fatalf("a connection with half a header is still open: %v", err)
		}
	}
}
