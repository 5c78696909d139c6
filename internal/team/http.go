package team

import (
	"context"
	"net/http"

	"ujumbe/internal/account"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
)

const base = "/api/v1/users"

// Mount adds the routes of users.
func Mount(api *httpapi.API, guard account.Guard, service *Service) {
	h := &handler{service}
	route := func(guard account.Guard, method, path, summary string, status int, errors ...int) httpapi.Route {
		return httpapi.Route{Method: method, Path: base + path, Tag: "Users", Summary: summary, Guard: guard, Status: status, Errors: errors}
	}
	inviters, owners := guard.Only(account.Owner, account.Admin), guard.Only(account.Owner)
	httpapi.Register(api, route(guard.EvenSuspended(), http.MethodGet, "/me", "Show yourself", 200), h.me)
	httpapi.Register(api, route(guard, http.MethodPatch, "/me", "Change your profile", 200, 409, 429), h.changeMe)
	httpapi.Register(api, route(guard, http.MethodPatch, "/me/password", "Change your password", 204, 400, 429), h.changePassword)
	photo := route(guard, http.MethodPost, "/me/photo", "Change your photo", 200, 400)
	photo.Unbounded, photo.Describe = true, describePhoto
	httpapi.Register(api, photo, h.setPhoto)
	httpapi.Register(api, route(guard, http.MethodGet, "", "List the users of the organization", 200), h.list)
	httpapi.Register(api, route(inviters, http.MethodPost, "/invite", "Make a new user in the organization", 201, 409, 429), h.invite)

	httpapi.Register(api, route(owners, http.MethodPatch, "/{id}/role", "Change a user's role", 200, 400, 404), h.setRole)
	httpapi.Register(api, route(owners, http.MethodPost, "/{id}/deactivate", "Keep a user out of the organization", 200, 400, 404), h.deactivate)
	httpapi.Register(api, route(owners, http.MethodPost, "/{id}/reactivate", "Let a user back in", 200, 404), h.reactivate)
	httpapi.Register(api, route(owners, http.MethodPost, "/{id}/reset-password", "Give a user another password", 200, 400, 404), h.resetPassword)
	httpapi.Register(api, route(owners, http.MethodDelete, "/{id}", "Remove a user from the organization", 204, 400, 404), h.remove)

	httpapi.Register(api, route(inviters, http.MethodGet, "/invitations", "List the open invitations", 200), h.invitations)
	httpapi.Register(api, route(inviters, http.MethodPost, "/invitations", "Invite someone who has a user already", 201, 409, 429), h.sendInvitation)
	httpapi.Register(api, route(inviters, http.MethodDelete, "/invitations/{id}", "Withdraw an invitation", 204, 404), h.withdrawInvitation)
	// The mailed token says who accepts, and all that it can do is to make that
	// person a member; so nobody needs to be signed in.
	httpapi.Register(api, httpapi.Route{
		Method: http.MethodPost, Path: base + "/invitations/accept", Tag: "Users", Summary: "Accept an invitation by a mailed link",
		Status: 200, Errors: []int{400, 409},
	}, h.acceptInvitation)
}

type handler struct {
	service *Service
}

type userListInput struct {
	account.Authorized
	IncludeInactive bool `query:"includeInactive" doc:"For owners: show deactivated users too."`
}

type userListOutput struct {
	Body []Summary
}

var errOwnersOnly = fault.Forbidden("role_required", "Only owners see deactivated users. Leave includeInactive out.")

func (h *handler) list(ctx context.Context, in *userListInput) (*userListOutput, error) {
	if in.IncludeInactive && in.Caller.Role != account.Owner {
		return nil, errOwnersOnly
	}
	users, err := h.service.List(ctx, in.Caller, in.IncludeInactive)
	out := &userListOutput{Body: make([]Summary, 0, len(users))}
	for _, u := range users {
		out.Body = append(out.Body, u.Summary())
	}
	return out, err
}

type userOutput struct {
	Body Summary
}

type userInviteInput struct {
	account.Authorized
	Body struct {
		FirstName string       `json:"firstName" maxLength:"1000"`
		LastName  string       `json:"lastName" maxLength:"1000"`
		Email     string       `json:"email" maxLength:"1000" example:"name@example.com"`
		Password  string       `json:"password" maxLength:"1024" doc:"8 to 256 characters."`
		Role      account.Role `json:"role" enum:"admin,member"`

		SendInvitation bool `json:"sendInvitation" required:"false" doc:"Tell them by mail that they can sign in. The password is not in it."`
	}
}

func (h *handler) invite(ctx context.Context, in *userInviteInput) (*userOutput, error) {
	user, err := h.service.Invite(ctx, in.Caller, Invitee(in.Body))
	return &userOutput{Body: user.Summary()}, err
}
