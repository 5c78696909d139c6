package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// delivery is a mail as the server got it.
type delivery struct {
	from, to string
	raw      []byte
	hello    string
	tls      bool
	user     string
}

// smtpServer is a mail server in this process. Its zero value, started, takes
// everything in the clear; each field changes one thing.
type smtpServer struct {
	startTLS, implicitTLS bool
	user, password        string
	auth                  []string // mechanisms offered; PLAIN when there is a user
	refuseMail            error    // answer to MAIL
	refuseRcpt            error    // answer to RCPT
	refuseData            error    // answer after the content

	addr string
	pool *x509.CertPool

	mu         sync.Mutex
	deliveries []delivery
	sessions   int // ever opened
	open       sync.WaitGroup
}

func (s *smtpServer) start(t testing.TB) *smtpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = listener.Addr().String()
	server := smtp.NewServer(s)
	server.Domain = "mx.example.com"
	server.AllowInsecureAuth = true
	server.ErrorLog = log.New(io.Discard, "", 0)
	if s.startTLS || s.implicitTLS {
		var config *tls.Config
		config, s.pool = selfSigned(t)
		if s.implicitTLS {
			listener = tls.NewListener(listener, config)
		} else {
			server.TLSConfig = config
		}
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // the server may not have got to know it yet
		<-served
	})
	return s
}

// url is the address of the server for NewSMTP.
func (s *smtpServer) url(scheme, user, password, query string) string {
	u := url.URL{Scheme: scheme, Host: s.addr, RawQuery: query}
	if user != "" {
		u.User = url.UserPassword(user, password)
	}
	return u.String()
}

func (s *smtpServer) received() []delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]delivery(nil), s.deliveries...)
}

func (s *smtpServer) opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions
}

func (s *smtpServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	s.sessions++
	s.mu.Unlock()
	s.open.Add(1)
	plain := &smtpSession{server: s, conn: c}
	if s.user == "" {
		return plain, nil
	}
	return &smtpAuthSession{plain}, nil
}

type smtpSession struct {
	server *smtpServer
	conn   *smtp.Conn
	now    delivery
	user   string
}

func (s *smtpSession) Reset() { s.now = delivery{} }

func (s *smtpSession) Logout() error {
	s.server.open.Done()
	return nil
}

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.user != "" && s.user == "" {
		return smtp.ErrAuthRequired
	}
	s.now = delivery{from: from, hello: s.conn.Hostname(), user: s.user}
	_, s.now.tls = s.conn.TLSConnectionState()
	return s.server.refuseMail
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to = to
	return s.server.refuseRcpt
}

func (s *smtpSession) Data(r io.Reader) (err error) {
	if s.now.raw, err = io.ReadAll(r); err != nil {
		return err
	}
	if s.server.refuseData != nil {
		return s.server.refuseData
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.deliveries = append(s.server.deliveries, s.now)
	return nil
}

// smtpAuthSession is kept apart, because offering no mechanism is still an
// offer of AUTH.
type smtpAuthSession struct{ *smtpSession }

func (s *smtpAuthSession) AuthMechanisms() []string {
	if s.server.auth != nil {
		return s.server.auth
	}
	return []string{sasl.Plain}
}

func (s *smtpAuthSession) Auth(mechanism string) (sasl.Server, error) {
	check := func(user, password string) error {
		if user != s.server.user || password != s.server.password {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}
	switch mechanism {
	case sasl.Plain:
		return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
	case sasl.Login:
		return &loginServer{check: check}, nil
	}
	return nil, errors.New("no such mechanism")
}

// loginServer is the LOGIN mechanism, which go-sasl has for clients only.
type loginServer struct {
	check func(user, password string) error
	user  string
	step  int
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.user, string(response))
}

// selfSigned makes a certificate for 127.0.0.1 and the pool that trusts it.
func selfSigned(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mx.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(certificate)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}
