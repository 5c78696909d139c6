// Package servertest runs the whole server on a fresh database, with a clock
// that tests move and a mailbox that they read, and talks to it over HTTP.
package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/mail"
	"ujumbe/internal/server"
)

// Server is a running server and what a test needs to use it.
type Server struct {
	T     *testing.T
	DB    *database.DB
	Clock *clock.Manual
	Mail  *Mailbox
	URL   string
	Admin string // address of the staff namespace
	// Log holds everything the server logged.
	Log *bytes.Buffer

	client   *http.Client
	contract *contract
}

// Each starts a server on each engine and runs the test with it. Change may
// alter the configuration.
func Each(t *testing.T, test func(t *testing.T, s *Server), change ...func(*config.Config)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db *database.DB) { test(t, Start(t, db, change...)) })
}

// Start runs a server on a database until the test ends. Rate limits are off
// unless the test turns them on.
func Start(t *testing.T, db *database.DB, change ...func(*config.Config)) *Server {
	t.Helper()
	c := &config.Config{
		Listen: "127.0.0.1:0", PublicURL: "http://localhost:8080", DataDir: t.TempDir(), DatabaseURL: "sqlite://given",
		MailFrom: "Ujumbe <no-reply@example.com>", LogLevel: "info",
		MaxImportBytes: 64 << 20, MaxBulkBytes: 32 << 20, MaxJSONBytes: 1 << 20,
		GatewayIDHeader: "CF-Access-Client-Id", GatewaySecretHeader: "CF-Access-Client-Secret",
	}
	for _, f := range change {
		f(c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	s := &Server{T: t, DB: db, Clock: clock.NewManual(), Mail: &Mailbox{}, Log: &bytes.Buffer{}, client: &http.Client{Timeout: time.Minute}}
	product, err := server.New(t.Context(), server.Needs{
		Config: c, Log: slog.New(slog.NewJSONHandler(&lockedWriter{w: s.Log}, nil)), DB: db, Clock: s.Clock, Mail: s.Mail,
	})
	if err != nil {
		t.Fatal(err)
	}
	document, err := product.API().OpenAPI().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	s.contract = contractOf(t, document)
	public, admin := httptest.NewServer(product.Handler()), httptest.NewServer(product.AdminHandler())
	s.URL, s.Admin = public.URL, admin.URL
	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		product.Work(ctx)
	}()
	t.Cleanup(func() {
		public.Close()
		admin.Close()
		stop()
		<-worked
		s.client.CloseIdleConnections()
		_ = product.Close()
	})
	return s
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// Answer is what came back from a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON decodes the body as an object.
func (a Answer) JSON(t *testing.T) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.Body, &object); err != nil {
		t.Fatalf("body is not a JSON object: %v\n%s", err, a.Body)
	}
	return object
}

// Array decodes the body as an array of objects.
func (a Answer) Array(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	if err := json.Unmarshal(a.Body, &all); err != nil || all == nil {
		t.Fatalf("body is not a JSON array: %v\n%s", err, a.Body)
	}
	return all
}

// Code is the machine word of a problem document, or "".
func (a Answer) Code() string {
	var problem struct{ Code string }
	_ = json.Unmarshal(a.Body, &problem)
	return problem.Code
}

