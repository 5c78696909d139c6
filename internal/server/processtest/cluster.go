package processtest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"ujumbe/internal/database/databasetest"
)

// Cluster is a PostgreSQL server of the test's own, which it may stop and start.
// What it acknowledged is on the disk.
type Cluster struct {
	t testing.TB
	// URL is the address of an empty database on it.
	URL       string
	bin, data string
}

// StartCluster starts a PostgreSQL server until the test ends. Where there is
// none the test is skipped, as databasetest.Postgres does.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	if os.Getenv(databasetest.PostgresVariable) == "" && os.Getenv("CI") == "" {
		t.Skipf("%s is not set; `make test` runs this on PostgreSQL too", databasetest.PostgresVariable)
	}
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..")
	// The command under the script lives until its input ends, also when this
	// process is killed.
	command := exec.Command(filepath.Join(root, "scripts", "with-postgres"), "bash", "-c",
		`printf '%s\n' "$UJUMBE_TEST_POSTGRES_URL" "$UJUMBE_TEST_POSTGRES_BIN" "$UJUMBE_TEST_POSTGRES_DATA"; read -r _ || true`)
	command.Env = append(os.Environ(), "WITH_POSTGRES_DURABLE=1")
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = command.Wait()
	})
	c := &Cluster{t: t}
	lines := bufio.NewScanner(output)
	for _, field := range []*string{&c.URL, &c.bin, &c.data} {
		if !lines.Scan() {
			t.Fatal("scripts/with-postgres started no server")
		}
		*field = lines.Text()
	}
	return c
}

// Stop ends the server: "fast" as an operator does, "immediate" as a crash does.
func (c *Cluster) Stop(mode string) {
	c.t.Helper()
	c.control("-m", mode, "-w", "stop")
}

// Start starts the server again and waits until it accepts connections.
func (c *Cluster) Start() {
	c.t.Helper()
	c.control("-l", filepath.Join(filepath.Dir(c.data), "server.log"), "-w", "start")
}

func (c *Cluster) control(arguments ...string) {
	c.t.Helper()
	command := exec.Command(filepath.Join(c.bin, "pg_ctl"), append([]string{"-D", c.data}, arguments...)...)
	command.Dir = c.data
	// PostgreSQL runs as the owner of its files, which is not root.
	if info, err := os.Stat(c.data); err == nil && os.Geteuid() == 0 {
		owner := info.Sys().(*syscall.Stat_t)
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	// Not CombinedOutput: the server would keep its pipe open for ever.
	if err := command.Run(); err != nil {
		c.t.Fatalf("pg_ctl %s: %v", strings.Join(arguments, " "), err)
	}
}
