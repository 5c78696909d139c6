// Package processtest runs the real binary as a process of its own, so that
// tests can kill it.
package processtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/database/databasetest"
	"ujumbe/internal/server/process"
)

// Password is what every customer of a test has.
const Password = process.Password

func root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..")
}

// build compiles the binary once for all tests of a process.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ujumbe-binary-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "ujumbe")
	command := exec.Command("go", "build", "-o", path, "./cmd/ujumbe")
	command.Dir = root()
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

// RemoveBinary deletes the built binary; a TestMain calls it at the end.
func RemoveBinary() {
	if path, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

// Process is a server whose failures fail the test.
type Process struct {
	*process.Process
	t testing.TB
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

// Refused runs `ujumbe serve` with these variables, expecting it to end by
// itself with a failure, and returns what it said.
func Refused(t testing.TB, settings ...string) string {
	t.Helper()
	p := prepare(t, settings)
	p.launch()
	giveUp := time.AfterFunc(20*time.Second, p.Kill)
	defer giveUp.Stop()
	if err := p.Wait(); err == nil || p.ExitCode() <= 0 {
		t.Errorf("with %q: ended with %v, want an exit code that tells failure", settings, err)
	}
	return p.Said()
}

func prepare(t testing.TB, settings []string) *Process {
	t.Helper()
	p, err := process.New(Binary(t), t.TempDir(), settings...)
	if err != nil {
		t.Fatal(err)
	}
	return &Process{p, t}
}

// Start runs the process again after it ended.
func (p *Process) Start() {
	p.t.Helper()
	p.launch()
	p.awaitReady()
}

func (p *Process) launch() {
	p.t.Helper()
	if err := p.Launch(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(p.Kill)
}

func (p *Process) awaitReady() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	if err := p.AwaitReady(ctx); err != nil {
		p.t.Fatal(err)
	}
}

// Stop asks the process to end and waits until it has.
func (p *Process) Stop() error {
	if err := p.Signal(); err != nil {
		return err
	}
	return p.Wait()
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

// At returns the same process under another of its addresses.
func (p *Process) At(url string) *Process { return &Process{p.Process.At(url), p.t} }

// Customer registers, follows the mailed link and returns the access token.
// Mails must be kept as files.
func (p *Process) Customer(email string) (accessToken string) {
	p.t.Helper()
	tokens, err := p.Process.Customer(p.t.Context(), email)
	if err != nil {
		p.t.Fatal(err)
	}
	return tokens.Access
}

// FreeAddress returns an address of this machine that nobody listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	address, err := process.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Cluster is a PostgreSQL server whose failures fail the test.
type Cluster struct {
	*process.Cluster
	t testing.TB
}

// StartCluster starts a PostgreSQL server of the test's own until the test ends.
// Where there is none the test is skipped, as databasetest.Postgres does.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	if os.Getenv(databasetest.PostgresVariable) == "" && os.Getenv("CI") == "" {
		t.Skipf("%s is not set; `make test` runs this on PostgreSQL too", databasetest.PostgresVariable)
	}
	c, err := process.StartCluster(root())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &Cluster{c, t}
}

// Stop ends the server: "fast" as an operator does, "immediate" as a crash does.
func (c *Cluster) Stop(mode string) {
	c.t.Helper()
	if err := c.Cluster.Stop(mode); err != nil {
		c.t.Fatal(err)
	}
}

// Start starts the server again and waits until it accepts connections.
func (c *Cluster) Start() {
	c.t.Helper()
	if err := c.Cluster.Start(); err != nil {
		c.t.Fatal(err)
	}
}
