// Command ujumbe serves the messaging platform and helps its operator.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

var cli struct {
	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve the API and the console."`
	Migrate migrateCmd `cmd:"" help:"Bring the database schema up to date and exit; serve does so too."`
	Backup  backupCmd  `cmd:"" help:"Copy the SQLite database into a file, also while a server runs."`
	Staff   staffCmd   `cmd:"" help:"The platform's own staff."`
	Keys    keysCmd    `cmd:"" help:"Signing keys of access tokens."`
	Phone   phoneCmd   `cmd:"" help:"Explain a phone number: how it is read, and whose network it is."`
	OpenAPI openAPICmd `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

const about = `Ujumbe is a self-hostable messaging platform: organizations, teams and contacts for SMS campaigns.

Every flag is also an environment variable. With nothing set, "ujumbe serve" runs on SQLite in ./data and keeps mails as files there; "ujumbe serve --dev" adds an inbox at /dev/mail and sign-in without real identity providers. Production wants UJUMBE_DATABASE_URL (PostgreSQL), UJUMBE_PUBLIC_URL and UJUMBE_SMTP_URL.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	parser := kong.Must(&cli, kong.Name("ujumbe"), kong.Description(about), kong.ShortUsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.BindTo(ctx, (*context.Context)(nil)))
	command, err := parser.Parse(os.Args[1:])
	parser.FatalIfErrorf(err)
	err = command.Run()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ujumbe:", err)
		os.Exit(1)
	}
}
