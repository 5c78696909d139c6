package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Answer is what came back from a request. Status is 0 when nothing did.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Field is a text field of the body's JSON object, or "".
func (a Answer) Field(name string) string {
	var object map[string]any
	_ = json.Unmarshal(a.Body, &object)
	text, _ := object[name].(string)
	return text
}

// At returns the same process under another of its addresses.
func (p *Process) At(url string) *Process {
	other := *p
	other.URL = url
	return &other
}

// Call sends JSON, or nothing when the body is nil. Headers come in pairs.
func (p *Process) Call(ctx context.Context, method, path, accessToken string, body any, headers ...string) Answer {
	var content io.Reader = http.NoBody
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return Answer{}
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, content)
	if err != nil {
		return Answer{}
	}
	request.Header.Set("Content-Type", "application/json")
	if accessToken != "" {
		request.Header.Set("Authorization", "Bearer "+accessToken)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return p.Do(request)
}

// Do sends a request.
func (p *Process) Do(request *http.Request) Answer {
	response, err := p.client.Do(request)
	if err != nil {
		return Answer{}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return Answer{}
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: read}
}

// Rest closes the connections that are kept for more requests.
func (p *Process) Rest() { p.client.CloseIdleConnections() }

// Password is what every Customer has.
const Password = "correct horse battery"

// Registration is the body of a registration.
func Registration(email string) map[string]any {
	return map[string]any{"accountName": "Duka of " + email, "firstName": "Asha", "lastName": "Juma", "email": email, "password": Password}
}

// Tokens are those of a signed-in customer.
type Tokens struct {
	Access, Refresh string
}

// Customer registers, follows the mailed link and returns the tokens.
func (p *Process) Customer(ctx context.Context, email string) (Tokens, error) {
	a := p.Call(ctx, http.MethodPost, "/api/v1/auth/register", "", Registration(email))
	if a.Status != http.StatusCreated {
		return Tokens{}, fmt.Errorf("register %s: %d %s", email, a.Status, a.Body)
	}
	token, err := p.mailedToken(ctx, email)
	if err != nil {
		return Tokens{}, err
	}
	a = p.Call(ctx, http.MethodPost, "/api/v1/auth/verify-email", "", map[string]any{"token": token})
	if a.Status != http.StatusOK {
		return Tokens{}, fmt.Errorf("verify %s: %d %s", email, a.Status, a.Body)
	}
	return Tokens{a.Field("accessToken"), a.Field("refreshToken")}, nil
}

// mailedToken waits for a mail with a link and returns the link's token.
func (p *Process) mailedToken(ctx context.Context, to string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if token := tokenIn(p.lastMail(to)); token != "" {
			return token, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return "", fmt.Errorf("no mail with a link to %s", to)
}

// lastMail is the newest mail to an address, or "".
func (p *Process) lastMail(to string) string {
	if p.Mail != nil {
		return p.Mail.last(to)
	}
	// The newest mails have the last names.
	files, _ := filepath.Glob(filepath.Join(p.DataDir, "mail", "*.eml"))
	for i := len(files) - 1; i >= max(0, len(files)-100); i-- {
		content, err := os.ReadFile(files[i])
		if err == nil && bytes.Contains(content, []byte("<"+to+">")) {
			return string(content)
		}
	}
	return ""
}

// A long line of a mail is broken by "=", and "=" itself is written "=3D".
var unquoted = strings.NewReplacer("=\r\n", "", "=\n", "", "=3D", "=")

// tokenIn is the token of the first link in a mail, or "".
func tokenIn(mail string) string {
	_, rest, _ := strings.Cut(unquoted.Replace(mail), "#token=")
	return rest[:max(0, strings.IndexFunc(rest, isNoToken))]
}

func isNoToken(r rune) bool {
	return !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", r)
}
