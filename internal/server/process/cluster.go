package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Cluster is a PostgreSQL server of one's own, which may be stopped and started.
// What it acknowledged is on the disk.
type Cluster struct {
	// URL is the address of an empty database on it.
	URL       string
	bin, data string
	close     func()
}

// StartCluster starts a PostgreSQL server by scripts/with-postgres of the
// repository at root.
func StartCluster(root string) (*Cluster, error) {
	// The command under the script lives until its input ends, also when this
	// process is killed.
	command := exec.Command(filepath.Join(root, "scripts", "with-postgres"), "bash", "-c",
		`printf '%s\n' "$UJUMBE_TEST_POSTGRES_URL" "$UJUMBE_TEST_POSTGRES_BIN" "$UJUMBE_TEST_POSTGRES_DATA"; read -r _ || true`)
	command.Env = append(os.Environ(), "WITH_POSTGRES_DURABLE=1")
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	c := &Cluster{close: func() {
		_ = input.Close()
		_ = command.Wait()
	}}
	lines := bufio.NewScanner(out)
	for _, field := range []*string{&c.URL, &c.bin, &c.data} {
		if !lines.Scan() {
			c.close()
			return nil, errors.New("scripts/with-postgres started no server")
		}
		*field = lines.Text()
	}
	return c, nil
}

// Close stops the server and removes its files.
func (c *Cluster) Close() { c.close() }

// Stop ends the server: "fast" as an operator does, "immediate" as a crash does.
func (c *Cluster) Stop(mode string) error { return c.control("-m", mode, "-w", "stop") }

// Start starts the server again and waits until it accepts connections.
func (c *Cluster) Start() error {
	return c.control("-l", filepath.Join(filepath.Dir(c.data), "server.log"), "-w", "start")
}

func (c *Cluster) control(arguments ...string) error {
	command := exec.Command(filepath.Join(c.bin, "pg_ctl"), append([]string{"-D", c.data}, arguments...)...)
	command.Dir = c.data
	// PostgreSQL runs as the owner of its files, which is not root.
	if info, err := os.Stat(c.data); err == nil && os.Geteuid() == 0 {
		owner := info.Sys().(*syscall.Stat_t)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	// Not CombinedOutput: the server would keep its pipe open for ever.
	if err := command.Run(); err != nil {
		return fmt.Errorf("pg_ctl %s: %w", strings.Join(arguments, " "), err)
	}
	return nil
}
