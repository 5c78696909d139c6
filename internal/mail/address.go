package mail

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"

	"golang.org/x/net/idna"

	"ujumbe/internal/fault"
)

const (
	maxAddress = 254 // RFC 5321, section 4.5.3.1.3, less the angle brackets
	maxLocal   = 64
	maxDomain  = 253
	maxLabel   = 63
)

// domains turns international domain names into the ASCII form that every mail
// server takes. It also folds case, width and the various full stops, so two
// spellings of one domain come out the same.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(true))

// ParseAddress is the product's one rule for what an email address is, and
// returns the address as typed. It takes name@example.com: an unquoted local
// part in ASCII of at most 64 characters and a domain of at least two labels,
// international ones included, in all at most 254 bytes. Display names,
// comments, quotes, address literals and spaces are not part of an address.
//
// Local parts beyond ASCII are refused, because few servers take mail for them
// and look-alike letters would let one person's address pass for another's.
func ParseAddress(s string) (string, error) {
	local, domain, ok := split(s)
	if !ok || !validLocal(local) {
		return "", badAddress()
	}
	ascii, err := asciiDomain(domain)
	if err != nil || !strings.Contains(ascii, ".") || len(local)+1+len(ascii) > maxAddress {
		return "", badAddress()
	}
	return s, nil
}

// ValidAddress reports whether ParseAddress takes s.
func ValidAddress(s string) bool {
	if isPlain(s) {
		return true
	}
	_, err := ParseAddress(s)
	return err == nil
}

// isPlain knows the addresses that nearly everybody has at a glance, so that an
// import can afford a look at every row: letters, digits and a few marks, at a
// domain in ASCII. ParseAddress takes all of these, and more.
func isPlain(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 || at > maxLocal || len(s) > maxAddress || len(s)-at-1 > maxDomain {
		return false
	}
	last := byte('.')
	for i := range at {
		c := s[i]
		if !isPlainByte(c) && c != '_' && c != '+' && (c != '.' || last == '.') {
			return false
		}
		last = c
	}
	return last != '.' && isPlainDomain(s[at+1:])
}

func isPlainDomain(domain string) bool {
	labels, start := 0, 0
	for i := 0; i <= len(domain); i++ {
		if i < len(domain) && domain[i] != '.' {
			if !isPlainByte(domain[i]) {
				return false
			}
			continue
		}
		label := domain[start:i]
		// Hyphens in third and fourth place mark names that mean another one.
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' || len(label) > 3 && label[2:4] == "--" {
			return false
		}
		labels, start = labels+1, i+1
	}
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	return labels > 1 && isLetterOrDigit(rune(last[0])) && last[0] > '9'
}

func isPlainByte(c byte) bool { return isLetterOrDigit(rune(c)) || c == '-' }

// AddressKey returns the form in which addresses are compared: without regard
// to case, and with the domain in ASCII. Two addresses with the same key are the
// same mailbox to the product. Text that is no address yields a key that no
// address has.
func AddressKey(s string) string {
	local, domain, ok := split(s)
	if !ok || !validLocal(local) {
		return s
	}
	ascii, err := asciiDomain(domain)
	if err != nil {
		return s
	}
	return strings.ToLower(local) + "@" + ascii
}

func badAddress() error {
	return fault.Invalid("invalid_email", "Enter an email address such as name@example.com.")
}

// split takes a bare address apart. That net/mail reads it and hands the very
// same text back is what rules out names, comments, quotes and controls.
func split(s string) (local, domain string, ok bool) {
	if len(s) > maxAddress {
		return "", "", false
	}
	parsed, err := netmail.ParseAddress(s)
	if err != nil || parsed.Name != "" || parsed.Address != s {
		return "", "", false
	}
	local, domain, ok = strings.Cut(s, "@")
	return local, domain, ok && !strings.Contains(domain, "@")
}

func validLocal(local string) bool {
	if local == "" || len(local) > maxLocal {
		return false
	}
	for part := range strings.SplitSeq(local, ".") {
		if part == "" || strings.ContainsFunc(part, notAtext) {
			return false
		}
	}
	return true
}

func notAtext(r rune) bool {
	return !isLetterOrDigit(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// asciiDomain returns the lower-case ASCII form of a domain name. An address
// of numbers is no domain.
func asciiDomain(domain string) (string, error) {
	ascii, err := domains.ToASCII(domain)
	if err != nil {
		return "", fmt.Errorf("domain %q: %w", domain, err)
	}
	if len(ascii) > maxDomain {
		return "", errors.New("domain name too long")
	}
	labels := strings.Split(ascii, ".")
	for _, label := range labels {
		if !validLabel(label) {
			return "", fmt.Errorf("domain %q: bad label %q", domain, label)
		}
	}
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return "", fmt.Errorf("domain %q: ends in a number", domain)
	}
	return ascii, nil
}

func validLabel(label string) bool {
	return label != "" && len(label) <= maxLabel && label[0] != '-' && label[len(label)-1] != '-' &&
		!strings.ContainsFunc(label, func(r rune) bool { return r != '-' && !isLetterOrDigit(r) })
}

// From is who mail comes from: an address and, if any, the name shown with it.
type From struct {
	Name    string
	Address string
}

// ParseFrom reads the form "Ujumbe <no-reply@example.com>" or a bare address.
// It is for the operator's configuration: unlike ParseAddress it takes a domain
// of one label, such as localhost.
func ParseFrom(s string) (From, error) {
	parsed, err := netmail.ParseAddress(s)
	if err != nil || len(parsed.Address) > maxAddress {
		return From{}, errBadFrom
	}
	local, domain, _ := strings.Cut(parsed.Address, "@")
	if _, err := asciiDomain(domain); err != nil || !validLocal(local) {
		return From{}, errBadFrom
	}
	return From{Name: cleanLine(parsed.Name, maxSubject), Address: parsed.Address}, nil
}

var errBadFrom = errors.New(`the sender must look like "Ujumbe <no-reply@example.com>" or no-reply@example.com`)

// domain is the public name that we give ourselves in greetings and message
// ids; the machine's own host name never leaves the house.
func (f From) domain() string {
	_, domain, _ := strings.Cut(wireAddress(f.Address), "@")
	return domain
}

// wireAddress is the address as mail servers take it, the domain in ASCII.
func wireAddress(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	ascii, err := asciiDomain(domain)
	if err != nil {
		return address
	}
	return local + "@" + ascii
}
