package server_test

import (
	"crypto/rand"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ujumbe/internal/server/processtest"
)

// What docs/operations.md tells operators to do.

func TestABackupOfSQLiteCanBeRestored(t *testing.T) {
	p := processtest.Start(t)
	keepThenLose(t, p, func() {
		file := filepath.Join(t.TempDir(), "backup.db")
		command(t, processtest.Binary(t), "backup", file, "--data-dir", p.DataDir)
		if out, err := exec.Command(processtest.Binary(t), "backup", file, "--data-dir", p.DataDir).CombinedOutput(); err == nil || !strings.Contains(string(out), "exists already") {
			t.Errorf("a second backup into the same file: %v, %s", err, out)
		}
		t.Cleanup(func() { _ = os.Remove(file) })
		restored := t.TempDir()
		if err := os.Rename(file, filepath.Join(restored, "ujumbe.db")); err != nil {
			t.Fatal(err)
		}
		p.DataDir = restored
	}, func() *processtest.Process { return processtest.Start(t, "UJUMBE_DATA_DIR="+p.DataDir) })
}

func TestADumpOfPostgreSQLCanBeRestored(t *testing.T) {
	cluster := processtest.StartCluster(t)
	p := processtest.Start(t, "UJUMBE_DATABASE_URL="+cluster.URL)
	address, err := url.Parse(cluster.URL)
	if err != nil {
		t.Fatal(err)
	}
	restored := *address
	restored.Path = "/restored_" + strings.ToLower(rand.Text())
	keepThenLose(t, p, func() {
		file := filepath.Join(t.TempDir(), "backup.dump")
		command(t, program(t, "pg_dump"), "--format=custom", "--file", file, address.String())
		command(t, program(t, "createdb"), "--maintenance-db", address.String(), strings.TrimPrefix(restored.Path, "/"))
		command(t, program(t, "pg_restore"), "--exit-on-error", "--dbname", restored.String(), file)
	}, func() *processtest.Process { return processtest.Start(t, "UJUMBE_DATABASE_URL="+restored.String()) })
}

// keepThenLose makes contacts before and after a backup and sees that a server on
// the restored database has the first, and works.
func keepThenLose(t *testing.T, p *processtest.Process, backup func(), restored func() *processtest.Process) {
	t.Helper()
	const email = "backup@example.com"
	access := p.Customer(email)
	create := func(p *processtest.Process, access, phone string) {
		t.Helper()
		if a := p.Call(t.Context(), "POST", "/api/v1/contacts", access, map[string]any{"phone": phone, "firstName": "Kept"}); a.Status != 201 {
			t.Fatalf("create: %d %s", a.Status, a.Body)
		}
	}
	create(p, access, "+254712000001")
	backup()
	create(p, access, "+254712000002")
	p.Kill()

	p = restored()
	a := p.Call(t.Context(), "POST", "/api/v1/auth/login", "", map[string]any{"email": email, "password": processtest.Password})
	access = a.Field("accessToken")
	if _, body := p.Get(t.Context(), "/api/v1/contacts?search=kept", access); !strings.Contains(string(body), `"total":1,`) {
		t.Errorf("restored: %s", body)
	}
	create(p, access, "+254712000002")
}

func command(t *testing.T, name string, arguments ...string) {
	t.Helper()
	if out, err := exec.Command(name, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// program finds one of PostgreSQL's client programs.
func program(t *testing.T, name string) string {
	t.Helper()
	if path := filepath.Join(os.Getenv("UJUMBE_TEST_POSTGRES_BIN"), name); isFile(path) {
		return path
	}
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Fatalf("%s is not installed", name)
	}
	return found[len(found)-1]
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
