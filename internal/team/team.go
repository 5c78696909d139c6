package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/database"
)

// Service holds the rules about users.
type Service struct {
	DB    *database.DB
	Users *Store
	// PhotoURL makes the public address of a stored photo.
	PhotoURL func(key string) string
}

// Me returns the caller as they see themselves.
func (s *Service) Me(ctx context.Context, caller account.Caller) (Profile, error) {
	user, err := s.Users.Find(ctx, s.DB, caller.Account, caller.User)
	if err != nil {
		return Profile{}, err
	}
	return user.Profile(s.PhotoURL), nil
}
