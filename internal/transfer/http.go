package transfer

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/account"
	"ujumbe/internal/contact"
	"ujumbe/internal/httpapi"
)

const base = "/api/v1/contacts"

// Mount adds the routes of imports and exports. Every member may use them.
func Mount(api *httpapi.API, guard account.Guard, service *Service) {
	h := &handler{service, guard}
	route := func(method, path, summary string, status int, errors ...int) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: base + path, Tag: "Imports and exports", Summary: summary, Status: status, Guard: guard, Errors: errors,
		}
	}
	// unbounded is a route whose operation goes on at the pace of its client, or
	// of its contacts. A description is needed where its types don't tell.
	unbounded := func(describe description, r httpapi.Route) httpapi.Route {
		r.Unbounded, r.Describe = true, describe
		return r
	}
	const get, post, del = http.MethodGet, http.MethodPost, http.MethodDelete
	csv, events := describeAnswer("text/csv"), describeAnswer("text/event-stream")
	httpapi.Register(api, unbounded(describeForm, route(post, "/import", "Import contacts from a CSV or XLSX file", 201, 400, 409, 413, 422)), h.importFile)
	httpapi.Register(api, unbounded(describeJSON[bulkBody], route(post, "/bulk", "Import contacts from JSON", 201, 400, 409, 413, 422)), h.importBulk)
	httpapi.Register(api, route(get, "/imports", "List the imports, newest first", 200), h.imports)
	httpapi.Register(api, route(get, "/imports/{id}", "Show an import and how far it is", 200, 404), h.find)
	httpapi.Register(api, unbounded(events, route(get, "/imports/{id}/events", "Follow an import as server-sent events", 200, 404)), h.events)
	httpapi.Register(api, unbounded(csv, route(get, "/imports/{id}/rejects", "Download the rows that were passed over", 200, 404)), h.rejects)
	httpapi.Register(api, unbounded(csv, route(get, "/imports/{id}/amended", "Download the rows that were stored without one of their cells", 200, 404)), h.amended)
	httpapi.Register(api, unbounded(nil, route(del, "/imports/{id}/contacts", "Undo an import: put its contacts into the trash", 200, 404, 409)), h.undo)
	httpapi.Register(api, unbounded(csv, route(get, "/export", "Download contacts as CSV, newest first", 200, 422)), h.exportCSV)
	httpapi.Register(api, unbounded(describeContacts, route(get, "/export-data", "Read contacts as one array, newest first", 200, 422)), h.exportJSON)
	httpapi.Register(api, unbounded(describeJSON[Mailing], route(post, "/export-email", "Mail a file of contacts to somebody", 200, 400, 413, 422, 429)), h.mail)
}

type handler struct {
	service *Service
	guard   account.Guard
}

type importInput struct {
	account.Authorized
	httpapi.Exchange
}

type countsOutput struct {
	Location string `header:"Location" doc:"The record of the import."`
	Body     Counts
}

func (h *handler) importFile(ctx context.Context, in *importInput) (*countsOutput, error) {
	record, err := h.service.ImportFile(ctx, in.Caller, &in.Exchange)
	return answer(in, record, err)
}

func (h *handler) importBulk(ctx context.Context, in *importInput) (*countsOutput, error) {
	record, err := h.service.ImportBulk(ctx, in.Caller, &in.Exchange)
	return answer(in, record, err)
}

// answer points to the record wherever there is one, also of an import that
// failed halfway.
func answer(in *importInput, record Import, err error) (*countsOutput, error) {
	if record.ID.IsZero() {
		in.Answer("", "")
		return nil, err
	}
	location := base + "/imports/" + record.ID.String()
	in.Answer("Location", location)
	return &countsOutput{Location: location, Body: record.Counts}, err
}

type importsInput struct {
	account.Authorized
	httpapi.Page
}

type importsOutput struct {
	Body struct {
		Imports  []Import `json:"imports"`
		Total    int64    `json:"total"`
		Page     int      `json:"page"`
		PageSize int      `json:"pageSize"`
	}
}

func (h *handler) imports(ctx context.Context, in *importsInput) (out *importsOutput, err error) {
	out = &importsOutput{}
	out.Body.Page, out.Body.PageSize = in.Number, in.Size
	out.Body.Imports, out.Body.Total, err = h.service.store.page(ctx, in.Caller.Account, in.Page)
	return out, err
}

type recordInput struct {
	account.Authorized
	httpapi.Exchange
	ID ID `path:"id"`
}

type recordOutput struct {
	Body Import
}

func (h *handler) find(ctx context.Context, in *recordInput) (*recordOutput, error) {
	record, err := h.service.store.find(ctx, in.Caller.Account, in.ID)
	return &recordOutput{Body: record}, err
}

// streamOutput is an answer that the operation writes itself.
type streamOutput struct {
	Body func(huma.Context)
}

