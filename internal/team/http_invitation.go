package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type invitationListOutput struct {
	Body []Invitation
}

func (h *handler) invitations(ctx context.Context, in *userSelfInput) (*invitationListOutput, error) {
	all, err := h.service.Invitations(ctx, in.Caller)
	return &invitationListOutput{Body: all}, err
}

type invitationInput struct {
	account.Authorized
	Body struct {
		Email string       `json:"email" maxLength:"1000" example:"name@example.com"`
		Role  account.Role `json:"role" enum:"admin,member"`
	}
}

type invitationOutput struct {
	Body Invitation
}

func (h *handler) sendInvitation(ctx context.Context, in *invitationInput) (*invitationOutput, error) {
	sent, err := h.service.SendInvitation(ctx, in.Caller, in.Body.Email, in.Body.Role)
	return &invitationOutput{Body: sent}, err
}

type invitationTargetInput struct {
	account.Authorized
	ID InvitationID `path:"id"`
}

func (h *handler) withdrawInvitation(ctx context.Context, in *invitationTargetInput) (*httpapi.Empty, error) {
	return &httpapi.Empty{}, h.service.WithdrawInvitation(ctx, in.Caller, in.ID)
}

type invitationAcceptInput struct {
	Body struct {
		Token string `json:"token" doc:"From the mailed link."`
	}
}

type invitationAcceptOutput struct {
	Body struct {
		Message string `json:"message"`
		Account struct {
			ID   account.ID `json:"id"`
			Name string     `json:"name"`
		} `json:"account"`
		Role account.Role `json:"role" enum:"admin,member"`
	}
}

func (h *handler) acceptInvitation(ctx context.Context, in *invitationAcceptInput) (*invitationAcceptOutput, error) {
	done, err := h.service.AcceptInvitation(ctx, in.Body.Token)
	out := &invitationAcceptOutput{}
	out.Body.Message = "You have joined the organization. Sign in, or switch to it."
	if done.PasswordDropped {
		out.Body.Message = "You have joined the organization. Your password was chosen by someone else, so it works no longer: set one of your own by the link that is being mailed to you."
	}
	out.Body.Account.ID, out.Body.Account.Name, out.Body.Role = done.Account.ID, done.Account.Name, done.Role
	return out, err
}
