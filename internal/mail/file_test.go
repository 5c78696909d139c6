package mail_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ujumbe/internal/clock"
	"ujumbe/internal/mail"
)

func newFiles(t testing.TB, dir string, now clock.Clock) *mail.Files {
	t.Helper()
	f, err := mail.NewFiles(dir, from, now)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "mail")
	if err := newFiles(t, dir, clock.System{}).Send(t.Context(), plainMessage()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, names(t, dir)[0]): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestFilesSortByTime(t *testing.T) {
	dir, now := t.TempDir(), clock.NewManual()
	files := newFiles(t, dir, now)
	var subjects []string
	for i := range 30 {
		m := plainMessage()
		m.Subject = fmt.Sprintf("mail %d", i)
		subjects = append(subjects, m.Subject)
		if err := files.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 { // several within a millisecond, and over a change of day
			now.Advance(time.Hour + time.Millisecond)
		}
	}
	var got []string
	for _, name := range names(t, dir) {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, parse(t, raw).Header.Get("Subject"))
	}
	if !slices.Equal(got, subjects) {
		t.Errorf("order %v", got)
	}
}

func TestFileHoldsTheLinkAsItIs(t *testing.T) {
	dir := t.TempDir()
	link := links(t).VerifyEmail(token)
	m, err := mail.VerifyEmail{Link: link, ValidFor: time.Hour}.Render(mail.Recipient{Address: "amina@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if err := newFiles(t, dir, clock.System{}).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, names(t, dir)[0]))
	if err != nil || !strings.Contains(string(raw), "\n"+link.String()+"\r\n") {
		t.Errorf("%v in\n%s", err, raw)
	}
}

func TestNoHalfFileIsEverSeen(t *testing.T) {
	dir := t.TempDir()
	files := newFiles(t, dir, clock.System{})
	m := plainMessage()
	m.Attachments = []mail.Attachment{{Name: "x.csv", Type: "text/csv", Content: make([]byte, 256<<10)}}
	done := make(chan struct{})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 10 {
				if err := files.Send(t.Context(), m); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { writers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		found, err := filepath.Glob(filepath.Join(dir, "*.eml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			info, err := os.Stat(name)
			if err != nil || info.Size() < 256<<10 {
				t.Fatalf("%s: %v, %v", name, info, err)
			}
		}
	}
	if all := names(t, dir); len(all) != 40 || strings.Contains(strings.Join(all, " "), ".tmp") {
		t.Errorf("%d files: %v", len(all), all)
	}
}

func TestLeftoversOfACrashAreClearedAway(t *testing.T) {
	dir := t.TempDir()
	old, young, kept := filepath.Join(dir, "old.tmp"), filepath.Join(dir, "young.tmp"), filepath.Join(dir, "kept.eml")
	for _, path := range []string{old, young, kept} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	for _, path := range []string{old, kept} {
		if err := os.Chtimes(path, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	newFiles(t, dir, clock.System{})
	if got := names(t, dir); !slices.Equal(got, []string{"kept.eml", "young.tmp"}) {
		t.Errorf("left: %v", got)
	}
}

func TestFilesFailCleanly(t *testing.T) {
	dir := t.TempDir()
	files := newFiles(t, dir, clock.System{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := files.Send(ctx, plainMessage()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	bad := plainMessage()
	bad.To = "nobody"
	if err := files.Send(t.Context(), bad); !mail.IsPermanent(err) {
		t.Errorf("bad address: %v", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := files.Send(t.Context(), plainMessage()); err == nil || mail.IsPermanent(err) {
		t.Errorf("folder gone: %v; want a passing error", err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mail.NewFiles(filepath.Join(blocked, "mail"), from, clock.System{}); err == nil {
		t.Error("made a folder in a file")
	}
}

func TestObservedTellsHowEachSendEnded(t *testing.T) {
	var ends []error
	sender := mail.Observed(newFiles(t, t.TempDir(), clock.System{}), func(err error) { ends = append(ends, err) })
	bad := plainMessage()
	bad.To = ""
	_ = sender.Send(t.Context(), plainMessage())
	err := sender.Send(t.Context(), bad)
	if len(ends) != 2 || ends[0] != nil || err == nil || !errors.Is(err, ends[1]) {
		t.Errorf("ends %v", ends)
	}
}

func BenchmarkFiles(b *testing.B) {
	files := newFiles(b, b.TempDir(), clock.System{})
	for b.Loop() {
		if err := files.Send(b.Context(), plainMessage()); err != nil {
			b.Fatal(err)
		}
	}
}
