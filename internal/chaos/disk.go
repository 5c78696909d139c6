package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ujumbe/internal/database"
	"ujumbe/internal/server/process"
)

const diskSize = 64 << 20

// diskDrill fills the disk under a server on SQLite: writes are then told to
// come back and reads go on; with room again, writes go on, and nothing that was
// acknowledged is lost, not even by a kill at the end.
func diskDrill(ctx context.Context, o options) error {
	dir, unmount, err := mountSmallDisk(ctx)
	if err != nil {
		fmt.Printf("left out      a small disk can't be made here: %v\n", err)
		return nil
	}
	defer unmount()
	p, err := process.New(o.bin, filepath.Join(dir, "data"), "UJUMBE_RATE_LIMITS=off")
	if err != nil {
		return err
	}
	defer p.Kill()
	d := &disk{Process: p, ballast: filepath.Join(dir, "ballast")}
	if err := d.start(ctx); err != nil {
		return err
	}
	if d.tenant, err = newTenant(ctx, p, &d.ledger, 0); err != nil {
		return err
	}
	if err := d.fill(ctx); err != nil {
		return err
	}
	if err := os.Remove(d.ballast); err != nil {
		return fmt.Errorf("make room: %w", err)
	}
	if err := d.recover(ctx); err != nil {
		return err
	}
	p.Kill()
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.verify(ctx); err != nil {
		return err
	}
	return d.ledger.report(p)
}

// mountSmallDisk makes a disk in memory; only root may.
func mountSmallDisk(ctx context.Context) (dir string, unmount func(), err error) {
	dir, err = os.MkdirTemp("", "ujumbe-disk-")
	if err != nil {
		return "", nil, fmt.Errorf("folder for a disk: %w", err)
	}
	if out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", diskSize), "tmpfs", dir).CombinedOutput(); err != nil {
		_ = os.Remove(dir)
		return "", nil, fmt.Errorf("mount: %w: %s", err, out)
	}
	return dir, func() {
		_ = exec.Command("umount", dir).Run()
		_ = os.Remove(dir)
	}, nil
}

type disk struct {
	*process.Process
	ledger  ledger
	tenant  *tenant
	ballast string
}

func (d *disk) start(ctx context.Context) error {
	if err := d.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return d.AwaitReady(ctx)
}

// fill takes all room and goes on writing until a hundred writes were refused in
// a row. Reads must go on.
func (d *disk) fill(ctx context.Context) error {
	if err := writeUntilFull(d.ballast); err != nil {
		return err
	}
	refused := 0
	for began := time.Now(); refused < 100; {
		if ctx.Err() != nil || time.Since(began) > time.Minute {
			return fmt.Errorf("only %d writes in a row were refused on a full disk", refused)
		}
		before := len(d.tenant.active)
		d.tenant.create()
		if len(d.tenant.active) > before {
			refused = 0
			continue
		}
		refused++
		if a, o := d.tenant.call(http.MethodGet, "/contacts", nil, http.StatusOK); o != acknowledged {
			d.ledger.wrong("a read on a full disk: %d %s", a.Status, a.Body)
		}
	}
	fmt.Printf("disk full     after %d contacts; writes are told to come back, reads go on\n", len(d.tenant.active))
	return nil
}

func writeUntilFull(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("take the room: %w", err)
	}
	defer file.Close()
	block := make([]byte, 64<<10)
	for {
		if _, err := file.Write(block); err != nil {
			return nil // that the disk is full is the aim
		}
	}
}

// recover waits until writes succeed again.
func (d *disk) recover(ctx context.Context) error {
	began := time.Now()
	for written := 0; written < 50; {
		before := len(d.tenant.active)
		d.tenant.create()
		written += len(d.tenant.active) - before
		if ctx.Err() != nil || time.Since(began) > recovery {
			return fmt.Errorf("no writes %s after there was room again", recovery)
		}
	}
	fmt.Printf("room again    50 writes within %s\n", time.Since(began).Round(time.Millisecond))
	return nil
}

func (d *disk) verify(ctx context.Context) error {
	db, err := database.Open(ctx, "sqlite://"+filepath.Join(d.DataDir, "ujumbe.db"), database.Options{Shared: true})
	if err != nil {
		return err
	}
	defer db.Close()
	check := &checker{ctx: ctx, db: db, ledger: &d.ledger}
	check.tenant(d.tenant)
	for what, query := range neverRows {
		check.count(what, 0, query)
	}
	fmt.Printf("compared      %d contacts after a kill\n", len(d.tenant.active))
	return check.err
}
