package staff

import (
	"context"

	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
)

type staffSelfInput struct {
	Authorized
}

type staffMemberOutput struct {
	Body Member
}

// staffChangedOutput wraps the member as the contract asks for after a change.
type staffChangedOutput struct {
	Body struct {
		Staff Member `json:"staff"`
	}
}

func changed(m Member, err error) (*staffChangedOutput, error) {
	out := &staffChangedOutput{}
	out.Body.Staff = m
	return out, err
}

func (h *handler) me(ctx context.Context, in *staffSelfInput) (*staffMemberOutput, error) {
	m, err := h.service.Find(ctx, in.Caller.ID)
	return &staffMemberOutput{Body: m}, err
}

// staffChangeMeInput knows the phone alone, so no other field can be applied.
type staffChangeMeInput struct {
	Authorized
	Body struct {
		Phone httpapi.Optional[string] `json:"phone" required:"false" doc:"Null removes it."`
	}
}

func (h *handler) changeMe(ctx context.Context, in *staffChangeMeInput) (*staffChangedOutput, error) {
	return changed(h.service.Change(ctx, in.Caller, in.Caller.ID, Changes{Phone: phoneChange(in.Body.Phone)}))
}

func phoneChange(phone httpapi.Optional[string]) *PhoneChange {
	if !phone.Sent {
		return nil
	}
	return &PhoneChange{Number: phone.Pointer()}
}

type staffChangePasswordInput struct {
	Authorized
	Body struct {
		CurrentPassword string `json:"currentPassword"`
		NewPassword     string `json:"newPassword" doc:"8 to 256 characters."`
	}
}

func (h *handler) changePassword(ctx context.Context, in *staffChangePasswordInput) (*staffMessageOutput, error) {
	return message("The new password is set. Your other sessions have ended."),
		h.service.ChangePassword(ctx, in.Caller, in.Body.CurrentPassword, in.Body.NewPassword)
}

type staffListOutput struct {
	Body []Member
}

func (h *handler) list(ctx context.Context, _ *staffSelfInput) (*staffListOutput, error) {
	all, err := h.service.List(ctx)
	return &staffListOutput{Body: all}, err
}

type staffCreateInput struct {
	Authorized
	Body struct {
		Name     string                   `json:"name" maxLength:"1000" doc:"1 to 100 characters."`
		Email    string                   `json:"email" maxLength:"1000" example:"name@example.com"`
		Role     Role                     `json:"role" enum:"owner,staff"`
		Password httpapi.Optional[string] `json:"password" required:"false" doc:"8 to 256 characters. Without one the member is mailed an invitation to set it."`
	}
}

func (h *handler) create(ctx context.Context, in *staffCreateInput) (*staffMemberOutput, error) {
	d := Draft{Name: in.Body.Name, Email: in.Body.Email, Role: in.Body.Role}
	if in.Body.Password.Sent {
		d.Password = in.Body.Password.Pointer()
	}
	m, err := h.service.Create(ctx, in.Caller, d)
	return &staffMemberOutput{Body: m}, err
}

type staffChangeInput struct {
	Authorized
	ID   ID `path:"id"`
	Body struct {
		Name  httpapi.Optional[string] `json:"name" required:"false" doc:"1 to 100 characters."`
		Phone httpapi.Optional[string] `json:"phone" required:"false" doc:"Null removes it."`
	}
}

func (h *handler) change(ctx context.Context, in *staffChangeInput) (*staffChangedOutput, error) {
	ch := Changes{Phone: phoneChange(in.Body.Phone)}
	if in.Body.Name.Sent {
		if in.Body.Name.Null {
			var c field.Checks
			c.Fail("body.name", "must not be null")
			return nil, c.Err()
		}
		ch.Name = &in.Body.Name.Value
	}
	return changed(h.service.Change(ctx, in.Caller, in.ID, ch))
}

type staffPermissionsOutput struct {
	Body struct {
		Permissions Permissions `json:"permissions" doc:"Level by module."`
	}
}

func (h *handler) myPermissions(ctx context.Context, in *staffSelfInput) (*staffPermissionsOutput, error) {
	return h.permissionsOf(ctx, in.Caller.ID)
}

type staffIDInput struct {
	Authorized
	ID ID `path:"id"`
}

func (h *handler) permissions(ctx context.Context, in *staffIDInput) (*staffPermissionsOutput, error) {
	return h.permissionsOf(ctx, in.ID)
}

func (h *handler) permissionsOf(ctx context.Context, member ID) (*staffPermissionsOutput, error) {
	out := &staffPermissionsOutput{}
	var err error
	out.Body.Permissions, err = h.service.Permissions(ctx, member)
	return out, err
}

type staffPermitInput struct {
	Authorized
	ID   ID `path:"id"`
	Body struct {
		Permissions Permissions `json:"permissions" doc:"Level by module; modules that are not named stay as they are."`
	}
}

func (h *handler) permit(ctx context.Context, in *staffPermitInput) (*staffMessageOutput, error) {
	m, err := h.service.Permit(ctx, in.Caller, in.ID, in.Body.Permissions)
	if m.Role == RoleOwner {
		return message("The permissions are stored. As an owner, " + m.Name + " keeps level owner in every module."), err
	}
	return message("The permissions are changed."), err
}

type staffActiveInput struct {
	Authorized
	ID   ID `path:"id"`
	Body struct {
		Active bool `json:"active"`
	}
}

func (h *handler) setActive(ctx context.Context, in *staffActiveInput) (*staffMessageOutput, error) {
	m, err := h.service.SetActive(ctx, in.Caller, in.ID, in.Body.Active)
	if in.Body.Active {
		return message(m.Name + " is active."), err
	}
	return message(m.Name + " is deactivated and signed out."), err
}
