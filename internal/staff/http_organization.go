package staff

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type staffOrganizationsInput struct {
	Authorized
	httpapi.Page
	Search string `query:"search" maxLength:"200" doc:"Part of the name."`
}

type staffOrganizationsOutput struct {
	Body struct {
		Accounts []Organization `json:"accounts"`
		Total    int64          `json:"total"`
		Page     int            `json:"page"`
		PageSize int            `json:"pageSize"`
	}
}

func (h *handler) organizations(ctx context.Context, in *staffOrganizationsInput) (*staffOrganizationsOutput, error) {
	out := &staffOrganizationsOutput{}
	out.Body.Page, out.Body.PageSize = in.Number, in.Size
	var err error
	out.Body.Accounts, out.Body.Total, err = h.service.Organizations(ctx, in.Search, in.Page)
	return out, err
}

type staffOrganizationInput struct {
	Authorized
	ID account.ID `path:"id"`
}

type staffOrganizationOutput struct {
	Body Organization
}

func (h *handler) organization(ctx context.Context, in *staffOrganizationInput) (*staffOrganizationOutput, error) {
	o, err := h.service.Organization(ctx, in.ID)
	return &staffOrganizationOutput{Body: o}, err
}

type staffStatusInput struct {
	Authorized
	ID   account.ID `path:"id"`
	Body struct {
		Status account.Status `json:"status" enum:"active,suspended"`
	}
}

func (h *handler) setOrganizationStatus(ctx context.Context, in *staffStatusInput) (*staffOrganizationOutput, error) {
	o, err := h.service.SetOrganizationStatus(ctx, in.Caller, in.ID, in.Body.Status)
	return &staffOrganizationOutput{Body: o}, err
}
