// Package config is the server's configuration: one struct from environment and
// flags, checked before anything starts.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/net/http/httpguts"

	"ujumbe/internal/httpapi"
	"ujumbe/internal/mail"
	"ujumbe/internal/token"
)

// Config is everything that can be set. Each field is a flag of `ujumbe serve`
// and an environment variable.
type Config struct {
	Listen      string `env:"UJUMBE_LISTEN" default:"127.0.0.1:8080" help:"Address to listen on." placeholder:"HOST:PORT"`
	AdminListen string `env:"UJUMBE_ADMIN_LISTEN" help:"Address of its own for the staff namespace; it is then served nowhere else." placeholder:"HOST:PORT"`
	PublicURL   string `env:"UJUMBE_PUBLIC_URL" default:"http://localhost:8080" help:"Address customers reach the server by; base of every mailed link." placeholder:"URL"`
	AdminURL    string `name:"admin-url" env:"UJUMBE_ADMIN_URL" help:"Address staff reach the server by; base of the links mailed to them. Default: the public URL." placeholder:"URL"`
	DataDir     string `env:"UJUMBE_DATA_DIR" default:"./data" help:"Folder for the database, mails and photos that are kept locally." placeholder:"DIR"`
	DatabaseURL string `env:"UJUMBE_DATABASE_URL" help:"sqlite://path or postgres://… Default: sqlite://<data dir>/ujumbe.db." placeholder:"URL"`
	SMTPURL     string `name:"smtp-url" env:"UJUMBE_SMTP_URL" help:"smtp://user:pass@host:port or smtps://… Without it mails are files in <data dir>/mail." placeholder:"URL"`
	MailFrom    string `env:"UJUMBE_MAIL_FROM" default:"Ujumbe <no-reply@localhost.localdomain>" help:"Sender of every mail." placeholder:"ADDRESS"`
	BlobURL     string `env:"UJUMBE_BLOB_URL" help:"file:///folder or s3://bucket?region=… Default: file://<data dir>/blobs." placeholder:"URL"`

	StaffOwnerEmail    string `env:"UJUMBE_STAFF_OWNER_EMAIL" help:"Email of the first staff owner, made when there is no staff yet." placeholder:"EMAIL"`
	StaffOwnerPassword string `env:"UJUMBE_STAFF_OWNER_PASSWORD" help:"Password of the first staff owner." placeholder:"PASSWORD"`

	GatewayTokens       string `env:"UJUMBE_GATEWAY_TOKENS" help:"id:secret[,id:secret] of the edge gateway; set, every API request must carry one." placeholder:"TOKENS"`
	GatewayIDHeader     string `name:"gateway-id-header" env:"UJUMBE_GATEWAY_ID_HEADER" default:"CF-Access-Client-Id" help:"Header with the gateway's id." placeholder:"NAME"`
	GatewaySecretHeader string `env:"UJUMBE_GATEWAY_SECRET_HEADER" default:"CF-Access-Client-Secret" help:"Header with the gateway's secret." placeholder:"NAME"`

	TrustedProxies []string `env:"UJUMBE_TRUSTED_PROXIES" help:"Networks whose X-Forwarded-For is believed, like 10.0.0.0/8." placeholder:"CIDR"`
	CORSOrigins    []string `name:"cors-origins" env:"UJUMBE_CORS_ORIGINS" help:"Other sites whose pages may call the API." placeholder:"URL"`

	MaxImportBytes int64 `env:"UJUMBE_MAX_IMPORT_BYTES" default:"67108864" help:"Largest import file." placeholder:"BYTES"`
	MaxBulkBytes   int64 `env:"UJUMBE_MAX_BULK_BYTES" default:"33554432" help:"Largest bulk JSON body." placeholder:"BYTES"`
	MaxJSONBytes   int64 `name:"max-json-bytes" env:"UJUMBE_MAX_JSON_BYTES" default:"1048576" help:"Largest other JSON body." placeholder:"BYTES"`

	Dev        Switch `env:"UJUMBE_DEV" default:"off" help:"Development mode: inbox at /dev/mail, development identity provider, first staff owner. Loopback only."`
	RateLimits Switch `env:"UJUMBE_RATE_LIMITS" default:"on" help:"Limits on failed logins and on mails."`
	Profiling  Switch `env:"UJUMBE_PROFILING" default:"off" help:"Serve pprof at /debug/pprof/ on the admin listener, or on the main one when it is loopback."`

	LogLevel  string `env:"UJUMBE_LOG_LEVEL" default:"info" help:"debug, info, warn or error." placeholder:"LEVEL"`
	LogFormat string `env:"UJUMBE_LOG_FORMAT" help:"text or json. Default: text on a terminal, json otherwise." placeholder:"FORMAT"`

	OTLPEndpoint string `name:"otlp-endpoint" env:"OTEL_EXPORTER_OTLP_ENDPOINT" help:"Where OpenTelemetry traces go, like http://localhost:4318." placeholder:"URL"`

	IDPA IDP `embed:"" prefix:"idp-a-" envprefix:"UJUMBE_IDP_A_"`
	IDPB IDP `embed:"" prefix:"idp-b-" envprefix:"UJUMBE_IDP_B_"`
	IDPC IDP `embed:"" prefix:"idp-c-" envprefix:"UJUMBE_IDP_C_"`
	IDPD IDP `embed:"" prefix:"idp-d-" envprefix:"UJUMBE_IDP_D_"`
}

