package contact

import (
	"context"

	"ujumbe/internal/account"
	"ujumbe/internal/httpapi"
)

type listsOutput struct {
	Body []List
}

func (h *handler) lists(ctx context.Context, in *selfInput) (*listsOutput, error) {
	lists, err := h.store.Lists(ctx, in.Caller.Account)
	return &listsOutput{Body: lists}, err
}

type listOutput struct {
	Body List
}

type createListInput struct {
	account.Authorized
	Body struct {
		Name        string                   `json:"name" minLength:"1" maxLength:"100"`
		Description httpapi.Optional[string] `json:"description" required:"false" maxLength:"500"`
	}
}

func (h *handler) createList(ctx context.Context, in *createListInput) (*listOutput, error) {
	name := httpapi.Optional[string]{Sent: true, Value: in.Body.Name}
	list, err := h.store.CreateList(ctx, in.Caller.Account, ListChange{Name: name, Description: in.Body.Description})
	return &listOutput{Body: list}, err
}

type listInput struct {
	account.Authorized
	ID ListID `path:"id"`
}

type changeListInput struct {
	account.Authorized
	ID   ListID `path:"id"`
	Body struct {
		Name        httpapi.Optional[string] `json:"name" required:"false" minLength:"1" maxLength:"100"`
		Description httpapi.Optional[string] `json:"description" required:"false" maxLength:"500"`
	}
}

func (h *handler) changeList(ctx context.Context, in *changeListInput) (*listOutput, error) {
	list, err := h.store.ChangeList(ctx, in.Caller.Account, in.ID, ListChange(in.Body))
	return &listOutput{Body: list}, err
}

func (h *handler) deleteList(ctx context.Context, in *listInput) (*httpapi.Empty, error) {
	return nil, h.store.DeleteList(ctx, in.Caller.Account, in.ID)
}

type membersInput struct {
	account.Authorized
	ID   ListID `path:"id"`
	Body struct {
		ContactIDs []ID `json:"contactIds" maxItems:"10000" nullable:"false" doc:"Ids of other organizations, and unknown ones, are passed over."`
	}
}

type addedOutput struct {
	Body struct {
		Added int64 `json:"added"`
	}
}

func (h *handler) addToList(ctx context.Context, in *membersInput) (*addedOutput, error) {
	var (
		out addedOutput
		err error
	)
	out.Body.Added, err = h.store.AddToList(ctx, in.Caller.Account, in.ID, in.Body.ContactIDs)
	return &out, err
}

type removedOutput struct {
	Body struct {
		Removed int64 `json:"removed"`
	}
}

func (h *handler) removeFromList(ctx context.Context, in *membersInput) (*removedOutput, error) {
	var (
		out removedOutput
		err error
	)
	out.Body.Removed, err = h.store.RemoveFromList(ctx, in.Caller.Account, in.ID, in.Body.ContactIDs)
	return &out, err
}
