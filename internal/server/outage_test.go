package server_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
	"ujumbe/internal/server/processtest"
)

const (
	// patience is how long a client waits: operations are bounded to 15 s, so an
	// answer that takes longer is a hang.
	patience = 20 * time.Second
	// recovery is how soon after PostgreSQL accepts connections everything works
	// again: 5 s are promised, the rest is for a busy test machine.
	recovery = 10 * time.Second
)

// load is traffic that goes on while something breaks.
type load struct {
	t       *testing.T
	p       *processtest.Process
	clients sync.WaitGroup
	stop    context.CancelFunc

	succeeded, refused atomic.Int64
	mu                 sync.Mutex
	registered         []string
}

// startLoad sends registrations, logins and reads until stopped. The only
// answers it lets pass are success and 503 with Retry-After.
func startLoad(t *testing.T, p *processtest.Process) *load {
	t.Helper()
	access := p.Customer("load@example.com")
	ctx, stop := context.WithCancel(t.Context())
	l := &load{t: t, p: p, stop: stop}
	for i := range 2 {
		l.client(ctx, func(n int) {
			email := fmt.Sprintf("load%d-%d@example.com", i, n)
			if l.call("POST", "/api/v1/auth/register", "", registration(email), http.StatusCreated) {
				l.mu.Lock()
				l.registered = append(l.registered, email)
				l.mu.Unlock()
			}
		})
	}
	l.client(ctx, func(int) {
		l.call("POST", "/api/v1/auth/login", "", map[string]any{"email": "load@example.com", "password": processtest.Password}, http.StatusOK)
	})
	for range 2 {
		l.client(ctx, func(int) { l.call("GET", "/api/v1/users/me", access, nil, http.StatusOK) })
	}
	return l
}

// client repeats a request, with a breath in between that leaves the machine to
// others.
func (l *load) client(ctx context.Context, request func(n int)) {
	l.clients.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			request(n)
			time.Sleep(20 * time.Millisecond)
		}
	})
}

func (l *load) call(method, path, access string, body any, want int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a := l.p.Call(ctx, method, path, access, body)
	switch {
	case a.Status == want:
		l.succeeded.Add(1)
	case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
		l.refused.Add(1)
	case a.Status == 0:
		l.t.Errorf("%s %s: no answer within %s", method, path, patience)
	default:
		l.t.Errorf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	return a.Status == want
}

// end stops the load and returns the addresses whose registration was
// acknowledged.
func (l *load) end() []string {
	l.stop()
	l.clients.Wait()
	return l.registered
}

func TestPostgreSQLRestartedUnderLoad(t *testing.T) {
	cluster := processtest.StartCluster(t)
	p := processtest.Start(t, "UJUMBE_DATABASE_URL="+cluster.URL)
	l := startLoad(t, p)
	for _, mode := range []string{"fast", "immediate"} {
		time.Sleep(time.Second)
		cluster.Stop(mode)
		awaitReadiness(t, p, http.StatusServiceUnavailable, patience)
		time.Sleep(time.Second)
		cluster.Start()
		started := time.Now()
		awaitReadiness(t, p, http.StatusOK, recovery)
		served := l.succeeded.Load()
		for l.succeeded.Load() < served+20 {
			if time.Since(started) > recovery {
				t.Fatalf("after a %s stop: not healthy %s after PostgreSQL was back", mode, recovery)
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("%s stop: healthy %s after PostgreSQL was back", mode, time.Since(started).Round(time.Millisecond))
	}
	registered := l.end()
	if l.refused.Load() == 0 {
		t.Error("no request was told to come back: the outage went unnoticed")
	}
	db, err := database.Open(t.Context(), cluster.URL, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var stored int
	if err := db.QueryRow(t.Context(), `SELECT COUNT(*) FROM users WHERE email_key IN (SELECT key FROM json_each($1))`, database.Texts(registered)).Scan(&stored); err != nil || stored != len(registered) {
		t.Errorf("%d of %d acknowledged registrations are stored, %v", stored, len(registered), err)
	}
	t.Logf("%d requests succeeded, %d were told to come back, %d registrations", l.succeeded.Load(), l.refused.Load(), len(registered))
}

// awaitReadiness waits until /readyz has the status.
func awaitReadiness(t *testing.T, p *processtest.Process, status int, within time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		got, body := p.Get(ctx, "/readyz", "")
		cancel()
		if got == status {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("/readyz is %d, want %d within %s: %s", got, status, within, body)
		}
	}
}

func TestSilentMailServerHoldsNobodyUpAndLosesNoMail(t *testing.T) {
	eachDatabase(t, func(t *testing.T, settings ...string) {
		mail, err := process.StartMailServer()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(mail.Close)
		mail.Silence(true)
		p := processtest.Start(t, append(settings, "UJUMBE_SMTP_URL="+mail.URL())...)
		// More than there are workers, so that mails wait in the queue too.
		var addresses []string
		for i := range 20 {
			email := fmt.Sprintf("outage%d@example.com", i)
			addresses = append(addresses, email)
			if status, body := p.Post(t.Context(), "/api/v1/auth/register", "", registration(email)); status != http.StatusCreated {
				t.Fatalf("register while the mail server is silent: %d %s", status, body)
			}
		}
		for deadline := time.Now().Add(patience); mail.Waiting() == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nobody tried to send a mail")
			}
		}
		mail.Silence(false)
		deadline := time.Now().Add(time.Minute)
		for _, address := range addresses {
			for mail.MailsTo(address) == 0 {
				if time.Now().After(deadline) {
					t.Fatalf("no mail to %s after the mail server came back", address)
				}
				time.Sleep(20 * time.Millisecond)
			}
		}
	})
}
