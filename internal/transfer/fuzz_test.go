package transfer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"unicode/utf8"

	"ujumbe/internal/fault"
	"ujumbe/internal/transfer"
)

// FuzzBulk holds the reader of bulk bodies to what it promises: whatever comes
// is a fault or so many rows as the array has.
func FuzzBulk(f *testing.F) {
	for _, body := range []string{
		`{"contacts":[{"phone":"+254712345678","tags":["a"]}],"listId":null}`, `{"contacts":[1,null,"x",{"phone":7e3,"tags":"a;b"}]}`,
		`{"contacts":[]}`, `{"contacts":{}}`, `[]`, `{"contacts":[{"phone":{}}]} x`, "{\"contacts\":[{\"phone\":\"\xff\"}]}", ``,
	} {
		f.Add([]byte(body))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, body []byte) {
		kept, passed, err := transfer.ReadBulk(folder, body)
		var fields map[string]json.RawMessage
		var contacts []json.RawMessage
		parseErr := json.Unmarshal(body, &fields)
		if parseErr == nil {
			parseErr = json.Unmarshal(fields["contacts"], &contacts)
		}
		if err != nil {
			if !errors.As(err, new(*fault.Error)) {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		if parseErr == nil && kept+passed != len(contacts) {
			t.Fatalf("%d kept and %d passed over of %d", kept, passed, len(contacts))
		}
	})
}

// FuzzForm holds the reader of forms to what it promises: whatever comes is a
// fault, or a file as the standard library reads it, under a name fit to be shown.
func FuzzForm(f *testing.F) {
	const boundary = "multipart/form-data; boundary=x"
	part := func(header, content string) string {
		return "--x\r\nContent-Disposition: form-data; " + header + "\r\n\r\n" + content + "\r\n"
	}
	file := part(`name="file"; filename="a.csv"`, "phone\n+254712345678\n")
	list := part(`name="listId"`, "01980d5e-7c1a-7000-8000-5b1f0c8e2a11")
	for _, body := range []string{
		file + "--x--", list + file + "--x--", file + list + "--x--\r\nafter", file, file + file + "--x--", list + "--x--", "--x--", "",
		part(`name="file"; filename="../\x00\xff"`, "") + "--x--", part(`name="listId"`, "no list") + file + "--x--",
		strings.Repeat(part(`name="other"`, "x"), 40) + file + "--x--", part(`name="file"`, strings.Repeat("y", 5000)) + "--x--",
		"--x\nContent-Disposition: form-data; name=file\n\nabc\n--x--", "--x\r\nContent-Transfer-Encoding: quoted-printable\r\n" + file[3:] + "--x--",
	} {
		f.Add(boundary, []byte(body))
	}
	f.Add("multipart/mixed; boundary=x", []byte(file))
	f.Add("text/csv", []byte("phone"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		const maxFile = 4096
		name, content, _, err := transfer.ReadForm(folder, contentType, body, maxFile)
		if err != nil {
			if !errors.As(err, new(*fault.Error)) {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > 200 || strings.ContainsAny(name, "\r\n\x00") {
			t.Errorf("the file is called %q", name)
		}
		if want := formFile(t, contentType, body); content != want || len(content) > maxFile {
			t.Errorf("the file has %q, want %q", content, want)
		}
	})
}

// formFile is the field "file" as the standard library reads it.
func formFile(t *testing.T, contentType string, body []byte) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	for parts := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		part, err := parts.NextPart()
		if err != nil {
			t.Fatalf("there is no file: %v", err)
		}
		if part.FormName() != "file" {
			continue
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
}
