package contact

import (
	"context"
	"net/http"
	"strings"

	"ujumbe/internal/account"
	"ujumbe/internal/field"
	"ujumbe/internal/httpapi"
)

// Mount adds the routes of contacts and of lists. Every member may use them.
func Mount(api *httpapi.API, guard account.Guard, store *Store) {
	h := &handler{store}
	contacts := func(method, path, summary string, status int, errors ...int) httpapi.Route {
		return httpapi.Route{Method: method, Path: "/api/v1/contacts" + path, Tag: "Contacts", Summary: summary, Status: status, Errors: errors, Guard: guard}
	}
	lists := func(method, path, summary string, status int, errors ...int) httpapi.Route {
		return httpapi.Route{Method: method, Path: "/api/v1/contact-lists" + path, Tag: "Contact lists", Summary: summary, Status: status, Errors: errors, Guard: guard}
	}
	const (
		get, post, patch, del = http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete
		ok, created, none     = http.StatusOK, http.StatusCreated, http.StatusNoContent
		notFound, conflict    = http.StatusNotFound, http.StatusConflict
	)
	httpapi.Register(api, contacts(get, "", "List contacts, newest first", ok), h.page)
	httpapi.Register(api, contacts(post, "", "Create a contact", created, conflict), h.create)
	httpapi.Register(api, contacts(get, "/tags", "List the tags in use", ok), h.tags)
	httpapi.Register(api, contacts(get, "/stats", "Show the figures of all contacts", ok), h.stats)
	httpapi.Register(api, contacts(post, "/bulk-delete", "Put contacts into the trash", ok), h.trash)
	httpapi.Register(api, contacts(get, "/trash", "List the trash, last deleted first", ok), h.trashed)
	httpapi.Register(api, contacts(post, "/trash/restore", "Bring contacts back from the trash", ok), h.restore)
	httpapi.Register(api, contacts(del, "/trash", "Delete contacts in the trash for good", ok), h.purge)
	httpapi.Register(api, contacts(get, "/{id}", "Show a contact", ok, notFound), h.find)
	httpapi.Register(api, contacts(patch, "/{id}", "Change a contact", ok, notFound, conflict), h.update)
	httpapi.Register(api, contacts(del, "/{id}", "Put a contact into the trash", none, notFound), h.delete)

	httpapi.Register(api, lists(get, "", "List the lists, newest first", ok), h.lists)
	httpapi.Register(api, lists(post, "", "Create a list", created), h.createList)
	httpapi.Register(api, lists(patch, "/{id}", "Change a list", ok, notFound), h.changeList)
	httpapi.Register(api, lists(del, "/{id}", "Delete a list; its contacts are kept", none, notFound), h.deleteList)
	httpapi.Register(api, lists(post, "/{id}/contacts", "Put contacts into a list", ok, notFound), h.addToList)
	httpapi.Register(api, lists(del, "/{id}/contacts", "Take contacts out of a list", ok, notFound), h.removeFromList)
}

type handler struct {
	store *Store
}

type pageInput struct {
	account.Authorized
	httpapi.Page
	Search     string                `query:"search" maxLength:"200" doc:"A part of the first name, of the last name, of both, or of the phone number. Case and accents do not matter."`
	ListID     httpapi.Param[ListID] `query:"listId" doc:"Only contacts in this list."`
	IsOptedOut httpapi.Param[bool]   `query:"isOptedOut" doc:"Only contacts who have opted out, or who have not."`
	Tags       string                `query:"tags" maxLength:"2600" doc:"Comma-separated; a contact must have all of them."`
}

func (in *pageInput) filter() (Filter, error) {
	var c field.Checks
	f := Filter{Search: in.Search, List: in.ListID.Pointer(), OptedOut: in.IsOptedOut.Pointer()}
	for tag := range strings.SplitSeq(in.Tags, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			f.Tags = append(f.Tags, tag)
		}
	}
	checkTags(&c, "query.tags", f.Tags)
	return f, c.Err()
}

type pageOutput struct {
	Body struct {
		Contacts []Contact `json:"contacts"`
		Total    int64     `json:"total"`
		Page     int       `json:"page"`
		PageSize int       `json:"pageSize"`
	}
}

