package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/database"
	"ujumbe/internal/mail"
	"ujumbe/internal/server"
	"ujumbe/internal/token"
)

// databaseFlags are what a command needs to find the server's database.
type databaseFlags struct {
	DataDir     string `env:"UJUMBE_DATA_DIR" default:"./data" help:"Folder of the database." placeholder:"DIR"`
	DatabaseURL string `env:"UJUMBE_DATABASE_URL" help:"sqlite://path or postgres://…" placeholder:"URL"`
}

// open opens the database of a server that may be running.
func (f databaseFlags) open(ctx context.Context, opts database.Options) (*database.DB, error) {
	c := &config.Config{DataDir: f.DataDir, DatabaseURL: f.DatabaseURL}
	if c.DatabaseURL == "" {
		c.DatabaseURL = "sqlite://" + filepath.Join(c.DataDir, "ujumbe.db")
	}
	return openDatabase(ctx, c, opts)
}

type migrateCmd struct {
	databaseFlags
}

func (c *migrateCmd) Run(ctx context.Context) error {
	db, err := c.open(ctx, database.Options{})
	if err != nil {
		return err
	}
	fmt.Println("The database schema is up to date.")
	return db.Close()
}

type backupCmd struct {
	databaseFlags
	To string `arg:"" type:"path" help:"File to write; it must not exist."`
}

func (c *backupCmd) Run(ctx context.Context) error {
	db, err := c.open(ctx, database.Options{Shared: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Backup(ctx, c.To); err != nil {
		return err
	}
	fmt.Printf("The database is copied to %s. Copy the folder of photos too.\n", c.To)
	return nil
}

type keysCmd struct {
	Rotate rotateCmd `cmd:"" help:"Make new signing keys; the old ones verify for 20 more minutes."`
}

type rotateCmd struct {
	databaseFlags
}

func (c *rotateCmd) Run(ctx context.Context) error {
	db, err := c.open(ctx, database.Options{Shared: true})
	if err != nil {
		return err
	}
	defer db.Close()
	keys := token.NewKeys(db, clock.System{})
	for _, realm := range []token.Realm{token.Customer, token.Staff} {
		if err := keys.Rotate(ctx, realm); err != nil {
			return err
		}
	}
	fmt.Println("New keys sign from now on; running servers take them up within a minute.")
	return nil
}

type openAPICmd struct{}

// Run prints the document of a server with all features, on a database that is
// thrown away.
func (openAPICmd) Run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "ujumbe-openapi-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &config.Config{DataDir: dir, Listen: "127.0.0.1:0", PublicURL: "http://localhost:8080", AdminURL: "http://localhost:8080", MaxJSONBytes: 1 << 20}
	c.DatabaseURL, c.BlobURL = "sqlite://"+filepath.Join(dir, "ujumbe.db")+"?synchronous=OFF", "file://"+filepath.Join(dir, "blobs")
	db, err := openDatabase(ctx, c, database.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	sender, err := mail.NewFiles(c.MailDir(), mail.From{}, clock.System{})
	if err != nil {
		return err
	}
	s, err := server.New(ctx, server.Needs{Config: c, Log: slog.New(slog.DiscardHandler), DB: db, Clock: clock.System{}, Mail: sender})
	if err != nil {
		return err
	}
	defer s.Close()
	document, err := json.MarshalIndent(s.API().OpenAPI(), "", "  ")
	if err != nil {
		return err
	}
	fmt.Println(string(document))
	return nil
}

type versionCmd struct{}

func (versionCmd) Run() error {
	fmt.Println("ujumbe", server.Version)
	return nil
}
