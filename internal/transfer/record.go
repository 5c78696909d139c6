package transfer

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"ujumbe/internal/account"
	"ujumbe/internal/clock"
	"ujumbe/internal/contact"
	"ujumbe/internal/fault"
)

// ID names an import.
type ID = contact.ImportID

// Status is how an import stands.
type Status string

// The statuses. Every one but the first is final, and with every one the counts
// are those of what is stored.
const (
	Running   Status = "running"
	Completed Status = "completed"
	// Failed: something was in the way; the failure says what.
	Failed Status = "failed"
	// Cancelled: whoever sent it went away before the end.
	Cancelled Status = "cancelled"
	// Interrupted: the server stopped, or crashed.
	Interrupted Status = "interrupted"
)

// Counts is what became of rows: the answer to every import.
type Counts struct {
	Imported int64 `json:"imported" doc:"Rows stored: valid and invalid together."`
	Valid    int64 `json:"valid" doc:"Rows stored whose number is on a known network."`
	Invalid  int64 `json:"invalid" doc:"Rows stored whose number is on no known network."`
	Skipped  int64 `json:"skipped" doc:"Rows passed over: the number is a duplicate or can't be read."`
}

// Failure is why an import did not come to its end.
type Failure struct {
	Code   string `json:"code" doc:"A stable word for programs."`
	Detail string `json:"detail"`
}

// TransformSchema says in the API reference that a Failure may be null.
func (Failure) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Nullable = true
	return s
}

// Import is the record of an import.
type Import struct {
	ID       ID              `json:"id"`
	Status   Status          `json:"status" enum:"running,completed,failed,cancelled,interrupted"`
	FileName *string         `json:"fileName" doc:"Null for contacts that came as JSON."`
	Format   string          `json:"format" enum:"csv,xlsx,json"`
	ListID   *contact.ListID `json:"listId" nullable:"true" doc:"The list its contacts were put in."`
	Counts
	Amended    int64          `json:"amended" doc:"Rows stored without a cell that could not be kept."`
	RowsRead   int64          `json:"rowsRead" doc:"Rows dealt with so far."`
	BytesRead  int64          `json:"bytesRead" doc:"How much of the upload they take up."`
	BytesTotal int64          `json:"bytesTotal" doc:"Size of the upload."`
	UserID     account.UserID `json:"userId" doc:"Who sent it."`
	User       string         `json:"user" doc:"The email address of that user at the time."`
	StartedAt  clock.Time     `json:"startedAt"`
	UpdatedAt  clock.Time     `json:"updatedAt" doc:"When there was progress last."`
	FinishedAt *clock.Time    `json:"finishedAt" nullable:"true"`
	UndoneAt   *clock.Time    `json:"undoneAt" nullable:"true" doc:"When its contacts were put into the trash."`
	Failure    *Failure       `json:"failure" doc:"Null unless the import did not come to its end."`
}

// what says in words what was imported.
func (i *Import) what() string {
	if i.FileName == nil {
		return "contacts sent as JSON"
	}
	return *i.FileName
}

// lease is how long a running import may give no sign of life.
const (
	lease     = 20 * time.Second
	beatEvery = 4 * time.Second
)

var (
	errNoImport = fault.NotFound("import_not_found", "There is no such import in this organization.")
	errRunning  = fault.Conflict("import_running", "The import is still running. Wait until it has ended.")

	failureCrashed  = Failure{"server_crashed", "The server stopped in the middle. What it had stored is counted here. Send the same file again: rows that are stored are passed over."}
	failureStopping = Failure{"server_stopping", "The server was restarted. What it had stored is counted here. Send the same file again: rows that are stored are passed over."}
	failureLeft     = Failure{"client_left", "The connection was closed before the import had ended. What was stored is counted here. Send the same file again: rows that are stored are passed over."}
)

// silent makes an import that gives no sign of life what it is.
func (i *Import) silent(now clock.Time) {
	if i.Status == Running && now.Sub(i.UpdatedAt) > lease {
		i.Status, i.Failure = Interrupted, &failureCrashed
	}
}
