package mail_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"ujumbe/internal/mail"
)

var from = mail.From{Name: "Ujumbe", Address: "no-reply@example.com"}

func plainMessage() mail.Message {
	return mail.Message{To: "amina@example.org", Subject: "Hello", Text: "Hello Amina\n", HTML: "<p>Hello Amina</p>"}
}

func newSMTP(t testing.TB, url string, o mail.SMTPOptions) *mail.SMTP {
	t.Helper()
	s, err := mail.NewSMTP(url, from, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSMTPDelivers(t *testing.T) {
	for name, c := range map[string]struct {
		server                *smtpServer
		scheme, user, query   string
		trusted, wantTLS, bad bool
	}{
		"in the clear":                                 {server: &smtpServer{}, scheme: "smtp"},
		"in the clear when told so":                    {server: &smtpServer{startTLS: true}, scheme: "smtp", query: "tls=off"},
		"with STARTTLS when offered":                   {server: &smtpServer{startTLS: true}, scheme: "smtp", trusted: true, wantTLS: true},
		"with STARTTLS of an unknown certificate":      {server: &smtpServer{startTLS: true}, scheme: "smtp", wantTLS: true},
		"with required STARTTLS":                       {server: &smtpServer{startTLS: true}, scheme: "smtp", query: "tls=required", trusted: true, wantTLS: true},
		"not when required STARTTLS is missing":        {server: &smtpServer{}, scheme: "smtp", query: "tls=required", bad: true},
		"not when required STARTTLS can't be trusted":  {server: &smtpServer{startTLS: true}, scheme: "smtp", query: "tls=required", bad: true},
		"with TLS from the first byte":                 {server: &smtpServer{implicitTLS: true}, scheme: "smtps", trusted: true, wantTLS: true},
		"not over TLS that can't be trusted":           {server: &smtpServer{implicitTLS: true}, scheme: "smtps", bad: true},
		"with a password, on this machine":             {server: &smtpServer{user: "u", password: "p@ss/w:rd"}, scheme: "smtp", user: "u"},
		"with a password and STARTTLS":                 {server: &smtpServer{user: "u", password: "p@ss/w:rd", startTLS: true}, scheme: "smtp", user: "u", query: "tls=required", trusted: true, wantTLS: true},
		"with a password and TLS":                      {server: &smtpServer{user: "u", password: "p@ss/w:rd", implicitTLS: true}, scheme: "smtps", user: "u", trusted: true, wantTLS: true},
		"with a password by LOGIN":                     {server: &smtpServer{user: "u", password: "p@ss/w:rd", implicitTLS: true, auth: []string{"LOGIN"}}, scheme: "smtps", user: "u", trusted: true, wantTLS: true},
		"with a password by LOGIN, on this machine":    {server: &smtpServer{user: "u", password: "p@ss/w:rd", auth: []string{"LOGIN"}}, scheme: "smtp", user: "u"},
		"not with the wrong password":                  {server: &smtpServer{user: "u", password: "other", implicitTLS: true}, scheme: "smtps", user: "u", trusted: true, bad: true},
		"not with a password the server can't take":    {server: &smtpServer{}, scheme: "smtp", user: "u", bad: true},
		"not without the password the server asks for": {server: &smtpServer{user: "u", password: "p"}, scheme: "smtp", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := c.server.start(t)
			o := mail.SMTPOptions{}
			if c.trusted {
				o.RootCAs = server.pool
			}
			sender := newSMTP(t, server.url(c.scheme, c.user, "p@ss/w:rd", c.query), o)
			err := sender.Send(t.Context(), plainMessage())
			if (err != nil) != c.bad {
				t.Fatalf("Send: %v", err)
			}
			if c.bad {
				if mail.IsPermanent(err) {
					t.Errorf("%v is permanent; the operator can mend it", err)
				}
				if strings.Contains(err.Error(), "p@ss") {
					t.Errorf("error shows the password: %v", err)
				}
				server.open.Wait() // every connection was closed
				return
			}
			got := server.received()
			if len(got) != 1 || got[0].from != from.Address || got[0].to != "amina@example.org" {
				t.Fatalf("got %+v", got)
			}
			if got[0].tls != c.wantTLS || got[0].user != c.user {
				t.Errorf("TLS %v, user %q", got[0].tls, got[0].user)
			}
			if got[0].hello != "example.com" {
				t.Errorf("greeted as %q; want the sender's domain", got[0].hello)
			}
		})
	}
}

func TestSMTPTellsPermanentFromTemporary(t *testing.T) {
	refusal := func(code int, enhanced smtp.EnhancedCode) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "no"}
	}
	for name, c := range map[string]struct {
		server    *smtpServer
		permanent bool
	}{
		"unknown recipient":         {&smtpServer{refuseRcpt: refusal(550, smtp.EnhancedCode{5, 1, 1})}, true},
		"without an enhanced code":  {&smtpServer{refuseRcpt: refusal(550, smtp.NoEnhancedCode)}, true},
		"content refused":           {&smtpServer{refuseData: refusal(554, smtp.EnhancedCode{5, 6, 0})}, true},
		"too large":                 {&smtpServer{refuseData: refusal(552, smtp.EnhancedCode{5, 3, 4})}, true},
		"greylisted":                {&smtpServer{refuseRcpt: refusal(450, smtp.EnhancedCode{4, 2, 0})}, false},
		"mailbox full for now":      {&smtpServer{refuseRcpt: refusal(452, smtp.EnhancedCode{4, 2, 2})}, false},
		"content deferred":          {&smtpServer{refuseData: refusal(451, smtp.EnhancedCode{4, 3, 0})}, false},
		"sender refused":            {&smtpServer{refuseMail: refusal(550, smtp.EnhancedCode{5, 1, 8})}, false},
		"sender busy":               {&smtpServer{refuseMail: refusal(421, smtp.EnhancedCode{4, 3, 2})}, false},
		"relay denied by policy":    {&smtpServer{refuseRcpt: refusal(554, smtp.EnhancedCode{5, 7, 1})}, false},
		"authentication asked late": {&smtpServer{refuseRcpt: refusal(530, smtp.NoEnhancedCode)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := c.server.start(t)
			err := newSMTP(t, server.url("smtp", "", "", ""), mail.SMTPOptions{}).Send(t.Context(), plainMessage())
			if err == nil {
				t.Fatal("sent")
			}
			if mail.IsPermanent(err) != c.permanent {
				t.Errorf("permanent %v: %v", !c.permanent, err)
			}
			if wrapped := fmt.Errorf("job: %w", err); mail.IsPermanent(wrapped) != c.permanent {
				t.Error("wrapping changes the judgement")
			}
			server.open.Wait()
		})
	}
}

