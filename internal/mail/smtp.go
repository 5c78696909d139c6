package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"ujumbe/internal/clock"
)

const (
	dialTimeout    = 5 * time.Second
	sendTimeout    = 10 * time.Second
	bytesPerSecond = 256 << 10       // slowest line on which a large attachment still arrives
	idleFor        = 5 * time.Second // servers close idle connections only after minutes
	maxIdle        = 4
	maxPerSession  = 50 // many servers end a session after a hundred mails
	quitTimeout    = time.Second
)

// SMTPOptions are the settings of an SMTP sender that have good defaults.
type SMTPOptions struct {
	// Timeout bounds one send from connecting to the server's last word;
	// attachments get time on top by their size. Zero means ten seconds.
	Timeout time.Duration
	// RootCAs verify the server's certificate; nil means those of the system.
	RootCAs *x509.CertPool
	// Clock dates the mails; nil means the machine's.
	Clock clock.Clock
}

// SMTP sends mail through a server. A connection stays open for a few seconds
// after use, so that a burst does not pay for a handshake with each mail.
type SMTP struct {
	server  smtpServer
	from    From
	timeout time.Duration
	roots   *x509.CertPool
	clock   clock.Clock
	idle    chan *session
}

// NewSMTP makes a sender for a server given as smtp://user:password@host:port
// (see parseSMTPURL for its handling of TLS) or smtps://…. It does not connect;
// a server that is down at the start may come up later. Errors never hold the
// URL, which has a password in it.
func NewSMTP(rawURL string, from From, o SMTPOptions) (*SMTP, error) {
	server, err := parseSMTPURL(rawURL)
	if err != nil {
		return nil, err
	}
	if from.domain() == "" {
		return nil, errBadFrom
	}
	s := &SMTP{server: server, from: from, timeout: o.Timeout, roots: o.RootCAs, clock: o.Clock}
	s.idle = make(chan *session, maxIdle)
	if s.timeout <= 0 {
		s.timeout = sendTimeout
	}
	if s.clock == nil {
		s.clock = clock.System{}
	}
	return s, nil
}

// Send hands one mail to the server and waits until the server has accepted it.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := compose(m, s.from, s.clock.Now(), gomail.EncodingQP)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout+transferTime(attachedBytes(m)))
	defer cancel()
	c, err := s.connect(ctx)
	if err != nil {
		return fmt.Errorf("reach mail server: %w", withCause(ctx, err))
	}
	if err := c.send(ctx, msg); err != nil {
		return fmt.Errorf("send mail: %w", withCause(ctx, judge(err)))
	}
	s.keep(c)
	return nil
}

// Close ends the connections that wait for more mail.
func (s *SMTP) Close() error {
	for {
		select {
		case c := <-s.idle:
			if c.expiry.Stop() {
				c.quit()
			}
		default:
			return nil
		}
	}
}

func transferTime(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / bytesPerSecond
}

// withCause names the end of ctx as the cause when that is why I/O failed.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// connect returns a waiting connection that still answers, or a new one. The
// question is asked before any mail is offered: a send that failed half way is
// never repeated here, because the server may have taken the mail.
func (s *SMTP) connect(ctx context.Context) (*session, error) {
	for {
		select {
		case c := <-s.idle:
			if c.expiry.Stop() && c.alive(ctx) {
				return c, nil
			}
		default:
			return s.dial(ctx)
		}
	}
}

// keep puts a connection aside for the next mail.
func (s *SMTP) keep(c *session) {
	if c.spent || c.sent >= maxPerSession {
		c.quit()
		return
	}
	c.expiry = time.AfterFunc(idleFor, c.quit)
	select {
	case s.idle <- c:
	default:
		if c.expiry.Stop() {
			c.quit()
		}
	}
}

// session is one connection to the server, used by one mail at a time.
type session struct {
	client *gomail.Client
	smtp   *smtp.Client
	conn   net.Conn
	expiry *time.Timer
	sent   int
	spent  bool // closed under our hands
}

