package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/blob"
	"ujumbe/internal/database"
	"ujumbe/internal/job"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
	"ujumbe/internal/token"
)

// Needs are the parts that Service is made of.
type Needs struct {
	DB       *database.DB
	Hasher   *token.Hasher
	Accounts *account.Store
	Sessions *account.Sessions
	Users    *Store
	Notices  *Notices
	Links    *onetime.Links
	Pages    mail.Links
	Limiter  *ratelimit.Limiter
	Trail    *account.Trail
	Queue    *job.Queue
	Photos   *blob.Store
	Folder   string // of uploads, while they are read
}

// Service holds the rules about users.
type Service struct {
	Needs
}

// NewService returns the rules, and makes the work they leave to the queue known.
func NewService(n Needs) *Service {
	s := &Service{Needs: n}
	job.Handle(n.Queue, s.deletePhoto)
	n.Links.Add(s.invitationLink())
	return s
}

// The purposes of mailed links that more than one feature asks for.
const (
	VerifyEmail   onetime.Purpose = "verify_email"
	ResetPassword onetime.Purpose = "reset_password"
)

// Me returns the caller as they see themselves.
func (s *Service) Me(ctx context.Context, caller account.Caller) (Profile, error) {
	user, err := s.Users.Find(ctx, s.DB, caller.Account, caller.User)
	if err != nil {
		return Profile{}, err
	}
	return user.Profile(s.Photos.URL), nil
}

// List returns the active users of the caller's organization, and on demand the
// deactivated ones too.
func (s *Service) List(ctx context.Context, caller account.Caller, includeInactive bool) ([]User, error) {
	return s.Users.List(ctx, s.DB, caller.Account, includeInactive)
}