func TestSMTPMessageThatNobodyCouldSendIsRefusedForGood(t *testing.T) {
	server := new(smtpServer).start(t)
	sender := newSMTP(t, server.url("smtp", "", "", ""), mail.SMTPOptions{})
	for name, change := range map[string]func(*mail.Message){
		"no address":            func(m *mail.Message) { m.To = "" },
		"address with a name":   func(m *mail.Message) { m.To = "Amina <amina@example.org>" },
		"address with a header": func(m *mail.Message) { m.To = "amina@example.org\r\nBcc: all@example.org" },
		"two addresses":         func(m *mail.Message) { m.To = "amina@example.org,all@example.org" },
		"no text":               func(m *mail.Message) { m.Text = "" },
		"oversize body":         func(m *mail.Message) { m.HTML = strings.Repeat("x", 1<<20+1) },
		"oversize attachment": func(m *mail.Message) {
			m.Attachments = []mail.Attachment{{Name: "x", Type: "text/csv", Content: make([]byte, 10<<20+1)}}
		},
		"odd media type": func(m *mail.Message) {
			m.Attachments = []mail.Attachment{{Name: "x", Type: "text/csv\r\nX-Evil: 1", Content: []byte("x")}}
		},
	} {
		m := plainMessage()
		change(&m)
		if err := sender.Send(t.Context(), m); !mail.IsPermanent(err) {
			t.Errorf("%s: %v; want a permanent error", name, err)
		}
	}
	if n := server.opened(); n != 0 {
		t.Errorf("%d connections made for it", n)
	}
}

func TestSMTPServerDown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	for _, scheme := range []string{"smtp", "smtps"} {
		err = newSMTP(t, scheme+"://"+addr, mail.SMTPOptions{}).Send(t.Context(), plainMessage())
		if err == nil || mail.IsPermanent(err) {
			t.Errorf("%s: %v; want a passing error", scheme, err)
		}
	}
}