// Switch is on or off. As a flag it may stand alone: --dev is --dev=on.
type Switch bool

// IsBool lets the flag stand alone.
func (Switch) IsBool() bool { return true }

// Decode reads the usual words for on and off.
func (s *Switch) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		*s = true
		return nil
	}
	switch word := strings.ToLower(fmt.Sprint(ctx.Scan.Pop().Value)); word {
	case "on", "true", "1", "yes":
		*s = true
	case "off", "false", "0", "no", "":
		*s = false
	default:
		return fmt.Errorf("must be on or off, not %q", word)
	}
	return nil
}

// Validate fills in what follows from other settings and names every variable
// that is wrong.
func (c *Config) Validate() error {
	var wrong []error
	fail := func(name, takes string) { wrong = append(wrong, fmt.Errorf("%s %s", name, takes)) }
	c.fillDefaults()
	if !isAddress(c.Listen) {
		fail("UJUMBE_LISTEN", "must be host:port, like 127.0.0.1:8080")
	}
	if c.AdminListen != "" && !isAddress(c.AdminListen) {
		fail("UJUMBE_ADMIN_LISTEN", "must be host:port, like 127.0.0.1:8081, or empty")
	}
	c.checkAddresses(fail)
	c.checkStaffOwner(fail)
	c.checkGateway(fail)
	c.checkSizes(fail)
	if !oneOf(c.LogLevel, "debug", "info", "warn", "error") {
		fail("UJUMBE_LOG_LEVEL", "must be debug, info, warn or error")
	}
	if !oneOf(c.LogFormat, "", "text", "json") {
		fail("UJUMBE_LOG_FORMAT", "must be text or json")
	}
	c.checkSlots(fail)
	if bool(c.Dev) && !c.nothingOutside() {
		fail("UJUMBE_DEV", "works on loopback only: UJUMBE_LISTEN, UJUMBE_ADMIN_LISTEN, UJUMBE_PUBLIC_URL and UJUMBE_ADMIN_URL must name localhost")
	}
	return errors.Join(wrong...)
}

func (c *Config) checkAddresses(fail func(name, takes string)) {
	if !isSite(c.PublicURL) {
		fail("UJUMBE_PUBLIC_URL", "must be an address like https://sms.example.com")
	}
	if !isSite(c.AdminURL) {
		fail("UJUMBE_ADMIN_URL", "must be an address like https://staff.example.com")
	}
	if !hasScheme(c.DatabaseURL, "sqlite", "postgres", "postgresql") {
		fail("UJUMBE_DATABASE_URL", "must begin with sqlite:// or postgres://")
	}
	if c.SMTPURL != "" && !hasScheme(c.SMTPURL, "smtp", "smtps") {
		fail("UJUMBE_SMTP_URL", "must be smtp://user:pass@host:port or smtps://…")
	}
	if _, err := mail.ParseFrom(c.MailFrom); err != nil {
		fail("UJUMBE_MAIL_FROM", "must be an address like Ujumbe <no-reply@example.com>")
	}
	if !hasScheme(c.BlobURL, "file", "s3") {
		fail("UJUMBE_BLOB_URL", "must begin with file:// or s3://")
	}
	for _, origin := range c.CORSOrigins {
		if u, err := url.Parse(origin); err != nil || !isSite(origin) || u.Path != "" {
			fail("UJUMBE_CORS_ORIGINS", "must be origins like https://app.example.com, separated by commas")
			return
		}
	}
}

func (c *Config) checkStaffOwner(fail func(name, takes string)) {
	if c.StaffOwnerEmail != "" && !mail.ValidAddress(c.StaffOwnerEmail) {
		fail("UJUMBE_STAFF_OWNER_EMAIL", "must be an email address")
	}
	if (c.StaffOwnerEmail == "") != (c.StaffOwnerPassword == "") {
		fail("UJUMBE_STAFF_OWNER_EMAIL and UJUMBE_STAFF_OWNER_PASSWORD", "must be set together")
	}
	if c.StaffOwnerPassword != "" && !token.CheckPassword(c.StaffOwnerPassword) {
		fail("UJUMBE_STAFF_OWNER_PASSWORD", "must have 8 to 256 characters")
	}
}

