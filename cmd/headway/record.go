package main

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxRecording is how much of a recording is read, in bytes. It is more than any
// response head has, and an endless one ends there.
const maxRecording = 1 << 20

// What is wrong with a recording.
var (
	errNoStatus = errors.New("there is no response: no line such as HTTP/1.1 200 OK, which curl -i writes")
	errNoFinal  = errors.New("there is no final response, only one with a status below 200")
)

// A head is that of one response.
type head struct {
	proto  string
	status int
	header http.Header
}

// A recording is what curl has written of responses.
type recording struct {
	heads   []head
	body    string // of the last of them
	method  string // "" if not told
	host    string // "" if not told
	path    string // "" if not told
	skipped int    // lines in heads that are no fields
	cut     bool   // there is more than was read
}

// readRecording reads what curl -i or curl -v has written.
func readRecording(r io.Reader) (*recording, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRecording+1))
	if err != nil {
		return nil, errors.New("cannot read the recording: " + visible(err.Error(), longText))
	}
	rec := &recording{cut: len(data) > maxRecording}
	if text := string(data[:min(len(data), maxRecording)]); isVerbose(text) {
		rec.readVerbose(text)
	} else {
		rec.readPlain(text)
	}
	switch final := rec.final(); {
	case len(rec.heads) == 0:
		return nil, errNoStatus
	case final < 0:
		return nil, errNoFinal
	case final < len(rec.heads)-1: // something like 100 Continue came last: the body is not its own
		rec.body = ""
	}
	return rec, nil
}

// final is the place of the last final response (RFC 9110 §15), −1 if there is none.
func (r *recording) final() int {
	for i, h := range slices.Backward(r.heads) {
		if h.status >= 200 || h.status == http.StatusSwitchingProtocols {
			return i
		}
	}
	return -1
}

// readPlain reads what curl -i writes: heads, each with a blank line behind it, and the
// body of the last one.
func (r *recording) readPlain(text string) {
	for text != "" { // a prompt, a meter or blank lines may come first
		line, rest := cutLine(text)
		if _, ok := statusLine(line); ok {
			break
		}
		text = rest
	}
	for startsHead(text) {
		text = r.readHead(text)
		r.body = text
		text = r.afterBody(text)
	}
}

// readHead reads a head and returns what is behind it.
func (r *recording) readHead(text string) string {
	line, text := cutLine(text)
	h := headReader{recording: r}
	h.status(line)
	for text != "" {
		line, text = cutLine(text)
		if line == "" {
			break
		}
		h.field(line)
	}
	h.end()
	return text
}

// afterBody returns what follows the body of the last head: another head, where several
// responses were recorded one after another, or a proxy's or a redirect came first. Only
// Content-Length tells where a body ends.
func (r *recording) afterBody(text string) string {
	if startsHead(text) {
		return text
	}
	n, known := r.heads[len(r.heads)-1].bodyLength()
	if !known || n > len(text) {
		return ""
	}
	rest := strings.TrimLeft(text[n:], "\r\n")
	if !startsHead(rest) {
		return ""
	}
	return rest
}

// bodyLength is what Content-Length tells, if it does.
func (h *head) bodyLength() (n int, known bool) {
	length, err := strconv.ParseUint(h.header.Get("Content-Length"), 10, 31)
	return int(length), err == nil
}

func startsHead(text string) bool {
	line, _ := cutLine(text)
	_, ok := statusLine(line)
	return ok
}

// cutLine cuts the first line off, which ends in LF or CRLF.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// statusLine reads HTTP/1.1 200 OK, or HTTP/2 200.
func statusLine(line string) (h head, ok bool) {
	proto, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	version, isHTTP := strings.CutPrefix(proto, "HTTP/")
	if !isHTTP || !isVersion(version) || len(code) != 3 {
		return h, false
	}
	status, err := strconv.ParseUint(code, 10, 16)
	if err != nil || status < 100 {
		return h, false
	}
	return head{proto: proto, status: int(status)}, true
}

// isVersion reports whether v is a digit, or two with a dot between them.
func isVersion(v string) bool {
	digit := func(i int) bool { return v[i] >= '0' && v[i] <= '9' }
	return len(v) == 1 && digit(0) || len(v) == 3 && digit(0) && v[1] == '.' && digit(2)
}
