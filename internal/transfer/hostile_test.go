package transfer_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"ujumbe/internal/server/processtest"
)

// repeated is a text many times over, without being held.
func repeated(text string, size int) io.Reader {
	times := size / len(text)
	parts := make([]io.Reader, 0, 64)
	block := strings.Repeat(text, max(1, times/64))
	for range 64 {
		parts = append(parts, strings.NewReader(block))
	}
	return io.MultiReader(parts...)
}

// bomb is a workbook whose sheet is small only as long as it is zipped.
func bomb(t *testing.T, row string, size int) string {
	t.Helper()
	book := workbook(t, []any{"phone"})
	in, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, file := range in.File {
		w, err := out.Create(file.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(file.Name, "sheet1") {
			r, _ := file.Open()
			_, _ = io.Copy(w, r)
			continue
		}
		_, _ = io.WriteString(w, `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row><c t="inlineStr"><is><t>phone</t></is></c></row>`)
		_, _ = io.Copy(w, repeated(row, size))
		_, _ = io.WriteString(w, `</sheetData></worksheet>`)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileUploadsCostLittleMemory(t *testing.T) {
	const above = 96 << 20
	p := processtest.Start(t)
	access := p.Customer("hostile@example.com")
	idle := p.Memory()
	csv := func(body io.Reader) (string, io.Reader) {
		return "multipart/form-data; boundary=b", io.MultiReader(
			strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.csv\"\r\n\r\n"), body, strings.NewReader("\r\n--b--\r\n"))
	}
	type upload struct {
		name, path, contentType string
		body                    io.Reader
		status                  []int
	}
	var uploads []upload
	add := func(name string, status []int, contentType string, body io.Reader) {
		uploads = append(uploads, upload{name, "/api/v1/contacts/import", contentType, body, status})
	}
	bulk := func(name string, status int, body io.Reader) {
		uploads = append(uploads, upload{name, "/api/v1/contacts/bulk", "application/json", body, []int{status}})
	}
	form := func(name string, status []int, content io.Reader) {
		contentType, body := csv(content)
		add(name, status, contentType, body)
	}
	head := "phone,notes\n"
	form("one long line", []int{201}, io.MultiReader(strings.NewReader(head), repeated("1234567890", 60<<20)))
	form("a quote that never ends", []int{201}, io.MultiReader(strings.NewReader(head+"\""), repeated("123 456\n", 8<<20)))
	form("nothing but commas", []int{400, 201}, repeated(",", 60<<20))
	form("long cells", []int{201}, io.MultiReader(strings.NewReader(head), repeated("12,"+strings.Repeat("x", 900_000)+"\n", 60<<20)))
	form("rows without end", []int{201, 413}, io.MultiReader(strings.NewReader(head), repeated("1,\n", 3<<20)))
	form("over the limit", []int{413}, repeated("x", 70<<20))
	form("zip bomb", []int{413, 400}, strings.NewReader(bomb(t, `<row><c><v>1</v></c></row>`, 400<<20)))
	form("zip of one huge cell", []int{413, 400, 201}, strings.NewReader(bomb(t, strings.Repeat("x", 1000), 14<<20)))
	bulk("one endless text", 422, io.MultiReader(strings.NewReader(`{"contacts":[{"phone":"`), repeated("1", 30<<20), strings.NewReader(`"}]}`)))
	bulk("an endless name", 422, io.MultiReader(strings.NewReader(`{"`), repeated("x", 30<<20), strings.NewReader(`":1}`)))
	bulk("depth", 422, repeated("[", 30<<20))
	bulk("deep inside", 400, io.MultiReader(strings.NewReader(`{"contacts":[`), repeated("[", 30<<20)))
	bulk("space", 422, repeated(" ", 30<<20))
	bulk("over the limit", 413, repeated(" ", 40<<20))
	for _, u := range uploads {
		answer := post(t.Context(), t, p, u.path, access, u.contentType, u.body)
		if !strings.Contains(fmt.Sprint(u.status), fmt.Sprint(answer.Status)) {
			t.Errorf("%s: %d %s, want %v", u.name, answer.Status, answer.Body, u.status)
		}
		if used := p.PeakMemory() - idle; used > above {
			t.Fatalf("%s: %d MiB above idle", u.name, used>>20)
		}
	}
	if status, body := p.Get(t.Context(), "/api/v1/contacts?pageSize=1", access); status != http.StatusOK || !bytes.Contains(body, []byte(`"total":0`)) {
		t.Errorf("afterwards: %d %s", status, body)
	}
	t.Logf("at most %d MiB above %d MiB", (p.PeakMemory()-idle)>>20, idle>>20)
}
