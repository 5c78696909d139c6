package server_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ujumbe/internal/server/processtest"
)

func TestDevelopmentModeTellsWhereTheStaffConsoleIs(t *testing.T) {
	address := processtest.FreeAddress(t)
	for name, test := range map[string]struct {
		settings []string
		want     func(p *processtest.Process) string
	}{
		"beside the customers'": {want: func(p *processtest.Process) string { return p.URL }},
		"on a listener of its own": {
			settings: []string{"UJUMBE_ADMIN_LISTEN=" + address},
			want:     func(*processtest.Process) string { return "http://" + address },
		},
		"under a name of its own": {
			settings: []string{"UJUMBE_ADMIN_LISTEN=" + address, "UJUMBE_ADMIN_URL=http://localhost:9000"},
			want:     func(*processtest.Process) string { return "http://localhost:9000" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := processtest.Start(t, append(test.settings, "UJUMBE_DEV=on")...)
			defer p.Kill()
			want := "Staff console  " + test.want(p) + "/admin/\n"
			for deadline := time.Now().Add(patience); !strings.Contains(p.Said(), want); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("it said %s", p.Said())
				}
			}
		})
	}
}

func TestStaffCommandsTakeTheServersAddresses(t *testing.T) {
	data := t.TempDir()
	run := func(input string, env []string, args ...string) (string, error) {
		command := exec.Command(processtest.Binary(t), append([]string{"staff"}, args...)...)
		command.Env = append(append(os.Environ(), "UJUMBE_DATA_DIR="+data), env...)
		command.Stdin = strings.NewReader(input)
		out, err := command.CombinedOutput()
		return string(out), err
	}
	if out, err := exec.Command(processtest.Binary(t), "migrate", "--data-dir", data).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := run("a long password\n", nil, "create", "owner@example.com", "--name", "Owner", "--role", "owner", "--password-stdin"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	public := "UJUMBE_PUBLIC_URL=https://sms.example.com"
	for _, test := range []struct {
		env  []string
		want string
	}{
		{nil, "http://localhost:8080/"},
		{[]string{public}, "https://sms.example.com/"},
		{[]string{public, "UJUMBE_ADMIN_URL="}, "https://sms.example.com/"},
		{[]string{public, "UJUMBE_ADMIN_URL=https://staff.example.com/"}, "https://staff.example.com/admin/"},
	} {
		if out, err := run("", test.env, "reset-password", "owner@example.com"); err != nil || !strings.HasPrefix(out, test.want) {
			t.Errorf("with %q: %s, %v", test.env, out, err)
		}
	}
	out, err := run("", []string{"UJUMBE_ADMIN_URL=nowhere"}, "reset-password", "owner@example.com")
	if err == nil || !strings.Contains(out, "UJUMBE_ADMIN_URL") || !strings.Contains(out, "UJUMBE_PUBLIC_URL") {
		t.Errorf("an address that is none: %s, %v", out, err)
	}
}
