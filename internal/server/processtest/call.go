package processtest

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

// Call sends JSON, or nothing when the body is nil. Headers come in pairs.
func (p *Process) Call(ctx context.Context, method, path, accessToken string, body any, headers ...string) Answer {
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, http.NoBody)
	if body != nil {
		encoded, encodeErr := json.Marshal(body)
		if encodeErr != nil {
			p.t.Errorf("encode a body: %v", encodeErr)
		}
		request, err = http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader(encoded))
	}
	if err != nil {
		p.t.Errorf("make a request: %v", err)
		return Answer{}
	}
	request.Header.Set("Content-Type", "application/json")
	if accessToken != "" {
		request.Header.Set("Authorization", "Bearer "+accessToken)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
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

// At returns the same process under another of its addresses.
func (p *Process) At(url string) *Process {
	return &Process{t: p.t, URL: url, DataDir: p.DataDir, command: p.command, client: p.client}
}

// Post sends JSON and returns status and body; status 0 when there was no
// answer.
func (p *Process) Post(ctx context.Context, path, accessToken string, body any) (int, []byte) {
	a := p.Call(ctx, http.MethodPost, path, accessToken, body)
	return a.Status, a.Body
}

// Get returns status and body; status 0 when there was no answer.
func (p *Process) Get(ctx context.Context, path, accessToken string) (int, []byte) {
	a := p.Call(ctx, http.MethodGet, path, accessToken, nil)
	return a.Status, a.Body
}

// Password is what every customer of a test has.
const Password = "correct horse battery"

// Customer registers, follows the mailed link and returns the access token.
// Mails must be kept as files.
func (p *Process) Customer(email string) (accessToken string) {
	p.t.Helper()
	a := p.Call(p.t.Context(), http.MethodPost, "/api/v1/auth/register", "", map[string]any{
		"accountName": "Duka la Asha", "firstName": "Asha", "lastName": "Juma", "email": email, "password": Password,
	})
	if a.Status != http.StatusCreated {
		p.t.Fatalf("register: %d %s", a.Status, a.Body)
	}
	a = p.Call(p.t.Context(), http.MethodPost, "/api/v1/auth/verify-email", "", map[string]any{"token": p.mailedToken(email)})
	if a.Status != http.StatusOK {
		p.t.Fatalf("verify: %d %s", a.Status, a.Body)
	}
	return a.Field("accessToken")
}

// mailedToken waits for a mail with a link and returns the link's token.
func (p *Process) mailedToken(to string) string {
	p.t.Helper()
	// A long line of a mail is broken by "=", and "=" itself is written "=3D".
	plain := strings.NewReplacer("=\r\n", "", "=\n", "", "=3D", "=")
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(p.DataDir, "mail", "*.eml"))
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil || !bytes.Contains(content, []byte("<"+to+">")) {
				continue
			}
			if _, rest, ok := strings.Cut(plain.Replace(string(content)), "#token="); ok {
				return rest[:strings.IndexFunc(rest, isNoToken)]
			}
		}
	}
	p.t.Fatalf("no mail with a link to %s", to)
	return ""
}

func isNoToken(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// Memory is how much memory the process has in use, in bytes.
func (p *Process) Memory() int64 { return p.status("VmRSS") }

// PeakMemory is the most memory the process ever had in use, in bytes.
func (p *Process) PeakMemory() int64 { return p.status("VmHWM") }

func (p *Process) status(field string) int64 {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		p.t.Fatal(err)
	}
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscanf(rest, "%d kB", &kilobytes)
		}
	}
	return kilobytes << 10
}