func (c *Config) checkGateway(fail func(name, takes string)) {
	if _, err := c.Gateway(); err != nil {
		fail("UJUMBE_GATEWAY_TOKENS", "must be id:secret[,id:secret]")
	}
	if c.GatewayTokens != "" && !httpguts.ValidHeaderFieldName(c.GatewayIDHeader) {
		fail("UJUMBE_GATEWAY_ID_HEADER", "must be the name of a header, like CF-Access-Client-Id")
	}
	if c.GatewayTokens != "" && !httpguts.ValidHeaderFieldName(c.GatewaySecretHeader) {
		fail("UJUMBE_GATEWAY_SECRET_HEADER", "must be the name of a header, like CF-Access-Client-Secret")
	}
	if _, err := c.Proxies(); err != nil {
		fail("UJUMBE_TRUSTED_PROXIES", "must be networks like 10.0.0.0/8, separated by commas")
	}
}

func (c *Config) checkSizes(fail func(name, takes string)) {
	for _, size := range []struct {
		name  string
		bytes int64
	}{{"UJUMBE_MAX_IMPORT_BYTES", c.MaxImportBytes}, {"UJUMBE_MAX_BULK_BYTES", c.MaxBulkBytes}, {"UJUMBE_MAX_JSON_BYTES", c.MaxJSONBytes}} {
		if size.bytes < 1024 {
			fail(size.name, "must be at least 1024")
		}
	}
}

func (c *Config) fillDefaults() {
	if c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite://" + filepath.Join(c.DataDir, "ujumbe.db")
	}
	if c.BlobURL == "" {
		dir := filepath.Join(c.DataDir, "blobs")
		if absolute, err := filepath.Abs(dir); err == nil {
			dir = absolute
		}
		c.BlobURL = (&url.URL{Scheme: "file", Path: dir}).String()
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	c.AdminURL = cmp.Or(strings.TrimRight(c.AdminURL, "/"), c.PublicURL)
}

// MailDir is where mails are kept when no mail server is configured.
func (c *Config) MailDir() string { return filepath.Join(c.DataDir, "mail") }

// UploadDir is where uploads lie while they are read.
func (c *Config) UploadDir() string { return filepath.Join(c.DataDir, "uploads") }

// Gateway is the edge gateway that requests must come through.
func (c *Config) Gateway() (httpapi.Gateway, error) {
	g := httpapi.Gateway{IDHeader: c.GatewayIDHeader, SecretHeader: c.GatewaySecretHeader}
	for pair := range strings.SplitSeq(c.GatewayTokens, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		id, secret, ok := strings.Cut(pair, ":")
		if !ok || id == "" || secret == "" {
			return g, errors.New("want id:secret")
		}
		g.Tokens = append(g.Tokens, httpapi.GatewayToken{ID: id, Secret: secret})
	}
	return g, nil
}

// Proxies are the networks whose X-Forwarded-For is believed.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range c.TrustedProxies {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		all = append(all, prefix)
	}
	return all, nil
}

// IsHTTPS reports whether customers reach the server by https.
func (c *Config) IsHTTPS() bool { return strings.HasPrefix(c.PublicURL, "https://") }

// LoopbackOnly reports whether the main listener is out of reach from outside.
func (c *Config) LoopbackOnly() bool { return httpapi.IsLoopback(hostOf(c.Listen)) }

// nothingOutside reports whether neither a listener nor a mailed link leads to
// another machine.
func (c *Config) nothingOutside() bool {
	return c.LoopbackOnly() && httpapi.IsLoopback(siteHost(c.PublicURL)) && httpapi.IsLoopback(siteHost(c.AdminURL)) &&
		(c.AdminListen == "" || httpapi.IsLoopback(hostOf(c.AdminListen)))
}

func siteHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isSite reports whether an address can be the base of links.
func isSite(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.RawQuery == "" && u.Fragment == ""
}

// isAddress reports whether one can listen on an address.
func isAddress(address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	n, err := strconv.Atoi(port)
	return err == nil && n >= 0 && n < 1<<16
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}

func hasScheme(address string, schemes ...string) bool {
	scheme, _, ok := strings.Cut(address, "://")
	return ok && oneOf(scheme, schemes...)
}

func oneOf(value string, values ...string) bool { return slices.Contains(values, value) }
