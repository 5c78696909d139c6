package auth

import (
	"context"
	"errors"
	"strings"
	"time"

	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
)

// errLogin is the one answer to an unknown email, a wrong password, an
// unverified address and a deactivated user.
var errLogin = fault.Unauthorized("invalid_credentials", "Email or password is wrong, or the user is not verified or not active.")

// refusalTime is when a refusal is answered at the earliest. All refusals cost
// the same, but what the collector of garbage adds to some hashes falls on
// one kind or another by the order in which somebody tries them.
const refusalTime = 100 * time.Millisecond

// Login signs in by password. Whatever is wrong, it costs one hash and the same
// writes, so neither the answer nor its time tells which.
func (s *Service) Login(ctx context.Context, email, password string) (Result, error) {
	answerable := time.After(refusalTime)
	result, err := s.login(ctx, strings.TrimSpace(email), password)
	if errors.Is(err, errLogin) {
		select {
		case <-answerable:
		case <-ctx.Done():
		}
	}
	return result, err
}

func (s *Service) login(ctx context.Context, email, password string) (Result, error) {
	try := s.newGuess(ctx, email)
	if err := try.check(ctx, s.DB); err != nil {
		return Result{}, err
	}
	found, err := s.store.credentials(ctx, s.DB, try.email)
	if err != nil {
		return Result{}, err
	}
	right, outdated, err := s.Hasher.Verify(ctx, password, found.hash)
	if err != nil {
		return Result{}, err
	}
	if !right || !found.verified || !found.active {
		return Result{}, s.refuse(ctx, try, email, found)
	}
	hash := found.hash
	if outdated {
		if hash, err = s.Hasher.Hash(ctx, password); err != nil {
			return Result{}, err
		}
	}
	return s.admit(ctx, try, found, hash)
}

// admit opens a session for a password that was right a moment ago, and keeps
// its hash or a newer one. If it was changed meanwhile, it is right no more. The
// user's row comes last: all sign-ins of a user wait for it.
func (s *Service) admit(ctx context.Context, try *guess, found credentials, hash string) (Result, error) {
	var result Result
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := try.check(ctx, tx); err != nil {
			return err
		}
		var err error
		if result, err = s.open(ctx, tx, found.user, "by password"); err != nil {
			return err
		}
		if err := try.succeed(ctx, tx); err != nil {
			return err
		}
		now := s.Clock.Now()
		result.User.LastLoginAt = &now
		current, err := s.store.recordPassword(ctx, tx, found, hash, result.User.AccountID, now)
		if err == nil && !current {
			err = errLogin
		}
		return err
	})
	// Deactivated between the check and the sign-in.
	if fault.Is(err, fault.KindForbidden) {
		return Result{}, errLogin
	}
	return result, err
}

// refuse counts a failed login and returns its answer.
func (s *Service) refuse(ctx context.Context, try *guess, typed string, found credentials) error {
	entry := audit.Entry{ActorKind: audit.Stranger, Actor: typed, Action: audit.SignInFailed, Target: "by password"}
	if !mail.ValidAddress(typed) {
		entry.Actor = "" // it may be a password in the wrong field
	}
	if found.account != nil {
		entry.Account = id.Of[audit.Organization](*found.account)
	}
	var verdict error
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		err := s.Trail.Write(ctx, tx, entry)
		if err != nil {
			return err
		}
		verdict, err = try.fail(ctx, tx)
		return err
	})
	switch {
	case err != nil:
		return err
	case verdict != nil:
		return verdict
	}
	return errLogin
}
