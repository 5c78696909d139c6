package transfer_test

import (
	"encoding/json"
	"errors"
	"testing"

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
