package auth

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
)

// errLogin is the one answer to an unknown email, a wrong password, an
// unverified address and a deactivated user.
var errLogin = fault.Unauthorized("invalid_credentials", "Email or password is wrong, or the user is not verified or not active.")

// Login signs in by password. Whatever is wrong, it costs one hash and the same
// writes, so neither the answer nor its time tells which.
func (s *Service) Login(ctx context.Context, email, password string) (Result, error) {
	key := mail.AddressKey(email)
	if err := s.checkFailures(ctx, key); err != nil {
		return Result{}, err
	}
	found, err := s.store.credentials(ctx, s.DB, key)
	if err != nil {
		return Result{}, err
	}
	right, outdated, err := s.Hasher.Verify(ctx, password, found.hash)
	if err != nil {
		return Result{}, err
	}
	if !right || !found.verified || !found.active {
		return Result{}, s.recordFailure(ctx, key, email, found.account)
	}
	rehash := ""
	if outdated {
		if rehash, err = s.Hasher.Hash(ctx, password); err != nil {
			return Result{}, err
		}
	}
	var result Result
	err = s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.store.recordLogin(ctx, tx, found.user, rehash); err != nil {
			return err
		}
		var err error
		result, err = s.open(ctx, tx, found.user, "by password")
		return err
	})
	// Deactivated between the check and the sign-in.
	if fault.Is(err, fault.KindForbidden) {
		return Result{}, errLogin
	}
	return result, err
}

func (s *Service) checkFailures(ctx context.Context, emailKey string) error {
	ip := httpapi.ClientOf(ctx).IP
	if err := s.Limiter.Check(ctx, failuresByBoth, ip, emailKey); err != nil {
		return err
	}
	if err := s.Limiter.Check(ctx, failuresByAddress, ip); err != nil {
		return err
	}
	return s.Limiter.Check(ctx, failuresByEmail, emailKey)
}

// recordFailure counts a failed login and returns its answer.
func (s *Service) recordFailure(ctx context.Context, emailKey, email string, org *account.ID) error {
	ip := httpapi.ClientOf(ctx).IP
	entry := audit.Entry{ActorKind: audit.Stranger, Actor: email, Action: audit.SignInFailed, Target: "by password"}
	if org != nil {
		entry.Account = id.Of[audit.Organization](*org)
	}
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Trail.Write(ctx, tx, entry); err != nil {
			return err
		}
		if err := s.Limiter.Add(ctx, tx, failuresByBoth, ip, emailKey); err != nil {
			return err
		}
		if err := s.Limiter.Add(ctx, tx, failuresByAddress, ip); err != nil {
			return err
		}
		return s.Limiter.Add(ctx, tx, failuresByEmail, emailKey)
	})
	if err != nil {
		return err
	}
	return errLogin
}
