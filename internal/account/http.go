package account

import (
	"context"
	"net/http"

	"ujumbe/internal/audit"
	"ujumbe/internal/httpapi"
)

const base = "/api/v1/accounts"

// Mount adds the routes of organizations. Members of a suspended one may still
// look and move away.
func Mount(api *httpapi.API, guard Guard, service *Service) {
	h := &handler{service}
	route := func(guard Guard, method, path, summary string, status int, errors ...int) httpapi.Route {
		return httpapi.Route{Method: method, Path: base + path, Tag: "Accounts", Summary: summary, Guard: guard, Status: status, Errors: errors}
	}
	anywhere, leaders := guard.EvenSuspended(), guard.Only(Owner, Admin)
	httpapi.Register(api, route(anywhere, http.MethodGet, "", "List the organizations you belong to", 200), h.list)
	httpapi.Register(api, route(anywhere, http.MethodPost, "", "Make an organization and move there", 201, 409), h.create)
	httpapi.Register(api, route(anywhere, http.MethodPost, "/switch", "Move to another organization", 200), h.move)
	httpapi.Register(api, route(anywhere, http.MethodGet, "/me", "Show the organization", 200), h.current)
	httpapi.Register(api, route(leaders, http.MethodPatch, "/me", "Change the organization", 200), h.update)
	httpapi.Register(api, route(leaders, http.MethodGet, "/me/audit", "Show who did what in the organization", 200), h.history)
}

type handler struct {
	service *Service
}

type accountInput struct {
	Authorized
}

type accountOutput struct {
	Body Account
}

type accountListOutput struct {
	Body []Belonging
}

func (h *handler) list(ctx context.Context, in *accountInput) (*accountListOutput, error) {
	all, err := h.service.List(ctx, in.Caller)
	return &accountListOutput{Body: all}, err
}

func (h *handler) current(ctx context.Context, in *accountInput) (*accountOutput, error) {
	org, err := h.service.Current(ctx, in.Caller)
	return &accountOutput{Body: org}, err
}

// accountChange gives the body its name in the API reference.
type accountChange Change

type accountChangeInput struct {
	Authorized
	Body accountChange
}

func (h *handler) update(ctx context.Context, in *accountChangeInput) (*accountOutput, error) {
	org, err := h.service.Update(ctx, in.Caller, Change(in.Body))
	return &accountOutput{Body: org}, err
}

type accountCreateInput struct {
	Authorized
	Body struct {
		Name string `json:"name" maxLength:"1000" doc:"1 to 100 characters, unlike those of your other organizations."`
	}
}

type accountCreateOutput struct {
	Body struct {
		Moved
		Account struct {
			ID   ID     `json:"id"`
			Name string `json:"name"`
		} `json:"account"`
	}
}

func (h *handler) create(ctx context.Context, in *accountCreateInput) (*accountCreateOutput, error) {
	moved, org, err := h.service.Create(ctx, in.Caller, in.Body.Name)
	out := &accountCreateOutput{}
	out.Body.Moved = moved
	out.Body.Account.ID, out.Body.Account.Name = org.ID, org.Name
	return out, err
}

type accountSwitchInput struct {
	Authorized
	Body struct {
		AccountID ID `json:"accountId"`
	}
}

type accountSwitchOutput struct {
	Body Moved
}

func (h *handler) move(ctx context.Context, in *accountSwitchInput) (*accountSwitchOutput, error) {
	moved, err := h.service.Switch(ctx, in.Caller, in.Body.AccountID)
	return &accountSwitchOutput{Body: moved}, err
}

type accountHistoryInput struct {
	Authorized
	httpapi.Page
}

type accountHistoryOutput struct {
	Body struct {
		Entries  []audit.Entry `json:"entries"`
		Total    int64         `json:"total"`
		Page     int           `json:"page"`
		PageSize int           `json:"pageSize"`
	}
}

func (h *handler) history(ctx context.Context, in *accountHistoryInput) (*accountHistoryOutput, error) {
	entries, total, err := h.service.History(ctx, in.Caller, in.Page)
	out := &accountHistoryOutput{}
	out.Body.Entries, out.Body.Total = entries, total
	out.Body.Page, out.Body.PageSize = in.Number, in.Size
	return out, err
}
