package staff

import (
	"context"
	"net/http"

	"ujumbe/internal/httpapi"
)

const base = "/api/v1/admin"

// Mount adds the routes of the staff namespace.
func Mount(api *httpapi.API, guard Guard, service *Service) {
	h := &handler{service}
	route := func(method, path, summary string, g httpapi.Guard, status int, errors ...int) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: base + path, Tag: "Staff", Summary: summary, Description: notes[path], Guard: g, Status: status, Errors: errors,
		}
	}
	const (
		get   = http.MethodGet
		post  = http.MethodPost
		patch = http.MethodPatch
	)
	var (
		anyone httpapi.Guard // no token asked for
		staff  = guard
		owner  = guard.OwnersOnly()
		look   = guard.Needs(CRM, LevelRead)
		manage = guard.Needs(CRM, LevelAdmin)
	)
	httpapi.Register(api, route(post, "/auth/login", "Sign in as staff", anyone, 200, 401, 403, 429), h.login)
	httpapi.Register(api, route(post, "/auth/refresh", "Exchange a staff refresh token for a new pair", anyone, 200, 401), h.refresh)
	httpapi.Register(api, route(post, "/auth/logout", "End a staff session", anyone, 204), h.logout)
	httpapi.Register(api, route(post, "/auth/forgot-password", "Mail a staff password reset link", anyone, 200, 429), h.forgotPassword)
	httpapi.Register(api, route(post, "/auth/reset-password", "Set a staff password by a mailed link", anyone, 200, 400), h.resetPassword)

	httpapi.Register(api, route(get, "/staff/me", "Show yourself", staff, 200), h.me)
	httpapi.Register(api, route(patch, "/staff/me", "Change your phone", staff, 200), h.changeMe)
	httpapi.Register(api, route(get, "/staff/me/permissions", "Show what you may do", staff, 200), h.myPermissions)
	httpapi.Register(api, route(post, "/staff/me/change-password", "Change your password", staff, 200, 400), h.changePassword)

	httpapi.Register(api, route(get, "/staff", "List the staff", owner, 200), h.list)
	httpapi.Register(api, route(post, "/staff", "Add a staff member", owner, 201, 409), h.create)
	httpapi.Register(api, route(patch, "/staff/{id}", "Change a member's name or phone", owner, 200, 404), h.change)
	httpapi.Register(api, route(get, "/staff/{id}/permissions", "Show what a member may do", owner, 200, 404), h.permissions)
	httpapi.Register(api, route(patch, "/staff/{id}/permissions", "Change what a member may do", owner, 200, 404), h.permit)
	httpapi.Register(api, route(patch, "/staff/{id}/active", "Activate or deactivate a member", owner, 200, 400, 404), h.setActive)

	httpapi.Register(api, route(get, "/accounts", "Search organizations", look, 200), h.organizations)
	httpapi.Register(api, route(get, "/accounts/{id}", "Show an organization", look, 200, 404), h.organization)
	httpapi.Register(api, route(patch, "/accounts/{id}/status", "Suspend or reactivate an organization", manage, 200, 404), h.setOrganizationStatus)
}

// notes say what callers of a path must know beyond its summary.
var notes = map[string]string{
	"/auth/login": "Ten failures within 15 minutes lock the address for 15 minutes; the answer stays that of a wrong password. " +
		"That a member is inactive is told, by 403, only to whoever has the password.",
	"/auth/refresh":           "A refresh token is good once. One that comes again ends its whole family of tokens.",
	"/staff/{id}/permissions": "An owner has level owner in every module; levels that are set for one are stored without effect.",
	"/staff/{id}/active":      "Deactivation ends every session at once. Neither oneself nor the last active owner can be deactivated.",
	"/accounts/{id}/status":   "Members of a suspended organization can sign in and switch away; its other routes answer 403 with code account_suspended.",
}

type handler struct {
	service *Service
}

type staffLoginInput struct {
	Body struct {
		Email    string `json:"email" maxLength:"1000"`
		Password string `json:"password"`
	}
}

type staffLoginOutput struct {
	Body SignedIn
}

func (h *handler) login(ctx context.Context, in *staffLoginInput) (*staffLoginOutput, error) {
	entered, err := h.service.Login(ctx, in.Body.Email, in.Body.Password)
	return &staffLoginOutput{Body: entered}, err
}

type staffRefreshInput struct {
	Body struct {
		RefreshToken string `json:"refreshToken"`
	}
}

type staffPairOutput struct {
	Body TokenPair
}

func (h *handler) refresh(ctx context.Context, in *staffRefreshInput) (*staffPairOutput, error) {
	pair, err := h.service.Refresh(ctx, in.Body.RefreshToken)
	return &staffPairOutput{Body: pair}, err
}

func (h *handler) logout(ctx context.Context, in *staffRefreshInput) (*httpapi.Empty, error) {
	return &httpapi.Empty{}, h.service.Logout(ctx, in.Body.RefreshToken)
}

type staffMessageOutput struct {
	Body struct {
		Message string `json:"message"`
	}
}

func message(text string) *staffMessageOutput {
	out := &staffMessageOutput{}
	out.Body.Message = text
	return out
}

type staffForgotInput struct {
	Body struct {
		Email string `json:"email" maxLength:"1000" example:"name@example.com"`
	}
}

func (h *handler) forgotPassword(ctx context.Context, in *staffForgotInput) (*staffMessageOutput, error) {
	return message("If this address is a staff member's, a link to set a new password is on its way."),
		h.service.RequestReset(ctx, in.Body.Email)
}

type staffResetInput struct {
	Body struct {
		Token       string `json:"token" doc:"From the mailed link."`
		NewPassword string `json:"newPassword" doc:"8 to 256 characters."`
	}
}

func (h *handler) resetPassword(ctx context.Context, in *staffResetInput) (*staffMessageOutput, error) {
	return message("The new password is set. Sign in with it."), h.service.ResetPassword(ctx, in.Body.Token, in.Body.NewPassword)
}
