package account

import (
	"context"
	"strings"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
)

// Needs are the parts that Service is made of.
type Needs struct {
	DB       *database.DB
	Store    *Store
	Sessions *Sessions
	Trail    *audit.Trail
}

// Service holds the rules about organizations.
type Service struct {
	Needs
	deeds *Trail
}

// NewService returns the rules.
func NewService(n Needs) *Service { return &Service{Needs: n, deeds: NewTrail(n.Trail)} }

// List returns the organizations that the caller belongs to.
func (s *Service) List(ctx context.Context, caller Caller) ([]Belonging, error) {
	all, err := s.Store.belongings(ctx, s.DB, caller.User)
	for i := range all {
		all[i].IsCurrent = all[i].AccountID == caller.Account
	}
	return all, err
}

// Current returns the organization that the caller acts in.
func (s *Service) Current(ctx context.Context, caller Caller) (Account, error) {
	return s.Store.Find(ctx, s.DB, caller.Account)
}

// Moved is the answer to a caller who now acts in another organization.
type Moved struct {
	Pair
	User ReducedUser `json:"user"`
}

// maxOwned bounds how many organizations one person can make.
const maxOwned = 1000

var (
	errNameTaken = fault.Conflict("account_name_taken", "You already have an organization of this name. Choose another name.")
	errTooMany   = fault.Conflict("too_many_accounts", "You have reached the number of organizations that one user can own.")
)

// Create makes an organization of the caller's own and moves them there. Names
// are compared without regard to case among the caller's own organizations; the
// hold on their row decides between two requests at once.
func (s *Service) Create(ctx context.Context, caller Caller, name string) (Moved, Account, error) {
	var c field.Checks
	name = c.Text("body.name", name, 1, NameMax)
	if err := c.Err(); err != nil {
		return Moved{}, Account{}, err
	}
	var (
		moved Moved
		org   Account
	)
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Sessions.Confirm(ctx, tx, caller); err != nil {
			return err
		}
		if err := s.checkName(ctx, tx, caller.User, name); err != nil {
			return err
		}
		var err error
		if org, err = s.Store.Create(ctx, tx, name, caller.User); err != nil {
			return err
		}
		owner := Member{User: caller.User, Account: org.ID, Role: Owner, Status: org.Status}
		moved, err = s.move(ctx, tx, caller, owner, audit.AccountCreated, org.Name)
		return err
	})
	return moved, org, err
}

func (s *Service) checkName(ctx context.Context, tx database.Tx, user UserID, name string) error {
	all, err := s.Store.belongings(ctx, tx, user)
	if err != nil {
		return err
	}
	owned := 0
	for _, one := range all {
		if one.Role != Owner {
			continue
		}
		if owned++; strings.EqualFold(strings.TrimSpace(one.AccountName), name) {
			return errNameTaken
		}
	}
	if owned >= maxOwned {
		return errTooMany
	}
	return nil
}

// Switch moves the caller to another organization that they belong to.
func (s *Service) Switch(ctx context.Context, caller Caller, target ID) (Moved, error) {
	var moved Moved
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Sessions.Confirm(ctx, tx, caller); err != nil {
			return err
		}
		member, err := s.Store.MemberOf(ctx, tx, target, caller.User)
		if err != nil {
			return err
		}
		moved, err = s.move(ctx, tx, caller, member, audit.AccountSwitched, "to this organization")
		return err
	})
	return moved, err
}

// move is told in the trail of the organization entered only: the one left has
// no business with where its members go.
func (s *Service) move(ctx context.Context, tx database.Tx, from Caller, to Member, action, target string) (Moved, error) {
	pair, err := s.Sessions.Move(ctx, tx, from, to)
	if err != nil {
		return Moved{}, err
	}
	user, err := s.Store.reduced(ctx, tx, to)
	if err != nil {
		return Moved{}, err
	}
	return Moved{Pair: pair, User: user}, s.deeds.RecordIn(ctx, tx, to.Account, to.User, action, target)
}

// Update changes the caller's organization.
func (s *Service) Update(ctx context.Context, caller Caller, change Change) (Account, error) {
	if err := change.check(); err != nil {
		return Account{}, err
	}
	var org Account
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Store.hold(ctx, tx, caller.Account); err != nil {
			return err
		}
		before, err := s.Store.Find(ctx, tx, caller.Account)
		if err != nil {
			return err
		}
		org = before
		changed := change.apply(&org)
		if len(changed) == 0 {
			return nil
		}
		if err := s.Store.update(ctx, tx, org); err != nil {
			return err
		}
		return s.deeds.Record(ctx, tx, caller, audit.AccountUpdated, strings.Join(changed, ", "))
	})
	return org, err
}

// History returns one page of what was done in the caller's organization,
// newest first, and how much there is.
func (s *Service) History(ctx context.Context, caller Caller, page httpapi.Page) ([]audit.Entry, int64, error) {
	return s.Trail.Page(ctx, id.Of[audit.Organization](caller.Account), page)
}
