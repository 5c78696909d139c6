package mail

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// smtpServer is what an SMTP URL says.
type smtpServer struct {
	host, port     string
	user, password string
	implicitTLS    bool
	policy         gomail.TLSPolicy
}

// errBadSMTPURL does not repeat the URL, which holds a password.
var errBadSMTPURL = errors.New("the mail server must look like smtp://user:password@host:587 or " +
	"smtps://user:password@host:465, with special characters of the password percent-encoded; " +
	"smtp:// also takes ?tls=required or ?tls=off")

// parseSMTPURL reads the two forms of the URL.
//
// smtps:// is TLS from the first byte. smtp:// begins in the clear and turns to
// TLS with STARTTLS: always, with a verified certificate, when there is a
// password to protect or tls=required is given; else when the server offers it,
// and then the certificate is not checked, because without TLS the mail would
// have gone in the clear. A server on this machine may be used without TLS.
// tls=off never encrypts, not even the password, and is for trusted networks.
func parseSMTPURL(raw string) (smtpServer, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return smtpServer{}, errBadSMTPURL
	}
	s := smtpServer{host: u.Hostname(), port: u.Port(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	if (s.user == "") != (s.password == "") {
		return smtpServer{}, errBadSMTPURL
	}
	switch u.Scheme {
	case "smtps":
		s.implicitTLS = true
	case "smtp":
	default:
		return smtpServer{}, errBadSMTPURL
	}
	if s.port == "" {
		s.port = s.defaultPort()
	}
	if n, err := strconv.ParseUint(s.port, 10, 16); err != nil || n == 0 {
		return smtpServer{}, errBadSMTPURL
	}
	s.policy, err = s.tlsPolicy(u.RawQuery)
	return s, err
}

func (s smtpServer) defaultPort() string {
	switch {
	case s.implicitTLS:
		return "465"
	case s.user != "":
		return "587"
	}
	return "25"
}

func (s smtpServer) tlsPolicy(query string) (gomail.TLSPolicy, error) {
	switch {
	case s.implicitTLS && (query == "" || query == "tls=required"):
		return gomail.TLSMandatory, nil
	case s.implicitTLS:
		return 0, errBadSMTPURL
	}
	switch query {
	case "tls=required":
		return gomail.TLSMandatory, nil
	case "tls=off":
		return gomail.NoTLS, nil
	case "":
		if s.user != "" && !s.isLoopback() {
			return gomail.TLSMandatory, nil
		}
		return gomail.TLSOpportunistic, nil
	}
	return 0, errBadSMTPURL
}

func (s smtpServer) isLoopback() bool {
	return s.host == "localhost" || net.ParseIP(s.host).IsLoopback()
}

func (s smtpServer) address() string { return net.JoinHostPort(s.host, s.port) }

// mechanisms lists the ways to authenticate, best first. Those that bind to the
// TLS channel need one; those that show the password are used in the clear only
// where parseSMTPURL allowed the clear.
func (s smtpServer) mechanisms() []gomail.SMTPAuthType {
	strong := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5}
	if s.policy == gomail.TLSMandatory {
		bound := []gomail.SMTPAuthType{gomail.SMTPAuthSCRAMSHA256PLUS, gomail.SMTPAuthSCRAMSHA1PLUS}
		return append(append(bound, strong...), gomail.SMTPAuthPlain, gomail.SMTPAuthLogin)
	}
	return append(strong, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc)
}
