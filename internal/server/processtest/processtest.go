// Package processtest runs the real binary as a process of its own, so that
// tests can kill it.
package processtest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// RemoveBinary deletes the built binary; a TestMain calls it at the end.
func RemoveBinary() {
	if path, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

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
	client  *http.Client
}

// Start runs `ujumbe serve` with these variables on a free port and waits until
// it is ready. Settings are NAME=value.
func Start(t testing.TB, settings ...string) *Process {
	t.Helper()
	return StartAll(t, 1, settings...)[0]
}

// StartAll starts n servers at the same moment, each with a port and a data
// folder of its own, and waits until all are ready.
func StartAll(t testing.TB, n int, settings ...string) []*Process {
	t.Helper()
	all := make([]*Process, n)
	for i := range all {
		all[i] = prepare(t, settings)
	}
	for _, p := range all {
		p.launch()
	}
	for _, p := range all {
		p.awaitReady()
	}
	return all
}

func prepare(t testing.TB, settings []string) *Process {
	t.Helper()
	address := FreeAddress(t)
	p := &Process{t: t, URL: "http://" + address, DataDir: t.TempDir()}
	p.env = append(os.Environ(), "UJUMBE_LISTEN="+address, "UJUMBE_PUBLIC_URL="+p.URL, "UJUMBE_DATA_DIR="+p.DataDir, "UJUMBE_LOG_LEVEL=warn")
	p.env = append(p.env, settings...)
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return p
}

// Refused runs `ujumbe serve` with these variables, expecting it to end by
// itself with a failure, and returns what it said.
func Refused(t testing.TB, settings ...string) string {
	t.Helper()
	p := prepare(t, settings)
	p.launch()
	giveUp := time.AfterFunc(20*time.Second, func() { _ = p.command.Process.Kill() })
	defer giveUp.Stop()
	if err := p.Wait(); err == nil || p.command.ProcessState.ExitCode() <= 0 {
		t.Errorf("with %q: ended with %v, want an exit code that tells failure", settings, p.command.ProcessState)
	}
	return p.log.String()
}

// FreeAddress returns an address of this machine that nobody listens on.
func FreeAddress(t testing.TB) string {
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
	p.launch()
	p.awaitReady()
}

func (p *Process) launch() {
	p.t.Helper()
	p.log = &bytes.Buffer{}
	p.command = exec.Command(Binary(p.t), "serve")
	p.command.Env, p.command.Stderr, p.command.Stdout = p.env, p.log, p.log
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.Kill)
}

func (p *Process) awaitReady() {
	p.t.Helper()
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
