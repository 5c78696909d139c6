package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/staff"
	"ujumbe/internal/token"
)

type staffCmd struct {
	Create        staffCreateCmd `cmd:"" help:"Add a staff member."`
	List          staffListCmd   `cmd:"" help:"List the staff."`
	Unlock        staffUnlockCmd `cmd:"" help:"Let a member sign in again after too many failures."`
	ResetPassword staffResetCmd  `cmd:"" help:"Print a link that sets a member's password, once, within the hour."`
}

// staffFlags are what every staff command needs.
type staffFlags struct {
	databaseFlags
	AdminURL  string `name:"admin-url" env:"UJUMBE_ADMIN_URL" help:"Base of the links. Default: the public URL." placeholder:"URL"`
	PublicURL string `env:"UJUMBE_PUBLIC_URL" default:"http://localhost:8080" help:"Address customers reach the server by." placeholder:"URL"`
}

// with runs f with the staff's rules on the database of a server that may be
// running. Mails that f causes are sent by that server.
func (c staffFlags) with(ctx context.Context, f func(*staff.Service) error) error {
	pages, err := mail.NewLinks(cmp.Or(c.AdminURL, c.PublicURL))
	if err != nil {
		return fmt.Errorf("UJUMBE_ADMIN_URL or UJUMBE_PUBLIC_URL: %w", err)
	}
	db, err := c.open(ctx, database.Options{Shared: true})
	if err != nil {
		return err
	}
	defer db.Close()
	var (
		now   clock.System
		log   = slog.New(slog.DiscardHandler)
		queue = job.NewQueue(db, now, log)
	)
	return f(staff.NewService(staff.Needs{
		DB: db, Clock: now, Hasher: token.NewHasher(), Signer: token.NewSigner(token.Staff, token.NewKeys(db, now), now),
		Sessions: session.NewStore(db, now, session.StaffPolicy), Queue: queue, Links: onetime.New(db, now, queue, nil), Pages: pages,
		Limiter: ratelimit.New(db, now, false), Trail: audit.NewTrail(db, now), Accounts: account.NewStore(db, now), Log: log,
	}))
}

type staffCreateCmd struct {
	staffFlags
	Email         string     `arg:"" help:"Address to sign in with."`
	Name          string     `required:"" help:"Name shown to colleagues."`
	Role          staff.Role `required:"" enum:"owner,staff" help:"owner manages the staff and may do everything; staff begins with no permission." placeholder:"owner|staff"`
	PasswordStdin bool       `help:"Read the password from the first line of standard input. Without it the member is mailed an invitation to set one."`
}

func (c *staffCreateCmd) Run(ctx context.Context) error {
	d := staff.Draft{Name: c.Name, Email: c.Email, Role: c.Role}
	if c.PasswordStdin {
		password, err := readLine(os.Stdin)
		if err != nil {
			return fmt.Errorf("password: %w", err)
		}
		d.Password = &password
	}
	return c.with(ctx, func(s *staff.Service) error {
		m, err := s.Create(ctx, staff.Operator, d)
		if err != nil {
			return err
		}
		fmt.Printf("Added %s as %s.\n", m.Email, m.Role)
		if d.Password == nil {
			fmt.Printf("The running server mails an invitation to set a password. \"ujumbe staff reset-password %s\" prints a link instead.\n", m.Email)
		}
		return nil
	})
}

// readLine returns the first line without its end; a password may have spaces.
func readLine(from io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(from, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

type staffListCmd struct {
	staffFlags
}

func (c *staffListCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(s *staff.Service) error {
		all, err := s.List(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "EMAIL\tNAME\tROLE\tACTIVE\tSINCE")
		for _, m := range all {
			active := "yes"
			if !m.IsActive {
				active = "no"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", m.Email, m.Name, m.Role, active, m.CreatedAt)
		}
		return table.Flush()
	})
}

type staffUnlockCmd struct {
	staffFlags
	Email string `arg:"" help:"Address of the member."`
}

func (c *staffUnlockCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(s *staff.Service) error {
		m, err := s.Unlock(ctx, staff.Operator, c.Email)
		if err != nil {
			return err
		}
		fmt.Printf("%s can sign in again.\n", m.Email)
		return nil
	})
}

type staffResetCmd struct {
	staffFlags
	Email string `arg:"" help:"Address of the member."`
}

func (c *staffResetCmd) Run(ctx context.Context) error {
	return c.with(ctx, func(s *staff.Service) error {
		link, err := s.ResetLink(ctx, staff.Operator, c.Email)
		if err != nil {
			return err
		}
		fmt.Println(link)
		return nil
	})
}

// devOwner names a staff owner for development mode and reports whether it did:
// not where the configuration has one. The owner is made, and the password
// printed, only where there is no staff yet.
func devOwner(c *config.Config) bool {
	if c.StaffOwnerEmail != "" {
		return false
	}
	c.StaffOwnerEmail, c.StaffOwnerPassword = "owner@example.com", rand.Text()
	return true
}
