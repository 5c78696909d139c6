package transfer_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"ujumbe/internal/server/servertest"
)

// part is one field of a form; a file has a name.
type part struct {
	field, file, content string
}

func fileOf(content string) []part { return []part{{"file", "contacts.csv", content}} }

// form writes a multipart body.
func form(t testing.TB, parts []part) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var (
			field io.Writer
			err   error
		)
		if p.file != "" {
			field, err = w.CreateFormFile(p.field, p.file)
		} else {
			field, err = w.CreateFormField(p.field)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(field, p.content)
	}
	_ = w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// send imports a form.
func send(t testing.TB, s *servertest.Server, access string, parts []part) servertest.Answer {
	t.Helper()
	body, contentType := form(t, parts)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+"/api/v1/contacts/import", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer "+access)
	return s.Do(request)
}

type counts struct {
	Imported, Valid, Invalid, Skipped int64
}

// countsOf reads the answer of an import, which holds nothing else.
func countsOf(t testing.TB, a servertest.Answer) counts {
	t.Helper()
	var c counts
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	if c.Imported != c.Valid+c.Invalid {
		t.Errorf("imported is not valid and invalid: %+v", c)
	}
	return c
}

type record struct {
	ID, Status, Format, User        string
	FileName, ListID                *string
	Imported, Valid, Invalid        int64
	Skipped, Amended, RowsRead      int64
	BytesRead, BytesTotal           int64
	StartedAt, FinishedAt, UndoneAt *string
	Failure                         *struct{ Code, Detail string }
}

// recordAt reads the record an answer points to.
func recordAt(t testing.TB, s *servertest.Server, access string, a servertest.Answer) record {
	t.Helper()
	location := a.Header.Get("Location")
	if location == "" {
		t.Fatal("no Location")
	}
	var r record
	if err := json.Unmarshal(s.Want(s.Call("GET", location, access, nil), 200).Body, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// rowsAt reads a CSV file of the API without its head.
func rowsAt(t testing.TB, s *servertest.Server, access, path string) [][]string {
	t.Helper()
	a := s.Want(s.Call("GET", path, access, nil), 200)
	rows, err := csv.NewReader(bytes.NewReader(a.Body)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("not CSV: %v\n%s", err, a.Body)
	}
	return rows[1:]
}

func total(t testing.TB, s *servertest.Server, access, query string) int64 {
	t.Helper()
	var page struct{ Total int64 }
	if err := json.Unmarshal(s.Want(s.Call("GET", "/api/v1/contacts?pageSize=1"+query, access, nil), 200).Body, &page); err != nil {
		t.Fatal(err)
	}
	return page.Total
}

func newList(t testing.TB, s *servertest.Server, access string) string {
	t.Helper()
	return fmt.Sprint(s.Want(s.Call("POST", "/api/v1/contact-lists", access, map[string]any{"name": "Customers"}), 201).JSON(s.T)["id"])
}

// contactCount is what the list says of itself.
func contactCount(t testing.TB, s *servertest.Server, access, list string) int64 {
	t.Helper()
	for _, one := range s.Want(s.Call("GET", "/api/v1/contact-lists", access, nil), 200).Array(s.T) {
		if one["id"] == list {
			return int64(one["contactCount"].(float64))
		}
	}
	t.Fatalf("no list %s", list)
	return 0
}

// workbook writes rows as an XLSX file.
func workbook(t testing.TB, rows ...[]any) string {
	t.Helper()
	book := excelize.NewFile()
	for i, row := range rows {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// numbers writes n rows of contacts with numbers that no other file has.
func numbers(from, n int) string {
	var b strings.Builder
	b.WriteString("first_name,last_name,phone,email,tags,notes\n")
	for i := range n {
		fmt.Fprintf(&b, "Asha%d,Juma,+2547%08d,a%d@example.com,vip;nairobi,note %d\n", (from+i)%97, from+i, from+i, i)
	}
	return b.String()
}
