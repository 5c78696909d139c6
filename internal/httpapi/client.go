package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"ujumbe/internal/id"
)

// Client is where a request comes from.
type Client struct {
	IP        string
	UserAgent string
	RequestID string
	// Browser is true for requests that a web page made.
	Browser bool
}

type clientKey struct{}

// ClientOf returns the client of a request's context; empty outside a request.
func ClientOf(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	if c == nil {
		return Client{}
	}
	return *c
}

// maxUserAgent bounds what of a User-Agent is kept.
const maxUserAgent = 200

func withClient(r *http.Request, trusted []netip.Prefix) *http.Request {
	agent := strings.ToValidUTF8(r.UserAgent(), "")
	if len(agent) > maxUserAgent {
		agent = strings.ToValidUTF8(agent[:maxUserAgent], "")
	}
	client := &Client{
		IP:        clientIP(r, trusted),
		UserAgent: agent,
		RequestID: id.New[Client]().String(),
		Browser:   r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "",
	}
	return r.WithContext(context.WithValue(r.Context(), clientKey{}, client))
}

// clientIP believes X-Forwarded-For only as far as trusted proxies wrote it:
// the last address that is not one of theirs.
func clientIP(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	ip := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && isTrusted(ip, trusted); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		ip = hop.Unmap()
	}
	return ip.String()
}

func isTrusted(ip netip.Addr, trusted []netip.Prefix) bool {
	for _, prefix := range trusted {
		if prefix.Contains(ip) {
			return true
		}
	}
	return false
}

// IsLoopback reports whether a host is this machine and no other.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.IsLoopback())
}