func (h *handler) page(ctx context.Context, in *pageInput) (*pageOutput, error) {
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	out := &pageOutput{}
	out.Body.Page, out.Body.PageSize = in.Number, in.Size
	out.Body.Contacts, out.Body.Total, err = h.store.Page(ctx, in.Caller.Account, filter, in.Page)
	return out, err
}

type contactOutput struct {
	Body Contact
}

type createInput struct {
	account.Authorized
	Body struct {
		Phone     string                     `json:"phone" maxLength:"64" doc:"In international format." example:"+254712345678"`
		FirstName httpapi.Optional[string]   `json:"firstName" required:"false" maxLength:"100"`
		LastName  httpapi.Optional[string]   `json:"lastName" required:"false" maxLength:"100"`
		Email     httpapi.Optional[string]   `json:"email" required:"false" maxLength:"254"`
		Tags      httpapi.Optional[[]string] `json:"tags" required:"false" maxItems:"50" doc:"Up to 50 tags of 1 to 50 characters, without commas and semicolons."`
		Notes     httpapi.Optional[string]   `json:"notes" required:"false" maxLength:"2000"`
		ListIDs   httpapi.Optional[[]ListID] `json:"listIds" required:"false" maxItems:"1000" doc:"The lists to put the contact into."`
	}
}

func (h *handler) create(ctx context.Context, in *createInput) (*contactOutput, error) {
	draft, err := Input{
		Phone: in.Body.Phone, FirstName: in.Body.FirstName.Value, LastName: in.Body.LastName.Value,
		Email: in.Body.Email.Value, Notes: in.Body.Notes.Value, Tags: in.Body.Tags.Value,
	}.Draft()
	if err != nil {
		return nil, err
	}
	c, err := h.store.Create(ctx, in.Caller.Account, draft, in.Body.ListIDs.Value)
	return &contactOutput{Body: c}, err
}

type contactInput struct {
	account.Authorized
	ID ID `path:"id"`
}

func (h *handler) find(ctx context.Context, in *contactInput) (*contactOutput, error) {
	c, err := h.store.Find(ctx, in.Caller.Account, in.ID)
	return &contactOutput{Body: c}, err
}

type updateInput struct {
	account.Authorized
	ID   ID `path:"id"`
	Body struct {
		Phone      httpapi.Optional[string]   `json:"phone" required:"false" maxLength:"64" doc:"In international format."`
		FirstName  httpapi.Optional[string]   `json:"firstName" required:"false" maxLength:"100"`
		LastName   httpapi.Optional[string]   `json:"lastName" required:"false" maxLength:"100"`
		Email      httpapi.Optional[string]   `json:"email" required:"false" maxLength:"254"`
		Tags       httpapi.Optional[[]string] `json:"tags" required:"false" maxItems:"50" doc:"Replaces all tags."`
		Notes      httpapi.Optional[string]   `json:"notes" required:"false" maxLength:"2000"`
		IsOptedOut httpapi.Optional[bool]     `json:"isOptedOut" required:"false"`
		ListIDs    httpapi.Optional[[]ListID] `json:"listIds" required:"false" maxItems:"1000" doc:"Replaces all memberships."`
	}
}

func (h *handler) update(ctx context.Context, in *updateInput) (*contactOutput, error) {
	c, err := h.store.Update(ctx, in.Caller.Account, in.ID, Change(in.Body))
	return &contactOutput{Body: c}, err
}

func (h *handler) delete(ctx context.Context, in *contactInput) (*httpapi.Empty, error) {
	return nil, h.store.Delete(ctx, in.Caller.Account, in.ID)
}

type selfInput struct {
	account.Authorized
}

type tagsOutput struct {
	Body []string
}

func (h *handler) tags(ctx context.Context, in *selfInput) (*tagsOutput, error) {
	tags, err := h.store.TagNames(ctx, in.Caller.Account)
	return &tagsOutput{Body: tags}, err
}

type statsOutput struct {
	Body Stats
}

func (h *handler) stats(ctx context.Context, in *selfInput) (*statsOutput, error) {
	stats, err := h.store.Stats(ctx, in.Caller.Account)
	return &statsOutput{Body: stats}, err
}
