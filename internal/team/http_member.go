package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type userTargetInput struct {
	account.Authorized
	ID account.UserID `path:"id"`
}

type userRoleInput struct {
	account.Authorized
	ID   account.UserID `path:"id"`
	Body struct {
		Role account.Role `json:"role" enum:"admin,member"`
	}
}

func (h *handler) setRole(ctx context.Context, in *userRoleInput) (*userOutput, error) {
	user, err := h.service.SetRole(ctx, in.Caller, in.ID, in.Body.Role)
	return &userOutput{Body: user.Summary()}, err
}

func (h *handler) deactivate(ctx context.Context, in *userTargetInput) (*userOutput, error) {
	user, err := h.service.Deactivate(ctx, in.Caller, in.ID)
	return &userOutput{Body: user.Summary()}, err
}

func (h *handler) reactivate(ctx context.Context, in *userTargetInput) (*userOutput, error) {
	user, err := h.service.Reactivate(ctx, in.Caller, in.ID)
	return &userOutput{Body: user.Summary()}, err
}

type userResetInput struct {
	account.Authorized
	ID   account.UserID `path:"id"`
	Body struct {
		NewPassword string `json:"newPassword" doc:"8 to 256 characters."`
	}
}

type userMessageOutput struct {
	Body struct {
		Message string `json:"message"`
	}
}

func (h *handler) resetPassword(ctx context.Context, in *userResetInput) (*userMessageOutput, error) {
	out := &userMessageOutput{}
	out.Body.Message = "The new password is set. The user has to sign in with it."
	return out, h.service.ResetMemberPassword(ctx, in.Caller, in.ID, in.Body.NewPassword)
}

func (h *handler) remove(ctx context.Context, in *userTargetInput) (*httpapi.Empty, error) {
	return &httpapi.Empty{}, h.service.Remove(ctx, in.Caller, in.ID)
}