func (s *SMTP) dial(ctx context.Context) (*session, error) {
	c := new(session)
	release := func() bool { return true }
	open := func(dialCtx context.Context, network, _ string) (net.Conn, error) {
		conn, err := s.open(dialCtx, network)
		if err == nil {
			c.conn = conn
			release = c.guard(ctx)
		}
		return conn, err
	}
	var err error
	// A go-mail client of its own per connection: it keeps state that is not
	// safe to share.
	if c.client, err = gomail.NewClient(s.server.host, s.options(open)...); err != nil {
		return nil, err
	}
	c.smtp, err = c.client.DialToSMTPClientWithContext(ctx)
	if !release() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return c, nil
	}
	if c.conn != nil {
		_ = c.conn.Close() // go-mail leaves it open when a greeting or login fails
	}
	return nil, err
}

func (s *SMTP) options(open gomail.DialContextFunc) []gomail.Option {
	all := []gomail.Option{
		gomail.WithDialContextFunc(open),
		gomail.WithHELO(s.from.domain()),
		gomail.WithTimeout(s.timeout + transferTime(maxAttached)),
		gomail.WithTLSPolicy(s.server.policy),
		gomail.WithTLSConfig(s.tlsConfig()),
		gomail.WithoutNoop(), // alive asks, and only of connections that waited
		gomail.WithoutRset(), // its failure would pass for a failed delivery
	}
	if s.server.implicitTLS {
		all = append(all, gomail.WithSSL())
	}
	if s.server.user != "" {
		all = append(all, gomail.WithUsername(s.server.user), gomail.WithPassword(s.server.password),
			gomail.WithOpportunisticSMTPAuth(s.server.mechanisms()...))
	}
	return all
}

func (s *SMTP) open(ctx context.Context, network string) (net.Conn, error) {
	plain := &net.Dialer{Timeout: dialTimeout}
	if !s.server.implicitTLS {
		return plain.DialContext(ctx, network, s.server.address())
	}
	secure := tls.Dialer{NetDialer: plain, Config: s.tlsConfig()}
	return secure.DialContext(ctx, network, s.server.address())
}

func (s *SMTP) tlsConfig() *tls.Config {
	return &tls.Config{
		ServerName: s.server.host,
		MinVersion: tls.VersionTLS12,
		RootCAs:    s.roots,
		// Where plain text would do, TLS with anyone is no worse (RFC 7435).
		InsecureSkipVerify: s.server.policy == gomail.TLSOpportunistic, //nolint:gosec // see above
	}
}

// guard closes the connection when ctx ends, which wakes whatever read or write
// hangs on it. The returned function lifts the guard and reports whether the
// connection was left alone.
func (c *session) guard(ctx context.Context) (release func() bool) {
	return context.AfterFunc(ctx, func() { _ = c.conn.Close() })
}

func (c *session) alive(ctx context.Context) bool {
	release := c.guard(ctx)
	err := c.smtp.Noop()
	if release() && err == nil {
		return true
	}
	_ = c.conn.Close()
	return false
}

// send offers the mail. Once the server has accepted it nothing is an error any
// more, or the mail would be sent again. After an error the connection is gone.
func (c *session) send(ctx context.Context, msg *gomail.Msg) error {
	release := c.guard(ctx)
	err := c.client.SendWithSMTPClient(c.smtp, msg)
	c.sent++
	if release() && err == nil {
		return nil
	}
	_ = c.conn.Close()
	if msg.IsDelivered() {
		c.spent = true
		return nil
	}
	return err
}

// quit says goodbye and closes, without waiting long for an answer.
func (c *session) quit() {
	_ = c.conn.SetDeadline(time.Now().Add(quitTimeout))
	_ = c.smtp.Quit()
	_ = c.conn.Close()
}
