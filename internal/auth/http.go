package auth

import (
	"context"
	"net/http"

	"ujumbe/internal/account"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/id"
	"ujumbe/internal/team"
)

const base = "/api/v1/auth"

// Mount adds the routes of signing in. They need no access token.
func Mount(api *httpapi.API, service *Service) {
	h := &handler{service}
	post := func(path, summary string, status int, errors ...int) httpapi.Route {
		// A body may always be no JSON, too large or of another type.
		errors = append(errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		return httpapi.Route{Method: http.MethodPost, Path: base + path, Tag: "Sign-in", Summary: summary, Status: status, Errors: errors}
	}
	httpapi.Register(api, post("/register", "Register an organization and its owner", 201, 409, 429), h.register)
	httpapi.Register(api, post("/verify-email", "Verify an email address", 200), h.verifyEmail)
	httpapi.Register(api, post("/resend-verification", "Mail another verification link", 200, 429), h.resendVerification)
	httpapi.Register(api, post("/login", "Sign in by password", 200, 401, 429), h.login)
	httpapi.Register(api, post("/refresh", "Exchange a refresh token for a new pair", 200, 401), h.refresh)
	httpapi.Register(api, post("/logout", "End a session", 204), h.logout)
	httpapi.Register(api, post("/forgot-password", "Mail a password reset link", 200, 429), h.forgotPassword)
	httpapi.Register(api, post("/reset-password", "Set a new password by a mailed link", 200), h.resetPassword)
	httpapi.Register(api, post("/magic-link", "Mail a sign-in link", 200, 429), h.magicLink)
	httpapi.Register(api, post("/magic-link/verify", "Sign in by a mailed link", 200), h.enterByMagicLink)
}

type handler struct {
	service *Service
}

// Tokens have no bound of their own here: one that is too long is as unknown as
// any other.
type tokenInput struct {
	Body struct {
		Token string `json:"token" doc:"From the mailed link."`
	}
}

type emailInput struct {
	Body struct {
		Email string `json:"email" maxLength:"1000" example:"name@example.com"`
	}
}

type messageOutput struct {
	Body struct {
		Message string `json:"message"`
	}
}

func message(text string) *messageOutput {
	out := &messageOutput{}
	out.Body.Message = text
	return out
}

type resultOutput struct {
	Body Result
}

type registerInput struct {
	Body struct {
		AccountName string `json:"accountName" maxLength:"1000" doc:"Name of the organization, 1 to 100 characters."`
		FirstName   string `json:"firstName" maxLength:"1000"`
		LastName    string `json:"lastName" maxLength:"1000"`
		Email       string `json:"email" maxLength:"1000" example:"name@example.com"`
		Password    string `json:"password" maxLength:"1024" doc:"8 to 256 characters."`
	}
}

type registerOutput struct {
	Body struct {
		Message string       `json:"message"`
		User    team.Summary `json:"user"`
		Account struct {
			ID   id.Of[account.Account] `json:"id"`
			Name string                 `json:"name"`
		} `json:"account"`
	}
}

func (h *handler) register(ctx context.Context, in *registerInput) (*registerOutput, error) {
	user, org, err := h.service.Register(ctx, Registration(in.Body))
	if err != nil {
		return nil, err
	}
	out := &registerOutput{}
	out.Body.Message = "Registered. Follow the link that was mailed to you to verify your address."
	out.Body.User = user.Summary()
	out.Body.Account.ID, out.Body.Account.Name = org.ID, org.Name
	return out, nil
}

func (h *handler) verifyEmail(ctx context.Context, in *tokenInput) (*resultOutput, error) {
	result, err := h.service.Verify(ctx, in.Body.Token)
	return &resultOutput{Body: result}, err
}

type loginInput struct {
	Body struct {
		Email    string `json:"email" maxLength:"1000"`
		Password string `json:"password"`
	}
}

func (h *handler) login(ctx context.Context, in *loginInput) (*resultOutput, error) {
	result, err := h.service.Login(ctx, in.Body.Email, in.Body.Password)
	return &resultOutput{Body: result}, err
}

type refreshInput struct {
	Body struct {
		RefreshToken string `json:"refreshToken"`
	}
}

type pairOutput struct {
	Body account.Pair
}

func (h *handler) refresh(ctx context.Context, in *refreshInput) (*pairOutput, error) {
	pair, err := h.service.Refresh(ctx, in.Body.RefreshToken)
	return &pairOutput{Body: pair}, err
}

func (h *handler) logout(ctx context.Context, in *refreshInput) (*httpapi.Empty, error) {
	return &httpapi.Empty{}, h.service.Logout(ctx, in.Body.RefreshToken)
}

// mailed answers alike whether or not the address is known.
func mailed(in *emailInput, ask func(email string) error, done string) (*messageOutput, error) {
	var c field.Checks
	email := c.Email("body.email", in.Body.Email)
	if err := c.Err(); err != nil {
		return nil, err
	}
	return message(done), ask(email)
}

func (h *handler) resendVerification(ctx context.Context, in *emailInput) (*messageOutput, error) {
	return mailed(in, func(email string) error { return h.service.RequestVerification(ctx, email) },
		"If this address waits for verification, a new link is on its way.")
}

func (h *handler) forgotPassword(ctx context.Context, in *emailInput) (*messageOutput, error) {
	return mailed(in, func(email string) error { return h.service.RequestReset(ctx, email) },
		"If this address is registered, a link to set a new password is on its way.")
}

func (h *handler) magicLink(ctx context.Context, in *emailInput) (*messageOutput, error) {
	return mailed(in, func(email string) error { return h.service.RequestMagicLink(ctx, email) },
		"If this address is registered, a link to sign in is on its way.")
}

type resetInput struct {
	Body struct {
		Token       string `json:"token" doc:"From the mailed link."`
		NewPassword string `json:"newPassword" doc:"8 to 256 characters."`
	}
}

func (h *handler) resetPassword(ctx context.Context, in *resetInput) (*messageOutput, error) {
	return message("The new password is set. Sign in with it."), h.service.ResetPassword(ctx, in.Body.Token, in.Body.NewPassword)
}

func (h *handler) enterByMagicLink(ctx context.Context, in *tokenInput) (*resultOutput, error) {
	result, err := h.service.EnterByMagicLink(ctx, in.Body.Token)
	return &resultOutput{Body: result}, err
}
