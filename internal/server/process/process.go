// Package process runs the real binary as a process of its own, for tests,
// benchmarks and fault drills that start it, kill it and look at it from outside.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a server in a process of its own. Its data folder outlives a kill.
type Process struct {
	URL     string
	DataDir string
	// Mail is where the server sends its mails; nil when it keeps them as files.
	Mail *MailServer

	binary  string
	env     []string
	client  *http.Client
	command *exec.Cmd
	ended   chan struct{} // closed when the command has ended
	result  error
	said    *output
}

// New prepares a server on a free port of this machine with a data folder.
// Settings are NAME=value and win over the defaults.
func New(binary, dataDir string, settings ...string) (*Process, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	p := &Process{URL: "http://" + address, DataDir: dataDir, binary: binary, said: &output{}}
	p.env = append(os.Environ(), "UJUMBE_LISTEN="+address, "UJUMBE_PUBLIC_URL="+p.URL, "UJUMBE_DATA_DIR="+dataDir, "UJUMBE_LOG_LEVEL=warn")
	p.env = append(p.env, settings...)
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	return p, nil
}

// FreeAddress returns an address of this machine that nobody listens on.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// Launch starts the process, also again after it ended.
func (p *Process) Launch() error {
	command := exec.Command(p.binary, "serve")
	command.Env, command.Stdout, command.Stderr = p.env, p.said, p.said
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	ended := make(chan struct{})
	p.command, p.ended = command, ended
	go func() {
		p.result = command.Wait()
		close(ended)
	}()
	return nil
}

// AwaitReady waits until /readyz is green, and fails when the process ends or
// the context does.
func (p *Process) AwaitReady(ctx context.Context) error {
	for {
		if p.Call(ctx, http.MethodGet, "/readyz", "", nil).Status == http.StatusOK {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("the server ended: %w: %s", errors.Join(p.result), p.said)
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w: %s", ctx.Err(), p.said)
		case <-time.After(time.Millisecond):
		}
	}
}

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Kill()
	<-p.ended
}

// Signal asks the process to end without waiting.
func (p *Process) Signal() error { return p.command.Process.Signal(syscall.SIGTERM) }

// Wait waits for the process to end and tells how it did.
func (p *Process) Wait() error {
	<-p.ended
	return p.result
}

// ExitCode is that of a process that has ended by itself, -1 otherwise.
func (p *Process) ExitCode() int {
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	default:
		return -1
	}
}

// Said is what the process has written, in all its lives.
func (p *Process) Said() string { return p.said.String() }

// Memory is how much memory the process has in use, in bytes; 0 when it has
// ended.
func (p *Process) Memory() int64 { return p.status("VmRSS") }

// PeakMemory is the most memory the process ever had in use, in bytes.
func (p *Process) PeakMemory() int64 { return p.status("VmHWM") }

func (p *Process) status(field string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	var kilobytes int64
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscanf(rest, "%d kB", &kilobytes)
		}
	}
	return kilobytes << 10
}

// output collects what a process writes while others may read it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
