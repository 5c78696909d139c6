package process

import (
	"fmt"
	"io"
	"log"
	"net"
	"sync"

	"github.com/emersion/go-smtp"
)

// MailServer is a mail server that counts what it gets and that can fall silent:
// it then takes connections and says nothing.
type MailServer struct {
	listener net.Listener
	server   *smtp.Server

	mu       sync.Mutex
	silent   bool
	held     []net.Conn
	received map[string][]string // contents by address
}

// StartMailServer starts one on a free port.
func StartMailServer() (*MailServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	m := &MailServer{listener: listener, received: map[string][]string{}}
	m.server = smtp.NewServer(mailBackend{m})
	m.server.Domain, m.server.ErrorLog = "mx.example.com", log.New(io.Discard, "", 0)
	go func() { _ = m.server.Serve(silencer{listener, m}) }()
	return m, nil
}

// URL is the address for UJUMBE_SMTP_URL.
func (m *MailServer) URL() string { return "smtp://" + m.listener.Addr().String() }

// Close ends the server.
func (m *MailServer) Close() {
	m.Silence(false)
	_ = m.server.Close()
	_ = m.listener.Close()
}

// Silence begins, or ends and with it the connections that waited through it.
func (m *MailServer) Silence(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = on
	for _, conn := range m.held {
		_ = conn.Close()
	}
	m.held = nil
}

// Waiting is how many connections wait for the silence to end.
func (m *MailServer) Waiting() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.held)
}

// MailsTo is how many mails an address has got.
func (m *MailServer) MailsTo(address string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.received[address])
}

// last is the newest mail to an address, or "".
func (m *MailServer) last(address string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.received[address]
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// silencer keeps from the server the connections that come while it is silent.
type silencer struct {
	net.Listener
	of *MailServer
}

func (s silencer) Accept() (net.Conn, error) {
	for {
		conn, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s.of.mu.Lock()
		silent := s.of.silent
		if silent {
			s.of.held = append(s.of.held, conn)
		}
		s.of.mu.Unlock()
		if !silent {
			return conn, nil
		}
	}
}

type mailBackend struct{ of *MailServer }

func (b mailBackend) NewSession(*smtp.Conn) (smtp.Session, error) { return &mailSession{of: b.of}, nil }

type mailSession struct {
	of *MailServer
	to string
}

func (s *mailSession) Reset() { s.to = "" }

func (*mailSession) Logout() error { return nil }

func (*mailSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.received[s.to] = append(s.of.received[s.to], string(content))
	return nil
}
