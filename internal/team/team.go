package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
	"ujumbe/internal/token"
)

// Needs are the parts that Service is made of.
type Needs struct {
	DB       *database.DB
	Hasher   *token.Hasher
	Accounts *account.Store
	Users    *Store
	Trail    *account.Trail
	// PhotoURL makes the public address of a stored photo.
	PhotoURL func(key string) string
}

// Service holds the rules about users.
type Service struct {
	Needs
}

// NewService returns the rules.
func NewService(n Needs) *Service { return &Service{Needs: n} }

// Me returns the caller as they see themselves.
func (s *Service) Me(ctx context.Context, caller account.Caller) (Profile, error) {
	user, err := s.Users.Find(ctx, s.DB, caller.Account, caller.User)
	if err != nil {
		return Profile{}, err
	}
	return user.Profile(s.PhotoURL), nil
}

// List returns the active users of the caller's organization, and on demand the
// deactivated ones too.
func (s *Service) List(ctx context.Context, caller account.Caller, includeInactive bool) ([]User, error) {
	return s.Users.List(ctx, s.DB, caller.Account, includeInactive)
}
