// Package processtest runs the real binary as a process of its own, so that
// tests can kill it.
package processtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// build compiles the binary once for all tests of a process.
var build = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..")
	dir, err := os.MkdirTemp("", "ujumbe-binary-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "ujumbe")
	command := exec.Command("go", "build", "-o", path, "./cmd/ujumbe")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// Binary returns the path of the built binary.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Process is a server in a process of its own. Its data folder outlives a kill.
type Process struct {
	t       testing.TB
	URL     string
	DataDir string
	env     []string
	command *exec.Cmd
	log     *bytes.Buffer
}

// Start runs `ujumbe serve` with these variables on a free port and waits until
// it is ready. Settings are NAME=value.
func Start(t testing.TB, settings ...string) *Process {
	t.Helper()
	address := freeAddress(t)
	p := &Process{t: t, URL: "http://" + address, DataDir: t.TempDir()}
	p.env = append(os.Environ(), "UJUMBE_LISTEN="+address, "UJUMBE_PUBLIC_URL="+p.URL, "UJUMBE_DATA_DIR="+p.DataDir, "UJUMBE_LOG_LEVEL=warn")
	p.env = append(p.env, settings...)
	p.Start()
	t.Cleanup(p.Kill)
	return p
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Start runs the process again after Kill or Stop.
func (p *Process) Start() {
	p.t.Helper()
	p.log = &bytes.Buffer{}
	p.command = exec.Command(Binary(p.t), "serve")
	p.command.Env, p.command.Stderr, p.command.Stdout = p.env, p.log, p.log
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		response, err := http.Get(p.URL + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			p.Kill()
			p.t.Fatalf("the server is not ready: %s", p.log)
		}
	}
}

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() {
	if p.command.ProcessState != nil {
		return
	}
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// Stop asks the process to end and waits until it has.
func (p *Process) Stop() error {
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.command.Wait()
}

// Signal asks the process to end without waiting.
func (p *Process) Signal() error { return p.command.Process.Signal(syscall.SIGTERM) }

// Wait waits for the process to end.
func (p *Process) Wait() error { return p.command.Wait() }

// PID is the number of the process.
func (p *Process) PID() int { return p.command.Process.Pid }

// Memory is how much memory the process has in use, in bytes.
func (p *Process) Memory() int64 {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		p.t.Fatal(err)
	}
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, _ = fmt.Sscanf(rest, "%d kB", &kilobytes)
		}
	}
	return kilobytes << 10
}

// Post sends JSON and returns status and body; status 0 when there was no
// answer.
func (p *Process) Post(ctx context.Context, path, accessToken string, body any) (int, []byte) {
	return p.call(ctx, http.MethodPost, path, accessToken, body)
}

// Get returns status and body; status 0 when there was no answer.
func (p *Process) Get(ctx context.Context, path, accessToken string) (int, []byte) {
	return p.call(ctx, http.MethodGet, path, accessToken, nil)
}

func (p *Process) call(ctx context.Context, method, path, accessToken string, body any) (int, []byte) {
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.URL+path, bytes.NewReader(encoded))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if accessToken != "" {
		request.Header.Set("Authorization", "Bearer "+accessToken)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, read
}
