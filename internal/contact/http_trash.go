package contact

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type idsInput struct {
	account.Authorized
	Body struct {
		IDs []ID `json:"ids" maxItems:"10000" nullable:"false" doc:"Ids of other organizations, and unknown ones, are passed over."`
	}
}

type trashOutput struct {
	Body struct {
		Deleted int64 `json:"deleted"`
	}
}

func (h *handler) trash(ctx context.Context, in *idsInput) (*trashOutput, error) {
	var (
		out trashOutput
		err error
	)
	out.Body.Deleted, err = h.store.Trash(ctx, in.Caller.Account, in.Body.IDs)
	return &out, err
}

type trashedInput struct {
	account.Authorized
	Page int `query:"page" minimum:"1" maximum:"1000000" default:"1" doc:"Page, from 1."`
	Size int `query:"pageSize" minimum:"1" maximum:"1000" default:"1000" doc:"Entries on a page."`
}

type trashedOutput struct {
	Total int64 `header:"X-Total-Count" doc:"How many contacts are in the trash."`
	Body  []Contact
}

func (h *handler) trashed(ctx context.Context, in *trashedInput) (*trashedOutput, error) {
	contacts, total, err := h.store.Trashed(ctx, in.Caller.Account, httpapi.Page{Number: in.Page, Size: in.Size})
	return &trashedOutput{Total: total, Body: contacts}, err
}

type restoreOutput struct {
	Body struct {
		Restored int64 `json:"restored"`
	}
}

func (h *handler) restore(ctx context.Context, in *idsInput) (*restoreOutput, error) {
	var (
		out restoreOutput
		err error
	)
	out.Body.Restored, err = h.store.Restore(ctx, in.Caller.Account, in.Body.IDs)
	return &out, err
}

type purgeOutput struct {
	Body struct {
		Purged int64 `json:"purged"`
	}
}

func (h *handler) purge(ctx context.Context, in *idsInput) (*purgeOutput, error) {
	var (
		out purgeOutput
		err error
	)
	out.Body.Purged, err = h.store.Purge(ctx, in.Caller, in.Body.IDs)
	return &out, err
}
