package team

import (
	"context"
	"net/http"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

const base = "/api/v1/users"

// Mount adds the routes of users.
func Mount(api *httpapi.API, guard account.Guard, service *Service) {
	h := &handler{service}
	route := func(method, path, summary string) httpapi.Route {
		return httpapi.Route{Method: method, Path: base + path, Tag: "Users", Summary: summary, Guard: guard}
	}
	httpapi.Register(api, route(http.MethodGet, "/me", "Show yourself"), h.me)
}

type handler struct {
	service *Service
}

type selfInput struct {
	account.Authorized
}

type profileOutput struct {
	Body Profile
}

func (h *handler) me(ctx context.Context, in *selfInput) (*profileOutput, error) {
	user, err := h.service.Me(ctx, in.Caller)
	return &profileOutput{Body: user}, err
}