// stream makes an answer of what write sends. An error before anything was sent
// is answered as such; after that the connection breaks off.
func stream(exchange *httpapi.Exchange, write func(ctx context.Context, out *httpapi.Stream) error) *streamOutput {
	return &streamOutput{Body: func(hc huma.Context) {
		out := exchange.Stream()
		switch err := write(hc.Context(), out); {
		case err == nil:
		case out.Begun():
			slog.WarnContext(hc.Context(), "answer broken off", "error", err, "requestId", httpapi.ClientOf(hc.Context()).RequestID)
			out.Abort()
		default:
			exchange.Refuse(err)
		}
	}}
}

func (h *handler) events(_ context.Context, in *recordInput) (*streamOutput, error) {
	leave, err := h.service.watchers.enter(in.Caller.Account)
	if err != nil {
		return nil, err
	}
	return stream(&in.Exchange, func(ctx context.Context, out *httpapi.Stream) error {
		defer leave()
		return h.service.Watch(ctx, in.Caller, in.ID, func(ctx context.Context) error {
			_, err := h.guard.Admit(ctx, in.Header("Authorization"))
			return err
		}, out)
	}), nil
}

func (h *handler) rejects(ctx context.Context, in *recordInput) (*streamOutput, error) {
	return h.rows(ctx, in, skippedRows)
}

func (h *handler) amended(ctx context.Context, in *recordInput) (*streamOutput, error) {
	return h.rows(ctx, in, amendedRows)
}

func (h *handler) rows(ctx context.Context, in *recordInput, kind detailKind) (*streamOutput, error) {
	record, err := h.service.find(ctx, in.Caller.Account, in.ID)
	if err != nil {
		return nil, err
	}
	return stream(&in.Exchange, func(ctx context.Context, out *httpapi.Stream) error {
		out.Header().Set("Content-Type", csvForm.mediaType)
		out.Header().Set("Content-Disposition", disposition(fmt.Sprintf("%s rows of %s.csv", kind, record.what())))
		return h.service.store.writeDetail(ctx, out, in.Caller.Account, record.ID, kind)
	}), nil
}

type undoOutput struct {
	Body struct {
		Deleted int64 `json:"deleted" doc:"How many contacts went to the trash."`
	}
}

func (h *handler) undo(ctx context.Context, in *recordInput) (out *undoOutput, err error) {
	in.Hold()
	defer in.Answer("", "")
	out = &undoOutput{}
	out.Body.Deleted, err = h.service.Undo(ctx, in.Caller, in.ID)
	return out, err
}

type exportInput struct {
	account.Authorized
	httpapi.Exchange
	ListID httpapi.Param[contact.ListID] `query:"listId" doc:"Only contacts in this list."`
}

func (h *handler) exportCSV(_ context.Context, in *exportInput) (*streamOutput, error) {
	return h.export(in, csvForm), nil
}

func (h *handler) exportJSON(_ context.Context, in *exportInput) (*streamOutput, error) {
	return h.export(in, jsonForm), nil
}

func (h *handler) export(in *exportInput, f form) *streamOutput {
	return stream(&in.Exchange, func(ctx context.Context, out *httpapi.Stream) error {
		return h.service.Export(ctx, in.Caller, in.ListID.Pointer(), f, out)
	})
}

func (h *handler) mail(ctx context.Context, in *importInput) (*httpapi.Empty, error) {
	defer in.Answer("", "")
	return &httpapi.Empty{}, h.service.SendExport(ctx, in.Caller, &in.Exchange)
}

// description completes an operation in the API reference.
type description = func(*huma.Operation, huma.Registry)

func describeForm(op *huma.Operation, _ huma.Registry) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"file"},
			Properties: map[string]*huma.Schema{
				"file":   {Type: huma.TypeString, Format: "binary", Description: "A .csv or .xlsx file with a column named phone, and any of first_name, last_name, email, tags, notes."},
				"listId": {Type: huma.TypeString, Format: "uuid", Description: "A list to put the contacts in."},
			},
		}},
	}}
}

// bulkBody describes the body of a bulk import.
type bulkBody struct {
	Contacts []bulkContact  `json:"contacts"`
	ListID   contact.ListID `json:"listId" required:"false" doc:"A list to put the contacts in."`
}

type bulkContact struct {
	FirstName string   `json:"firstName" required:"false"`
	LastName  string   `json:"lastName" required:"false"`
	Phone     string   `json:"phone" example:"+254712345678"`
	Email     string   `json:"email" required:"false"`
	Tags      []string `json:"tags" required:"false"`
	Notes     string   `json:"notes" required:"false"`
}

func describeJSON[T any](op *huma.Operation, schemas huma.Registry) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json": {Schema: huma.SchemaFromType(schemas, reflect.TypeFor[T]())},
	}}
}

func describeAnswer(mediaType string) description {
	return func(op *huma.Operation, _ huma.Registry) {
		op.Responses["200"].Content = map[string]*huma.MediaType{mediaType: {Schema: &huma.Schema{Type: huma.TypeString}}}
	}
}

func describeContacts(op *huma.Operation, schemas huma.Registry) {
	op.Responses["200"].Content = map[string]*huma.MediaType{
		"application/json": {Schema: huma.SchemaFromType(schemas, reflect.TypeFor[[]contact.Contact]())},
	}
}
