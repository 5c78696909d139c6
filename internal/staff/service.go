package staff

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/id"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/session"
	"ujumbe/internal/token"
)

// Needs are the parts that Service is made of. Signer and Sessions are those of
// the staff realm.
type Needs struct {
	DB       *database.DB
	Clock    clock.Clock
	Hasher   *token.Hasher
	Signer   *token.Signer
	Sessions *session.Store
	Queue    *job.Queue
	Links    *onetime.Links
	Pages    mail.Links
	Limiter  *ratelimit.Limiter
	Trail    *audit.Trail
	Accounts *account.Store
	Log      *slog.Logger
}

// Service holds the rules of the staff namespace.
type Service struct {
	Needs
	store *store
	locks lockout
}

const sweepEvery = time.Hour

// NewService returns the rules, and makes known the links they mail and the
// work they do from time to time.
func NewService(n Needs) *Service {
	s := &Service{Needs: n, store: &store{n.Clock}, locks: lockout{n.Clock}}
	s.addLinks()
	n.Queue.Every("staff.sweep", sweepEvery, func(ctx context.Context) error { return s.locks.sweep(ctx, n.DB) })
	return s
}

// List returns all members, oldest first.
func (s *Service) List(ctx context.Context) ([]Member, error) { return s.store.all(ctx, s.DB) }

// Find returns one member.
func (s *Service) Find(ctx context.Context, member ID) (Member, error) {
	return s.store.find(ctx, s.DB, member)
}

// Create adds a member. One without a password gets an invitation by mail.
func (s *Service) Create(ctx context.Context, by Caller, d Draft) (Member, error) {
	if err := d.check(); err != nil {
		return Member{}, err
	}
	hash, err := s.hashOf(ctx, d.Password)
	if err != nil {
		return Member{}, err
	}
	var m Member
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.confirm(ctx, tx, by); err != nil {
			return err
		}
		var err error
		m, err = s.add(ctx, tx, by, d, hash)
		return err
	})
	return m, err
}

// confirm makes sure, in the transaction, that the sign-in goes on of whoever is
// about to open a way in for someone: a session that was ended a moment ago must
// not make itself a member, or raise one, to come back as.
func (s *Service) confirm(ctx context.Context, tx database.Tx, by Caller) error {
	if by == Operator {
		return nil
	}
	open, err := s.Sessions.IsOpen(ctx, tx, by.Session)
	if err == nil && !open {
		return errInvalidToken
	}
	return err
}

func (s *Service) hashOf(ctx context.Context, password *string) (string, error) {
	if password == nil {
		return "", nil
	}
	return s.Hasher.Hash(ctx, *password)
}

func (s *Service) add(ctx context.Context, tx database.Tx, by Caller, d Draft, hash string) (Member, error) {
	m, err := s.store.insert(ctx, tx, d, hash)
	if err != nil {
		return Member{}, err
	}
	if hash == "" {
		if err := s.Links.Send(ctx, tx, invitation, m.Email); err != nil {
			return Member{}, err
		}
	}
	return m, s.Trail.Write(ctx, tx, by.did(audit.StaffCreated, fmt.Sprintf("%s as %s", m.Email, m.Role)))
}

// EnsureOwner makes the first owner of a new installation and reports whether
// it did. Where there is any staff already it does nothing, so it may be called
// at every start.
func (s *Service) EnsureOwner(ctx context.Context, email, password string) (made bool, err error) {
	// Looking first spares every later start the hash.
	if none, err := s.store.none(ctx, s.DB); err != nil || !none {
		return false, err
	}
	d := Draft{Name: "Owner", Email: email, Role: RoleOwner, Password: &password}
	if err := d.check(); err != nil {
		return false, fmt.Errorf("first staff owner: %w", err)
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return false, fmt.Errorf("first staff owner: %w", err)
	}
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		if made, err = s.store.none(ctx, tx); err != nil || !made {
			return err
		}
		_, err = s.add(ctx, tx, Operator, d, hash)
		return err
	})
	if errors.Is(err, errEmailTaken) { // by another node that starts just now
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if made {
		s.Log.InfoContext(ctx, "first staff owner created", "email", d.Email)
	}
	return made, nil
}

// Change applies what is given of a member's name and phone.
func (s *Service) Change(ctx context.Context, by Caller, member ID, ch Changes) (Member, error) {
	if err := ch.check(); err != nil {
		return Member{}, err
	}
	var m Member
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		var err error
		if m, err = s.store.lock(ctx, tx, member); err != nil {
			return err
		}
		if ch.Name != nil {
			m.Name = *ch.Name
		}
		if ch.Phone != nil {
			m.Phone = ch.Phone.Number
		}
		if err := s.store.update(ctx, tx, m); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, by.did(audit.StaffChanged, m.Email))
	})
	return m, err
}

// Permissions returns what a member may do in each module.
func (s *Service) Permissions(ctx context.Context, member ID) (Permissions, error) {
	m, err := s.store.find(ctx, s.DB, member)
	if err != nil {
		return nil, err
	}
	stored, err := s.store.permissions(ctx, s.DB, member)
	return stored.Of(m.Role), err
}

// Permit changes the levels of the modules that are named and leaves the others
// as they are. An owner's levels are stored too, but stay without effect.
func (s *Service) Permit(ctx context.Context, by Caller, member ID, change Permissions) (Member, error) {
	if err := change.check(); err != nil {
		return Member{}, err
	}
	var m Member
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		err := s.confirm(ctx, tx, by)
		if err != nil {
			return err
		}
		if m, err = s.store.find(ctx, tx, member); err != nil {
			return err
		}
		if err := s.store.permit(ctx, tx, member, change); err != nil {
			return err
		}
		return s.Trail.Write(ctx, tx, by.did(audit.StaffPermissions, m.Email+": "+change.String()))
	})
	return m, err
}

// SetActive lets a member in again, or shuts them out and ends their sessions
// and links. There is always an active owner left: the set of owners is held
// while one is taken from it, so two who deactivate each other at the same moment
// can't both succeed. The caller is a member.
func (s *Service) SetActive(ctx context.Context, by Caller, member ID, active bool) (Member, error) {
	if !active && member == by.ID {
		return Member{}, errSelf
	}
	var m Member
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		owners, err := s.store.lockOwners(ctx, tx)
		if err != nil {
			return err
		}
		if !active && len(owners) == 1 && owners[0] == member {
			return errLastOwner
		}
		// The caller may have been deactivated while this waited.
		if !slices.Contains(owners, by.ID) {
			return errInvalidToken
		}
		if err := s.confirm(ctx, tx, by); err != nil {
			return err
		}
		if m, err = s.store.lock(ctx, tx, member); err != nil || m.IsActive == active {
			return err
		}
		m.IsActive = active
		return s.switchActive(ctx, tx, by, m)
	})
	return m, err
}

func (s *Service) switchActive(ctx context.Context, tx database.Tx, by Caller, m Member) error {
	if err := s.store.setActive(ctx, tx, m.ID, m.IsActive); err != nil {
		return err
	}
	word := "activated"
	if !m.IsActive {
		word = "deactivated"
		if err := s.endAccess(ctx, tx, m.ID, session.ID{}); err != nil {
			return err
		}
	}
	return s.Trail.Write(ctx, tx, by.did(audit.StaffActivity, m.Email+" "+word))
}

// endAccess ends a member's open links and every session but the one to keep.
func (s *Service) endAccess(ctx context.Context, tx database.Tx, member ID, keep session.ID) error {
	if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](member)); err != nil {
		return err
	}
	return s.Sessions.EndAll(ctx, tx, id.Of[session.Owner](member), keep)
}
