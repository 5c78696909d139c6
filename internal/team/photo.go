package team

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/blob"
	"ujumbe/internal/database"
)

// SetPhoto gives the caller another photo and returns its address. Of several
// uploads at once one remains; the others go, as the one before does.
func (s *Service) SetPhoto(ctx context.Context, caller account.Caller, upload io.Reader) (string, error) {
	image, err := blob.Photo(ctx, upload)
	if err != nil {
		return "", err
	}
	key, err := blob.NewPhotoKey(image.ContentType)
	if err != nil {
		return "", err
	}
	if err := s.Photos.Put(ctx, key, image.ContentType, image.Data); err != nil {
		return "", err
	}
	if err := s.adoptPhoto(ctx, caller, key); err != nil {
		afterwards, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTime)
		defer cancel()
		s.abandonPhoto(afterwards, caller.User, key)
		return "", err
	}
	return s.Photos.URL(key), nil
}

func (s *Service) adoptPhoto(ctx context.Context, caller account.Caller, key string) error {
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Accounts.Hold(ctx, tx, caller.User); err != nil {
			return err
		}
		user, err := s.Users.Find(ctx, tx, caller.Account, caller.User)
		if err != nil {
			return err
		}
		if err := s.Users.setPhoto(ctx, tx, caller.User, key); err != nil {
			return err
		}
		return s.dropPhoto(ctx, tx, user)
	})
}

// abandonTime is how long a request that failed already may still tidy up.
const abandonTime = 10 * time.Second

// abandonPhoto removes a stored photo that did not become the user's. When it
// can't be found out whether it did, it stays: a photo too many harms nobody.
func (s *Service) abandonPhoto(ctx context.Context, user account.UserID, key string) {
	adopted, err := s.Users.hasPhoto(ctx, s.DB, user, key)
	if err == nil && !adopted {
		err = s.Photos.Delete(ctx, key)
	}
	if err != nil {
		slog.WarnContext(ctx, "a photo that nobody has may be left in the storage", "key", key, "error", err)
	}
}

// photoPatience is how long the storage may be down before a photo that is no
// longer anybody's stays there.
const photoPatience = 7 * 24 * time.Hour

type droppedPhoto struct {
	Key string `json:"key"`
}

func (droppedPhoto) Kind() string { return "team.drop_photo" }

// dropPhoto has the user's photo, if any, deleted once the transaction has
// committed.
func (s *Service) dropPhoto(ctx context.Context, tx database.Tx, user User) error {
	if user.PhotoKey == nil {
		return nil
	}
	return s.Queue.Enqueue(ctx, tx, droppedPhoto{*user.PhotoKey}, photoPatience)
}

func (s *Service) deletePhoto(ctx context.Context, dropped droppedPhoto) error {
	return s.Photos.Delete(ctx, dropped.Key)
}

func (s *Store) setPhoto(ctx context.Context, tx database.Tx, user account.UserID, key string) error {
	if err := tx.Queue(ctx, `UPDATE users SET photo_key = $1, updated_at = $2 WHERE id = $3`, key, s.clock.Now(), user); err != nil {
		return fmt.Errorf("set photo: %w", err)
	}
	return nil
}

func (s *Store) hasPhoto(ctx context.Context, q database.Querier, user account.UserID, key string) (bool, error) {
	var has bool
	err := q.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE id = $1 AND photo_key = $2)`, user, key).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for photo: %w", err)
	}
	return has, nil
}
