package mail

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"ujumbe/internal/clock"
)

const (
	maxEML   = 16 << 20 // a mail with its attachments, in base64
	maxParts = 50
	maxDepth = 4
	maxLinks = 20
)

// received is a mail read back from a file.
type received struct {
	ID          string         `json:"id"`
	From        string         `json:"from"`
	To          string         `json:"to"`
	Subject     string         `json:"subject"`
	Date        clock.Time     `json:"date"`
	Text        string         `json:"text"`
	HTML        string         `json:"html"`
	Links       []string       `json:"links"`
	Attachments []receivedFile `json:"attachments"`
	Headers     []headerLine   `json:"-"`
}

type receivedFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

type headerLine struct{ Name, Value string }

// readEML reads a mail of the kind that compose writes. It takes any bytes: the
// folder belongs to whoever runs the server, and other tools may drop files.
func readEML(r io.Reader) (received, error) {
	msg, err := netmail.ReadMessage(io.LimitReader(r, maxEML))
	if err != nil {
		return received{}, fmt.Errorf("read mail: %w", err)
	}
	m := received{
		From:    decoded(msg.Header.Get("From")),
		To:      bareAddresses(msg.Header.Get("To")),
		Subject: decoded(msg.Header.Get("Subject")),
		Headers: headerLines(msg.Header),

		Attachments: []receivedFile{},
	}
	if date, err := msg.Header.Date(); err == nil {
		m.Date = clock.From(date)
	}
	parts := 0
	if err := m.readPart(textproto.MIMEHeader(msg.Header), msg.Body, &parts, 0); err != nil {
		return received{}, err
	}
	m.Links = findLinks(m.Text)
	return m, nil
}

// readPart reads one part, and those inside it.
func (m *received) readPart(header textproto.MIMEHeader, body io.Reader, parts *int, depth int) error {
	if *parts++; *parts > maxParts || depth > maxDepth {
		return errors.New("read mail: too many parts")
	}
	mediaType, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		mediaType = "text/plain"
	}
	if strings.HasPrefix(mediaType, "multipart/") {
		return m.readParts(multipart.NewReader(body, params["boundary"]), parts, depth)
	}
	body = decodeTransfer(header.Get("Content-Transfer-Encoding"), body)
	if disposition, params, err := mime.ParseMediaType(header.Get("Content-Disposition")); err == nil && disposition == "attachment" {
		size, err := io.Copy(io.Discard, body)
		m.Attachments = append(m.Attachments, receivedFile{Name: decoded(params["filename"]), Type: mediaType, Size: size})
		return err
	}
	content, err := io.ReadAll(io.LimitReader(body, maxBody))
	switch {
	case mediaType == "text/plain" && m.Text == "":
		m.Text = plain(content)
	case mediaType == "text/html" && m.HTML == "":
		m.HTML = plain(content)
	}
	return err
}

func (m *received) readParts(all *multipart.Reader, parts *int, depth int) error {
	for {
		part, err := all.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read mail: %w", err)
		}
		if err := m.readPart(part.Header, part, parts, depth+1); err != nil {
			return err
		}
	}
}

func decodeTransfer(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	}
	return body
}

// plain is content as a text of this machine.
func plain(content []byte) string {
	return strings.ToValidUTF8(strings.ReplaceAll(string(content), "\r\n", "\n"), "\uFFFD")
}

// decoded undoes the encoding of words beyond ASCII in a header.
func decoded(value string) string {
	if plain, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		return plain
	}
	return value
}

func bareAddresses(value string) string {
	list, err := netmail.ParseAddressList(value)
	if err != nil {
		return decoded(value)
	}
	all := make([]string, 0, len(list))
	for _, a := range list {
		all = append(all, a.Address)
	}
	return strings.Join(all, ", ")
}

func headerLines(h netmail.Header) []headerLine {
	var all []headerLine
	for name, values := range h {
		for _, v := range values {
			all = append(all, headerLine{name, decoded(v)})
		}
	}
	slices.SortFunc(all, func(a, b headerLine) int { return strings.Compare(a.Name, b.Name) })
	return all
}

var linkPattern = regexp.MustCompile(`https?://[^\s<>"]+`)

// findLinks returns the web addresses in a text, without the punctuation of the
// sentence around them.
func findLinks(text string) []string {
	links := []string{}
	for _, found := range linkPattern.FindAllString(text, maxLinks) {
		links = append(links, strings.TrimRight(found, ".,;:!?)]'"))
	}
	return links
}
