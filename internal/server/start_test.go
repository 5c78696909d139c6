package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/processtest"
)

func TestSecondServerOnASQLiteFileIsRefusedWithAReason(t *testing.T) {
	first := processtest.Start(t)
	said := processtest.Refused(t, "UJUMBE_DATA_DIR="+first.DataDir)
	if !strings.Contains(said, "another ujumbe process is using") || !strings.Contains(said, "UJUMBE_DATA_DIR") {
		t.Errorf("the second server said %q", said)
	}
	if status, _ := first.Get(t.Context(), "/readyz", ""); status != http.StatusOK {
		t.Errorf("the first server is no longer ready: %d", status)
	}
}

func TestNodesMayStartAtOnceOnAnEmptyDatabase(t *testing.T) {
	cluster := processtest.StartCluster(t)
	nodes := processtest.StartAll(t, 4, "UJUMBE_DATABASE_URL="+cluster.URL,
		"UJUMBE_STAFF_OWNER_EMAIL=owner@example.com", "UJUMBE_STAFF_OWNER_PASSWORD=a long password")
	nodes[0].Customer("several@example.com")
	for i, issuer := range nodes {
		a := issuer.Call(t.Context(), "POST", "/api/v1/auth/login", "", map[string]any{"email": "several@example.com", "password": processtest.Password})
		for j, node := range nodes {
			if status, body := node.Get(t.Context(), "/api/v1/users/me", a.Field("accessToken")); status != http.StatusOK {
				t.Errorf("node %d does not take a token of node %d: %d %s", j, i, status, body)
			}
		}
	}
	db, err := database.Open(t.Context(), cluster.URL, database.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for what, query := range map[string]string{
		"staff owners":                    `SELECT COUNT(*) FROM staff`,
		"records of the newest migration": `SELECT COUNT(*) FROM goose_db_version WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)`,
	} {
		var n int
		if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil || n != 1 {
			t.Errorf("%s: %d, %v, want 1", what, n, err)
		}
	}
}

func TestSIGTERMTurnsReadinessRedWhileRequestsAreStillTaken(t *testing.T) {
	p := processtest.Start(t)
	if err := p.Signal(); err != nil {
		t.Fatal(err)
	}
	red := false
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		a := p.Call(t.Context(), "GET", "/readyz", "", nil)
		if a.Status == http.StatusServiceUnavailable {
			red = a.Field("code") == "stopping" && a.Header.Get("Retry-After") != ""
			break
		}
		if a.Status != http.StatusOK {
			t.Fatalf("/readyz is %d before it was red", a.Status)
		}
	}
	if !red {
		t.Fatal("/readyz never said that the server is stopping")
	}
	if status, _ := p.Get(t.Context(), "/healthz", ""); status != http.StatusOK {
		t.Errorf("a request after the notice got %d: the door was closed too early", status)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

func TestEveryDoorClosesWhileARequestIsInHand(t *testing.T) {
	address := processtest.FreeAddress(t)
	p := processtest.Start(t, "UJUMBE_ADMIN_LISTEN="+address)
	// A body that does not come to its end keeps the public side busy.
	public, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer public.Close()
	answers := bufio.NewReader(public)
	_, err = io.WriteString(public, "POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	inHand, err := http.ReadResponse(answers, nil)
	if err != nil || inHand.StatusCode != http.StatusContinue {
		t.Fatalf("the request is not taken up: %v, %v", inHand, err)
	}
	_ = inHand.Body.Close()
	if err := p.Signal(); err != nil {
		t.Fatal(err)
	}
	closed := false
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && !closed; time.Sleep(time.Millisecond) {
		admin, err := net.Dial("tcp", address)
		if closed = err != nil; !closed {
			_ = admin.Close()
		}
	}
	if !closed {
		t.Error("the staff's door stays open")
	}
	if _, err := io.WriteString(public, "{}"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("the request in hand got no answer: %v", err)
	}
	_ = answer.Body.Close()
	if err := p.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
}

func TestWrongConfigurationStopsTheStartAndIsNamed(t *testing.T) {
	for _, setting := range []string{
		"UJUMBE_LISTEN=8080",
		"UJUMBE_ADMIN_LISTEN=nowhere",
		"UJUMBE_PUBLIC_URL=sms.example.com",
		"UJUMBE_DATABASE_URL=mysql://localhost/ujumbe",
		"UJUMBE_SMTP_URL=mail.example.com",
		"UJUMBE_MAIL_FROM=nobody",
		"UJUMBE_BLOB_URL=ftp://example.com",
		"UJUMBE_STAFF_OWNER_EMAIL=owner@example.com",
		"UJUMBE_GATEWAY_TOKENS=onlyanid",
		"UJUMBE_TRUSTED_PROXIES=everyone",
		"UJUMBE_MAX_IMPORT_BYTES=lots",
		"UJUMBE_MAX_JSON_BYTES=1",
		"UJUMBE_DEV=maybe",
		"UJUMBE_RATE_LIMITS=sometimes",
		"UJUMBE_LOG_LEVEL=loud",
		"UJUMBE_LOG_FORMAT=xml",
		"UJUMBE_IDP_A_KIND=unheard",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(setting, "=")
			if said := processtest.Refused(t, setting); !strings.Contains(said, name) {
				t.Errorf("the refusal does not name %s: %q", name, said)
			}
		})
	}
	t.Run("development mode beyond loopback", func(t *testing.T) {
		if said := processtest.Refused(t, "UJUMBE_DEV=on", "UJUMBE_PUBLIC_URL=https://sms.example.com"); !strings.Contains(said, "UJUMBE_DEV") {
			t.Errorf("the refusal does not name UJUMBE_DEV: %q", said)
		}
	})
}

func TestTakenPortAndUnreachableDatabaseStopTheStart(t *testing.T) {
	first := processtest.Start(t)
	address := strings.TrimPrefix(first.URL, "http://")
	for setting, reason := range map[string]string{
		"UJUMBE_LISTEN=" + address:                                 address,
		"UJUMBE_DATABASE_URL=postgres://ujumbe@127.0.0.1:1/ujumbe": "127.0.0.1:1",
	} {
		if said := processtest.Refused(t, setting); !strings.Contains(said, reason) {
			t.Errorf("with %s: the refusal does not name %s: %q", setting, reason, said)
		}
	}
}

func TestStopIsCleanWithoutWork(t *testing.T) {
	eachDatabase(t, func(t *testing.T, settings ...string) {
		p := processtest.Start(t, settings...)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := p.Stop(); err != nil || ctx.Err() != nil {
			t.Errorf("stop: %v, %v", err, ctx.Err())
		}
	})
}
