package team

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type userSelfInput struct {
	account.Authorized
}

type userProfileOutput struct {
	Body Profile
}

func (h *handler) me(ctx context.Context, in *userSelfInput) (*userProfileOutput, error) {
	user, err := h.service.Me(ctx, in.Caller)
	return &userProfileOutput{Body: user}, err
}

// userChange gives the body its name in the API reference.
type userChange Change

type userChangeInput struct {
	account.Authorized
	Body userChange
}

func (h *handler) changeMe(ctx context.Context, in *userChangeInput) (*userProfileOutput, error) {
	user, err := h.service.ChangeMe(ctx, in.Caller, Change(in.Body))
	return &userProfileOutput{Body: user}, err
}

type userPasswordInput struct {
	account.Authorized
	Body struct {
		CurrentPassword string `json:"currentPassword"`
		NewPassword     string `json:"newPassword" doc:"8 to 256 characters."`
	}
}

func (h *handler) changePassword(ctx context.Context, in *userPasswordInput) (*httpapi.Empty, error) {
	return &httpapi.Empty{}, h.service.ChangePassword(ctx, in.Caller, in.Body.CurrentPassword, in.Body.NewPassword)
}