// hangingServer speaks its lines, one for each line it hears, and then falls
// silent with the connection open. It reports when it has.
func hangingServer(t *testing.T, lines ...string) (addr string, silent <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done, hung := make(chan struct{}), make(chan struct{}, 1)
	t.Cleanup(func() { close(done); _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		heard := bufio.NewScanner(conn)
		for i, line := range lines {
			if i > 0 && !heard.Scan() {
				return
			}
			fmt.Fprint(conn, line+"\r\n")
		}
		hung <- struct{}{}
		<-done
	}()
	return listener.Addr().String(), hung
}

func TestSMTPNeverHangs(t *testing.T) {
	hello := []string{"220 mx.example.com", "250 mx.example.com"}
	stages := map[string][]string{
		"before the greeting": nil,
		"after the greeting":  {"220 mx.example.com"},
		"after MAIL":          append(hello, "250 ok"),
		"after DATA":          append(hello, "250 ok", "250 ok", "354 go on"),
		"in STARTTLS":         {"220 mx.example.com", "250-mx.example.com\r\n250 STARTTLS", "220 go on"},
	}
	for name, lines := range stages {
		t.Run("cancelled "+name, func(t *testing.T) {
			t.Parallel()
			addr, silent := hangingServer(t, lines...)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-silent; cancel() }()
			err := newSMTP(t, "smtp://"+addr, mail.SMTPOptions{}).Send(ctx, plainMessage())
			if !errors.Is(err, context.Canceled) || mail.IsPermanent(err) {
				t.Errorf("%v; want the cancellation", err)
			}
		})
		t.Run("timed out "+name, func(t *testing.T) {
			t.Parallel()
			addr, _ := hangingServer(t, lines...)
			err := newSMTP(t, "smtp://"+addr, mail.SMTPOptions{Timeout: 50 * time.Millisecond}).Send(t.Context(), plainMessage())
			if !errors.Is(err, context.DeadlineExceeded) || mail.IsPermanent(err) {
				t.Errorf("%v; want a timeout", err)
			}
		})
	}
	t.Run("cancelled in TLS", func(t *testing.T) {
		t.Parallel()
		addr, silent := hangingServer(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-silent; cancel() }()
		err := newSMTP(t, "smtps://"+addr, mail.SMTPOptions{}).Send(ctx, plainMessage())
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v; want the cancellation", err)
		}
	})
	t.Run("cancelled before it began", func(t *testing.T) {
		server := new(smtpServer).start(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := newSMTP(t, server.url("smtp", "", "", ""), mail.SMTPOptions{}).Send(ctx, plainMessage())
		if !errors.Is(err, context.Canceled) || server.opened() != 0 {
			t.Errorf("%v after %d connections", err, server.opened())
		}
	})
}

func TestSMTPWaitingConnectionOutlivesTheContextItWasMadeIn(t *testing.T) {
	server := new(smtpServer).start(t)
	sender := newSMTP(t, server.url("smtp", "", "", ""), mail.SMTPOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	if err := sender.Send(ctx, plainMessage()); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := sender.Send(t.Context(), plainMessage()); err != nil {
		t.Fatal(err)
	}
	if got, n := len(server.received()), server.opened(); got != 2 || n != 1 {
		t.Errorf("%d mails over %d connections; want 2 over 1", got, n)
	}
}

func TestSMTPBurstSharesAConnection(t *testing.T) {
	server := (&smtpServer{implicitTLS: true}).start(t)
	sender := newSMTP(t, server.url("smtps", "", "", ""), mail.SMTPOptions{RootCAs: server.pool})
	for range 60 {
		if err := sender.Send(t.Context(), plainMessage()); err != nil {
			t.Fatal(err)
		}
	}
	if got, n := len(server.received()), server.opened(); got != 60 || n != 2 {
		t.Errorf("%d mails over %d connections; want 60 over 2", got, n)
	}
	if err := sender.Close(); err != nil {
		t.Fatal(err)
	}
	server.open.Wait()
}

func TestSMTPManyAtOnce(t *testing.T) {
	server := (&smtpServer{user: "u", password: "p"}).start(t)
	sender := newSMTP(t, server.url("smtp", "u", "p", ""), mail.SMTPOptions{})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			m := plainMessage()
			m.To = fmt.Sprintf("user%d@example.org", i)
			if err := sender.Send(t.Context(), m); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	for _, d := range server.received() {
		seen[d.to]++
	}
	if len(seen) != 40 || len(server.received()) != 40 {
		t.Errorf("%d mails to %d people; want 40 to 40", len(server.received()), len(seen))
	}
}

func TestSMTPWaitingConnectionThatDiedIsReplaced(t *testing.T) {
	// A server that ends each connection after one mail, without a word.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	delivered := make(chan struct{}, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serveOne(conn)
			delivered <- struct{}{}
		}
	}()
	sender := newSMTP(t, "smtp://"+listener.Addr().String(), mail.SMTPOptions{})
	for range 3 {
		if err := sender.Send(t.Context(), plainMessage()); err != nil {
			t.Fatal(err)
		}
		<-delivered
	}
}

