package team

import (
	"context"
	"time"

	"ujumbe/internal/account"
	"ujumbe/internal/audit"
	"ujumbe/internal/clock"
	"ujumbe/internal/database"
	"ujumbe/internal/fault"
	"ujumbe/internal/field"
	"ujumbe/internal/id"
	"ujumbe/internal/mail"
	"ujumbe/internal/onetime"
	"ujumbe/internal/ratelimit"
)

// An invitation asks someone who already has a user to join one more
// organization. It is mailed only to a verified user of that address, but looks
// the same to the sender whether or not there is one.
//
// The mailed token alone accepts it. Whoever has it reads the invited mailbox,
// and what it does is to make that mailbox's user a member, nothing for anybody
// else. A password that a colleague chose for them does not come along: the
// colleague would get into the new organization by it.

// InvitationID names an invitation.
type InvitationID = id.Of[Invitation]

// Invitation is one that waits to be accepted.
type Invitation struct {
	ID        InvitationID `json:"id"`
	Email     string       `json:"email"`
	Role      account.Role `json:"role" enum:"admin,member"`
	InvitedBy *string      `json:"invitedBy" doc:"Address of who sent it; null when they are gone."`
	CreatedAt clock.Time   `json:"createdAt"`
	ExpiresAt clock.Time   `json:"expiresAt"`
}

const (
	invitationPurpose onetime.Purpose = "invitation"
	invitationLife                    = 7 * 24 * time.Hour
)

// invitationsByOrg bounds how much mail an organization can cause, and how many
// invitations it can have open.
var invitationsByOrg = ratelimit.Rule{Name: "invitation", Events: 200, Window: 24 * time.Hour}

var (
	errAlreadyMember = fault.Conflict("already_member", "This person is already a member of the organization.")
	errMemberIsOut   = fault.Conflict("member_deactivated", "This person is a deactivated member of the organization. An owner can reactivate them.")
	errNoInvitation  = fault.NotFound("invitation_not_found", "There is no open invitation with this id.")
)

// letter is what an invitation's mail says beyond its link.
type letter struct {
	organization, inviter string
	role                  account.Role
}

func (s *Service) invitationLink() onetime.Kind {
	return onetime.Kind{
		Purpose: invitationPurpose, Life: invitationLife,
		Find: s.Users.invitationHolder,
		Write: func(h onetime.Holder, raw string) (mail.Message, error) {
			about, _ := h.Details.(letter)
			return mail.Invitation{
				Organization: about.organization, Inviter: about.inviter, Role: string(about.role),
				Accept: s.Pages.Invitation(raw), ValidFor: invitationLife,
			}.Render(h.Recipient())
		},
	}
}

// SendInvitation invites an address to the caller's organization. A newer
// invitation replaces an older one.
func (s *Service) SendInvitation(ctx context.Context, caller account.Caller, email string, role account.Role) (Invitation, error) {
	var c field.Checks
	email = c.Email("body.email", email)
	checkRole(&c, role)
	if err := c.Err(); err != nil {
		return Invitation{}, err
	}
	key := mail.AddressKey(email)
	var sent Invitation
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		if err := s.Sessions.Confirm(ctx, tx, caller); err != nil {
			return err
		}
		if err := s.refuseMember(ctx, tx, caller.Account, key); err != nil {
			return err
		}
		err := s.Limiter.Take(ctx, tx, invitationsByOrg.On(caller.Account.String()), ratelimit.MailsByRecipient.On(string(invitationPurpose), key))
		if err != nil {
			return err
		}
		if sent, err = s.Users.insertInvitation(ctx, tx, caller, email, role); err != nil {
			return err
		}
		if err := s.Links.Send(ctx, tx, invitationPurpose, sent.ID.String()); err != nil {
			return err
		}
		return s.Trail.Record(ctx, tx, caller, audit.MemberInvited, email+" as "+string(role)+", by mail")
	})
	return sent, err
}

func (s *Service) refuseMember(ctx context.Context, q database.Querier, org account.ID, emailKey string) error {
	belongs, active, err := s.Users.belongs(ctx, q, org, emailKey)
	switch {
	case err != nil:
		return err
	case belongs && active:
		return errAlreadyMember
	case belongs:
		return errMemberIsOut
	}
	return nil
}

// Invitations returns the open invitations of the caller's organization, newest
// first.
func (s *Service) Invitations(ctx context.Context, caller account.Caller) ([]Invitation, error) {
	return s.Users.invitations(ctx, s.DB, caller.Account)
}

// WithdrawInvitation makes an invitation and its mailed link worthless.
func (s *Service) WithdrawInvitation(ctx context.Context, caller account.Caller, invitation InvitationID) error {
	return s.DB.InTx(ctx, func(tx database.Tx) error {
		email, err := s.Users.withdrawInvitation(ctx, tx, caller.Account, invitation)
		if err != nil {
			return err
		}
		if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](invitation)); err != nil {
			return err
		}
		return s.Trail.Record(ctx, tx, caller, audit.InvitationWithdrawn, email)
	})
}

// Acceptance is what came of an accepted invitation.
type Acceptance struct {
	Account account.Account
	Role    account.Role
	// PasswordDropped says that a password which somebody else had chosen is gone
	// and a link to set another was mailed.
	PasswordDropped bool
}

// AcceptInvitation redeems a mailed invitation.
func (s *Service) AcceptInvitation(ctx context.Context, raw string) (Acceptance, error) {
	var done Acceptance
	err := s.DB.InTx(ctx, func(tx database.Tx) error {
		subject, emailKey, err := s.Links.Redeem(ctx, tx, invitationPurpose, raw)
		if err != nil {
			return err
		}
		org, role, err := s.Users.spendInvitation(ctx, tx, InvitationID(subject), emailKey)
		if err != nil {
			return err
		}
		who, err := s.Users.holdInvited(ctx, tx, emailKey)
		if err != nil {
			return err
		}
		if err := s.refuseMember(ctx, tx, org, emailKey); err != nil {
			return err
		}
		if err := s.admit(ctx, tx, who, org, role); err != nil {
			return err
		}
		done = Acceptance{Role: role, PasswordDropped: who.passwordGiven}
		done.Account, err = s.Accounts.Find(ctx, tx, org)
		return err
	})
	return done, err
}

// invited is the user behind an invited address.
type invited struct {
	user          account.UserID
	email         string
	passwordGiven bool
}

func (s *Service) admit(ctx context.Context, tx database.Tx, who invited, org account.ID, role account.Role) error {
	if err := s.Accounts.Join(ctx, tx, org, who.user, role); err != nil {
		return err
	}
	if err := s.Trail.RecordIn(ctx, tx, org, who.user, audit.MemberJoined, who.email+" as "+string(role)); err != nil {
		return err
	}
	if !who.passwordGiven {
		return nil
	}
	if err := s.Users.dropPassword(ctx, tx, who.user); err != nil {
		return err
	}
	if err := s.Sessions.CloseAll(ctx, tx, who.user, account.SessionID{}); err != nil {
		return err
	}
	if err := s.Links.End(ctx, tx, id.Of[onetime.Subject](who.user)); err != nil {
		return err
	}
	return s.Links.Send(ctx, tx, ResetPassword, who.email)
}

// Sweep deletes invitations that nobody can accept any more.
func (s *Service) Sweep(ctx context.Context) error { return s.Users.sweepInvitations(ctx) }