// Call sends a request. Body is sent as it is when a string or bytes, as JSON
// otherwise, not at all when nil. Paths of the staff namespace go to its own
// address.
func (s *Server) Call(method, path, accessToken string, body any, headers ...string) Answer {
	s.T.Helper()
	base := s.URL
	if strings.HasPrefix(path, "/api/v1/admin") {
		base = s.Admin
	}
	request, err := http.NewRequestWithContext(context.Background(), method, base+path, encode(s.T, body))
	if err != nil {
		s.T.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if accessToken != "" {
		request.Header.Set("Authorization", "Bearer "+accessToken)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return s.Do(request)
}

// Do sends a request that the test has made.
func (s *Server) Do(request *http.Request) Answer {
	s.T.Helper()
	response, err := s.client.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	a := Answer{Status: response.StatusCode, Header: response.Header, Body: read}
	s.contract.check(s.T, request, a)
	return a
}

func encode(t *testing.T, body any) io.Reader {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return http.NoBody
	case string:
		return strings.NewReader(b)
	case []byte:
		return bytes.NewReader(b)
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(encoded)
}

// Want fails the test unless the answer has the status; a failure must be a
// problem document.
func (s *Server) Want(a Answer, status int) Answer {
	s.T.Helper()
	if a.Status != status {
		s.T.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	if a.Status >= 400 {
		problem := a.JSON(s.T)
		if a.Header.Get("Content-Type") != "application/problem+json" || problem["code"] == "" || problem["status"] != float64(status) {
			s.T.Fatalf("not a problem document: %s %s", a.Header.Get("Content-Type"), a.Body)
		}
	}
	return a
}

// Customer is a signed-in user.
type Customer struct {
	Email, Password, ID, AccountID, Access, Refresh string
}

// Password is what every customer of a test has.
const Password = "correct horse battery"

var serial struct {
	sync.Mutex
	n int
}

// Email returns an address that no other user of the process has.
func Email() string {
	serial.Lock()
	defer serial.Unlock()
	serial.n++
	return fmt.Sprintf("user%d@example.com", serial.n)
}

// Register makes an unverified owner of a new organization.
func (s *Server) Register(email string) Customer {
	s.T.Helper()
	answer := s.Want(s.Call("POST", "/api/v1/auth/register", "", map[string]any{
		"accountName": "Org of " + email, "firstName": "Asha", "lastName": "Juma", "email": email, "password": Password,
	}), 201).JSON(s.T)
	user, _ := answer["user"].(map[string]any)
	org, _ := answer["account"].(map[string]any)
	return Customer{Email: email, Password: Password, ID: fmt.Sprint(user["id"]), AccountID: fmt.Sprint(org["id"])}
}

// Owner makes a verified, signed-in owner of a new organization.
func (s *Server) Owner() Customer {
	s.T.Helper()
	c := s.Register(Email())
	return s.signedIn(c, s.Want(s.Call("POST", "/api/v1/auth/verify-email", "", map[string]any{"token": s.Mail.Token(s.T, c.Email, "/verify-email")}), 200))
}

// Login signs in by password.
func (s *Server) Login(email, password string) Customer {
	s.T.Helper()
	return s.signedIn(Customer{Email: email, Password: password}, s.Want(s.Call("POST", "/api/v1/auth/login", "", map[string]any{"email": email, "password": password}), 200))
}

// Member adds a user with a role to the owner's organization and signs them in.
func (s *Server) Member(owner Customer, role string) Customer {
	s.T.Helper()
	email := Email()
	s.Want(s.Call("POST", "/api/v1/users/invite", owner.Access, map[string]any{
		"firstName": "Baraka", "lastName": "Otieno", "email": email, "password": Password, "role": role,
	}), 201)
	return s.Login(email, Password)
}

func (s *Server) signedIn(c Customer, a Answer) Customer {
	s.T.Helper()
	body := a.JSON(s.T)
	user, _ := body["user"].(map[string]any)
	c.ID, c.AccountID = fmt.Sprint(user["id"]), fmt.Sprint(user["accountId"])
	c.Access, c.Refresh = fmt.Sprint(body["accessToken"]), fmt.Sprint(body["refreshToken"])
	return c
}

// Mailbox catches every mail.
type Mailbox struct {
	mu    sync.Mutex
	mails []mail.Message
	down  error
}

// Send keeps a mail, or fails while the box is down.
func (m *Mailbox) Send(_ context.Context, message mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return m.down
	}
	m.mails = append(m.mails, message)
	return nil
}

// Break makes every send fail with err until it is nil again.
func (m *Mailbox) Break(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

// To returns the mails to an address so far.
func (m *Mailbox) To(address string) []mail.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []mail.Message
	for _, one := range m.mails {
		if strings.EqualFold(one.To, address) {
			all = append(all, one)
		}
	}
	return all
}

// Wait returns the mails to an address once there are at least n.
func (m *Mailbox) Wait(t *testing.T, address string, n int) []mail.Message {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		if all := m.To(address); len(all) >= n {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %d mails to %s", n, address)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Token waits for a mail with a link to a console page and returns the token of
// the newest such link.
func (m *Mailbox) Token(t *testing.T, address, page string) string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		all := m.To(address)
		for i := len(all) - 1; i >= 0; i-- {
			if _, rest, ok := strings.Cut(all[i].Text, page+"#token="); ok {
				return strings.Fields(rest)[0]
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("no mail to %s with a link to %s", address, page)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
