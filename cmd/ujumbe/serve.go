package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/mattn/go-isatty"

	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/mail"
	"ujumbe/internal/server"
)

type serveCmd struct {
	config.Config
}

func (c *serveCmd) Run(ctx context.Context) error {
	if err := c.Validate(); err != nil {
		return err
	}
	generated := bool(c.Dev) && devOwner(&c.Config)
	log := newLogger(&c.Config)
	slog.SetDefault(log)
	db, err := openDatabase(ctx, &c.Config, database.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	sender, err := newSender(&c.Config)
	if err != nil {
		return err
	}
	s, err := server.New(ctx, server.Needs{Config: &c.Config, Log: log, DB: db, Clock: clock.System{}, Mail: sender})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(ctx, func(public, admin string) {
		log.Info("serving", "address", public, "admin", admin, "database", db.Engine(), "version", server.Version)
		if c.Dev {
			greet(&c.Config, staffSite(&c.Config, admin), generated && s.MadeOwner())
		}
	})
}

// openDatabase opens the database and brings its schema up to date.
func openDatabase(ctx context.Context, c *config.Config, opts database.Options) (*database.DB, error) {
	db, err := database.Open(ctx, c.DatabaseURL, opts)
	if err != nil {
		return nil, fmt.Errorf("UJUMBE_DATABASE_URL: %w", err)
	}
	if err := db.Migrate(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("UJUMBE_DATABASE_URL: %w", err)
	}
	return db, nil
}

// newSender returns the mail server, or a folder in its place.
func newSender(c *config.Config) (mail.Sender, error) {
	from, err := mail.ParseFrom(c.MailFrom)
	if err != nil {
		return nil, fmt.Errorf("UJUMBE_MAIL_FROM: %w", err)
	}
	if c.SMTPURL == "" {
		return mail.NewFiles(c.MailDir(), from, clock.System{})
	}
	sender, err := mail.NewSMTP(c.SMTPURL, from, mail.SMTPOptions{})
	if err != nil {
		return nil, fmt.Errorf("UJUMBE_SMTP_URL: %w", err)
	}
	return sender, nil
}

func newLogger(c *config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // checked by Validate
	options := &slog.HandlerOptions{Level: level}
	asText := c.LogFormat == "text" || (c.LogFormat == "" && isatty.IsTerminal(os.Stderr.Fd()))
	if asText {
		return slog.New(slog.NewTextHandler(os.Stderr, options))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, options))
}

// staffSite is where staff reach the server: the address that is configured, but
// the listener itself where that would be the customers' side.
func staffSite(c *config.Config, listener string) string {
	if c.AdminListen != "" && c.AdminURL == c.PublicURL {
		return "http://" + listener
	}
	return c.AdminURL
}

// greet tells a newcomer where to look and, at the first start, how to sign in
// as staff.
func greet(c *config.Config, staffSite string, madeOwner bool) {
	fmt.Fprintf(os.Stderr, `
  Ujumbe is running in development mode.

    Console        %[1]s/
    Mails          %[1]s/dev/mail
    API reference  %[1]s/docs
    Staff console  %[2]s/admin/

`, c.PublicURL, staffSite)
	if madeOwner {
		fmt.Fprintf(os.Stderr, "    Staff owner    %s, password %s (shown this once)\n\n", c.StaffOwnerEmail, c.StaffOwnerPassword)
	}
}
