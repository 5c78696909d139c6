// Package server puts the features together and serves them.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/auth"
	"ujumbe/internal/blob"
	"ujumbe/internal/clock"
	"ujumbe/internal/config"
	"ujumbe/internal/contact"
	"ujumbe/internal/database"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/staff"
	"ujumbe/internal/team"
	"ujumbe/internal/token"
	"ujumbe/internal/transfer"
)

// Server is the whole product on one database.
type Server struct {
	config  *config.Config
	log     *slog.Logger
	db      *database.DB
	blobs   *blob.Store
	queue   *job.Queue
	metrics *metrics
	ready   readiness
	// stopping is closed when the server begins to stop.
	stopping chan struct{}

	madeOwner     bool
	public, admin *httpapi.API // the same when the staff namespace has no listener of its own
}

// Needs are the parts a Server does not make itself, so that tests can bring
// their own.
type Needs struct {
	Config *config.Config
	Log    *slog.Logger
	DB     *database.DB
	Clock  clock.Clock
	Mail   mail.Sender
}

// Version is the product's version, set when it is built.
var Version = "dev"

// New puts the features together. It reaches nothing but the database.
func New(ctx context.Context, n Needs) (*Server, error) {
	blobs, err := blob.Open(ctx, n.Config.BlobURL, n.Config.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("UJUMBE_BLOB_URL: %w", err)
	}
	s := &Server{config: n.Config, log: n.Log, db: n.DB, blobs: blobs, queue: job.NewQueue(n.DB, n.Clock, n.Log), stopping: make(chan struct{})}
	s.public = httpapi.New("Ujumbe API", Version, n.Config.MaxJSONBytes)
	s.admin = s.public
	if n.Config.AdminListen != "" {
		s.admin = httpapi.New("Ujumbe staff API", Version, n.Config.MaxJSONBytes)
	}
	hasher := token.NewHasher()
	s.metrics = newMetrics(prometheus.NewRegistry(), n.DB, s.queue, hasher)
	s.queue.Observe(s.metrics.observeJob)
	if err := s.mountFeatures(ctx, n, hasher); err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	s.mountPages()
	return s, nil
}

// mountFeatures is the one list of what the product does.
func (s *Server) mountFeatures(ctx context.Context, n Needs, hasher *token.Hasher) error {
	pages, err := mail.NewLinks(n.Config.PublicURL)
	if err != nil {
		return fmt.Errorf("UJUMBE_PUBLIC_URL: %w", err)
	}
	staffPages, err := mail.NewLinks(n.Config.AdminURL)
	if err != nil {
		return fmt.Errorf("UJUMBE_ADMIN_URL: %w", err)
	}
	keys := token.NewKeys(n.DB, n.Clock)
	if err := keys.Ensure(ctx); err != nil {
		return err
	}
	var (
		sender   = mail.Observed(n.Mail, s.metrics.observeMail)
		customer = token.NewSigner(token.Customer, keys, n.Clock)
		limiter  = ratelimit.New(n.DB, n.Clock, bool(n.Config.RateLimits))
		trail    = audit.NewTrail(n.DB, n.Clock)
		links    = onetime.New(n.DB, n.Clock, s.queue, sender)
		notices  = team.NewNotices(s.queue, sender, pages, n.Clock)
		accounts = account.NewStore(n.DB, n.Clock)
		families = session.NewStore(n.DB, n.Clock, session.CustomerPolicy)
		sessions = account.NewSessions(accounts, families, customer)
		users    = team.NewStore(n.DB, n.Clock)
		guard    = account.NewGuard(customer, accounts, families)
		deeds    = account.NewTrail(trail)
		contacts = contact.NewStore(n.DB, n.Clock, deeds)
	)
	signIn := auth.NewService(auth.Needs{
		DB: n.DB, Clock: n.Clock, Hasher: hasher, Accounts: accounts, Sessions: sessions, Users: users,
		Notices: notices, Links: links, Pages: pages, Limiter: limiter, Trail: trail,
	})
	auth.Mount(s.public, signIn)
	identities, err := s.mountIdentities(signIn, n.Clock)
	if err != nil {
		return err
	}
	account.Mount(s.public, guard, account.NewService(account.Needs{DB: n.DB, Store: accounts, Sessions: sessions, Trail: trail}))
	people := team.NewService(team.Needs{
		DB: n.DB, Hasher: hasher, Accounts: accounts, Sessions: sessions, Users: users, Notices: notices, Links: links, Pages: pages,
		Limiter: limiter, Trail: deeds, Queue: s.queue, Photos: s.blobs, Folder: n.Config.UploadDir(),
	})
	team.Mount(s.public, guard, people)
	contact.Mount(s.public, guard, contacts)
	contacts.Schedule(s.queue)
	transfers := transfer.NewService(transfer.Needs{
		DB: n.DB, Clock: n.Clock, Contacts: contacts, Accounts: accounts, Trail: deeds, Queue: s.queue, Mail: sender, Limiter: limiter,
		Folder: n.Config.UploadDir(), MaxFile: n.Config.MaxImportBytes, MaxBulk: n.Config.MaxBulkBytes, Stopping: s.stopping,
	})
	if err := transfers.Recover(ctx); err != nil {
		return err
	}
	transfer.Mount(s.public, guard, transfers)
	mountKeys(s.public, keys)
	if err := s.mountStaff(ctx, n.Config, staff.Needs{
		DB: n.DB, Clock: n.Clock, Hasher: hasher, Signer: token.NewSigner(token.Staff, keys, n.Clock),
		Sessions: session.NewStore(n.DB, n.Clock, session.StaffPolicy), Queue: s.queue, Links: links, Pages: staffPages,
		Limiter: limiter, Trail: trail, Accounts: accounts, Log: n.Log,
	}); err != nil {
		return err
	}

	s.queue.Every("sweep", time.Hour, func(ctx context.Context) error {
		return errors.Join(families.Sweep(ctx), links.Sweep(ctx), people.Sweep(ctx), identities.SweepFlows(ctx), limiter.Sweep(ctx), trail.Sweep(ctx), s.queue.Sweep(ctx),
			keys.Renew(ctx))
	})
	return nil
}

// mountStaff adds the staff namespace and, on a new installation, its first
// owner.
func (s *Server) mountStaff(ctx context.Context, c *config.Config, n staff.Needs) error {
	service := staff.NewService(n)
	staff.Mount(s.admin, staff.NewGuard(n.Signer, n.DB, n.Sessions), service)
	if c.StaffOwnerEmail == "" {
		return nil
	}
	var err error
	s.madeOwner, err = service.EnsureOwner(ctx, c.StaffOwnerEmail, c.StaffOwnerPassword)
	return err
}

// MadeOwner reports whether this start made the first staff owner.
func (s *Server) MadeOwner() bool { return s.madeOwner }

// Close releases what New opened.
func (s *Server) Close() error { return s.blobs.Close() }

// Handler is the public side, complete with middleware.
func (s *Server) Handler() http.Handler { return s.handler(s.public) }

// AdminHandler is the staff side when it has a listener of its own.
func (s *Server) AdminHandler() http.Handler { return s.handler(s.admin) }

// API describes the public routes.
func (s *Server) API() *httpapi.API { return s.public }