// serveOne takes one mail and hangs up.
func serveOne(conn net.Conn) {
	defer conn.Close()
	heard := bufio.NewScanner(conn)
	say := func(line string) { fmt.Fprint(conn, line+"\r\n") }
	say("220 mx.example.com")
	for heard.Scan() {
		switch verb, _, _ := strings.Cut(heard.Text(), " "); verb {
		case "DATA":
			say("354 go on")
			for heard.Scan() && heard.Text() != "." {
			}
			say("250 ok")
			return
		default:
			say("250 ok")
		}
	}
}

func TestSMTPURLs(t *testing.T) {
	for _, good := range []string{
		"smtp://mx.example.com", "smtp://mx.example.com:2525", "smtp://u:p@mx.example.com:587", "smtps://u:p@mx.example.com",
		"smtp://u%40example.com:p%2Fw%23@mx.example.com:587", "smtp://[::1]:2525", "smtp://localhost:1025?tls=off",
		"smtp://u:p@mx.example.com?tls=required", "smtps://mx.example.com/?tls=required",
	} {
		if _, err := mail.NewSMTP(good, from, mail.SMTPOptions{}); err != nil {
			t.Errorf("NewSMTP(%q): %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "mx.example.com:25", "http://mx.example.com", "smtp://", "smtp://:25", "smtp://u:s3cret@mx.example.com:port",
		"smtp://u:s3cret@mx.example.com:0", "smtp://u:s3cret@mx.example.com:70000", "smtp://u:s3cret@mx.example.com/inbox",
		"smtp://u:s3cret@mx.example.com?tls=maybe", "smtp://u:s3cret@mx.example.com?x=1", "smtps://u:s3cret@mx.example.com?tls=off",
		"smtp://u@mx.example.com", "smtp://:s3cret@mx.example.com", "smtp://u:s3cret@mx.example.com#x", "smtp://u:s3cret/%zz@mx.example.com",
	} {
		_, err := mail.NewSMTP(bad, from, mail.SMTPOptions{})
		if err == nil {
			t.Errorf("NewSMTP(%q) accepted", bad)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("NewSMTP(%q) shows the password: %v", bad, err)
		}
	}
	if _, err := mail.NewSMTP("smtp://mx.example.com", mail.From{}, mail.SMTPOptions{}); err == nil {
		t.Error("a sender without an address was accepted")
	}
}

func TestPasswordNeedsTLSBeyondThisMachine(t *testing.T) {
	// A name that is not loopback by its looks, but leads here.
	host, err := os.Hostname()
	if err != nil {
		t.Skip("no host name")
	}
	addrs, err := net.LookupHost(host)
	if err != nil || len(addrs) == 0 {
		t.Skip("the host name does not resolve")
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(addrs[0], "0"))
	if err != nil {
		t.Skip("can't listen on " + addrs[0])
	}
	heard := make(chan string, 100)
	go func() {
		defer close(heard)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprint(conn, "220 mx\r\n")
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			heard <- lines.Text()
			fmt.Fprint(conn, "250-mx\r\n250 AUTH PLAIN LOGIN\r\n")
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	sender := newSMTP(t, "smtp://u:p@"+net.JoinHostPort(host, port), mail.SMTPOptions{})
	if err := sender.Send(t.Context(), plainMessage()); err == nil || mail.IsPermanent(err) {
		t.Errorf("%v; want a passing refusal", err)
	}
	_ = listener.Close()
	for line := range heard {
		if strings.HasPrefix(line, "AUTH") {
			t.Errorf("password sent in the clear: %s", line)
		}
	}
}

func BenchmarkSMTPBurst(b *testing.B) {
	server := (&smtpServer{implicitTLS: true}).start(b)
	sender := newSMTP(b, server.url("smtps", "", "", ""), mail.SMTPOptions{RootCAs: server.pool})
	for b.Loop() {
		if err := sender.Send(b.Context(), plainMessage()); err != nil {
			b.Fatal(err)
		}
	}
}
