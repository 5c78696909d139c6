package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ujumbe/internal/contact"
	"ujumbe/internal/fault"
	"ujumbe/internal/httpapi"
	"ujumbe/internal/transfer/sheet"
)

// maxContactBytes bounds one value of a bulk body, and so what is held in
// memory of it.
const maxContactBytes = 1 << 20

var (
	errNotJSON    = fault.BadRequest("bad_request", "The body is not JSON, or ends too early. Nothing was stored.")
	errNotObject  = bulkInvalid("body", "must be an object with an array named contacts")
	errNoContacts = bulkInvalid("body.contacts", "must be an array of contacts")
	errTwice      = bulkInvalid("body.contacts", "must be there once")
	errBulkList   = bulkInvalid("body.listId", "must be a uuid")
	errLongValue  = bulkInvalid("body.contacts", "must have no contact larger than 1 MiB")
)

func bulkInvalid(location, message string) *fault.Error {
	return fault.Invalid("validation_failed", "The body "+message+". Nothing was stored.", fault.Field{Location: location, Message: message})
}

// bulkFault names what can go wrong with a body on its way.
func bulkFault(err error, limit int64) error {
	if fault.Code(err) == "body_too_large" {
		return fault.TooLarge("body_too_large", fmt.Sprintf("The body is larger than %s. Send the contacts in several requests.", size(limit)))
	}
	return uploadFault(err, limit)
}

// bulkSource reads the contacts of a JSON body.
type bulkSource struct {
	list    *contact.ListID
	start   int64 // where the array begins
	decoder *json.Decoder
	fence   *fence
	place   int
	row     bulkRow
}

// openBulk looks through the whole body, so that one that is broken anywhere, or
// names a list behind its contacts, stores nothing.
func openBulk(file *httpapi.Spool) (*bulkSource, error) {
	b := &bulkSource{start: -1}
	f := &fence{src: io.NewSectionReader(file, 0, file.Size)}
	if err := b.survey(json.NewDecoder(f), f); err != nil {
		return nil, bulkSyntax(err)
	}
	if b.start < 0 {
		return nil, errNoContacts
	}
	b.fence = &fence{src: io.NewSectionReader(file, b.start, file.Size-b.start)}
	b.decoder = json.NewDecoder(b.fence)
	b.fence.allow(b.decoder)
	_, err := b.decoder.Token()
	return b, err
}

// bulkSyntax gives an error of the decoder its name.
func bulkSyntax(err error) error {
	var (
		f      *fault.Error
		broken *json.SyntaxError
	)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &broken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errNotJSON
	}
	return fmt.Errorf("read bulk body: %w", err)
}

// survey reads the body to its end and notes list and array.
func (b *bulkSource) survey(decoder *json.Decoder, f *fence) error {
	f.allow(decoder)
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return firstOf(err, errNotObject)
	}
	for f.more(decoder) {
		f.allow(decoder)
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		if err := b.surveyField(name, decoder, f); err != nil {
			return err
		}
	}
	if err := f.closing(decoder, '}'); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return firstOf(err, errNotJSON)
	}
	return nil
}

func (b *bulkSource) surveyField(name json.Token, decoder *json.Decoder, f *fence) error {
	f.allow(decoder)
	switch name {
	case "contacts":
		return b.surveyContacts(decoder, f)
	case "listId":
		b.list = nil
		if err := decoder.Decode(&b.list); err != nil {
			return firstOf(syntaxOnly(err), errBulkList)
		}
		return nil
	default:
		return decoder.Decode(new(skipped))
	}
}

func (b *bulkSource) surveyContacts(decoder *json.Decoder, f *fence) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return errNoContacts
	}
	if b.start >= 0 {
		return errTwice
	}
	b.start = decoder.InputOffset() - 1
	for f.more(decoder) {
		f.allow(decoder)
		if err := decoder.Decode(new(skipped)); err != nil {
			return err
		}
	}
	return f.closing(decoder, ']')
}

// skipped is a value that is looked through for its syntax only.
type skipped struct{}

// UnmarshalJSON takes every value.
func (*skipped) UnmarshalJSON([]byte) error { return nil }

// syntaxOnly drops errors of a value that is well-formed.
func syntaxOnly(err error) error {
	var broken *json.SyntaxError
	if errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(*fault.Error)) {
		return err
	}
	return nil
}

func firstOf(err error, otherwise *fault.Error) error {
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return otherwise
}

func (b *bulkSource) next(e *entry) error {
	if !b.fence.more(b.decoder) {
		if err := b.fence.closing(b.decoder, ']'); err != nil {
			return fmt.Errorf("read bulk body: %w", err)
		}
		return io.EOF
	}
	b.place++
	*e = entry{number: b.place}
	b.row = bulkRow{}
	b.fence.allow(b.decoder)
	err := b.decoder.Decode(&b.row)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		e.reason = reasonNoContact
		return nil
	}
	if err != nil {
		return fmt.Errorf("read bulk body: %w", notEnd(err))
	}
	b.row.fill(e)
	return nil
}

func (b *bulkSource) appendLine(dst []byte) []byte { return b.row.appendLine(dst) }

func (*bulkSource) columns() []string {
	var names []string
	for column := sheet.FirstName; column <= sheet.Notes; column++ {
		names = append(names, column.String())
	}
	return names
}

func (*bulkSource) format() string     { return "json" }
func (b *bulkSource) bytesRead() int64 { return b.start + b.decoder.InputOffset() }
func (*bulkSource) Close() error       { return nil }

// fence keeps a decoder from reading far: what it reads for one value it holds
// in memory.
type fence struct {
	src  io.Reader
	read int64
	end  int64
}

// allow moves the fence to as far as one more value may reach.
func (f *fence) allow(decoder *json.Decoder) {
	f.end = decoder.InputOffset() + maxContactBytes
}

// more reports whether there is another value. It is false too where the body
// can't be read on, which closing tells.
func (f *fence) more(decoder *json.Decoder) bool {
	f.allow(decoder)
	return decoder.More()
}

// closing reads the bracket behind the last value.
func (f *fence) closing(decoder *json.Decoder, bracket json.Delim) error {
	f.allow(decoder)
	token, err := decoder.Token()
	if err == nil && token != bracket {
		return fmt.Errorf("%v stands where %v should", token, bracket)
	}
	return notEnd(err)
}

// notEnd is the error of a body that ends too early, where the end of it would
// be taken for the end of its rows.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read reads up to the fence.
func (f *fence) Read(p []byte) (int, error) {
	if f.read >= f.end {
		return 0, errLongValue
	}
	n, err := f.src.Read(p[:min(int64(len(p)), f.end-f.read)])
	f.read += int64(n)
	return n, err
}
