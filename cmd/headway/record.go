package main

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxRecording bounds the bytes of a recording. Response heads are always shorter, and a recording may be
// endless.
const maxRecording = 1 << 20

// The errors of a recording.
var (
	errNoStatus = errors.New("there is no response: no line such as HTTP/1.1 200 OK, which curl -i writes")
	errNoFinal  = errors.New("there is no final response, only one with a status below 200")
)

// A head is the head of one response.
type head struct {
	proto  string
	status int
	header http.Header
}

// A recording is curl's output, with one or more responses.
type recording struct {
	heads   []head
	body    string // of the last response
	method  string // "" if unknown
	host    string // "" if unknown
	path    string // "" if unknown
	skipped int    // lines in heads that are not fields
	cut     bool   // the input is longer than maxRecording
}

// readRecording reads the output of curl -i or curl -v.
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
	case final < len(rec.heads)-1: // the last head is not final, such as 100 Continue, so the body is not that of the final one
		rec.body = ""
	}
	return rec, nil
}

// final returns the index of the last final response (RFC 9110 §15), or −1 if there is none.
func (r *recording) final() int {
	for i, h := range slices.Backward(r.heads) {
		if h.status >= 200 || h.status == http.StatusSwitchingProtocols {
			return i
		}
	}
	return -1
}

// readPlain reads the output of curl -i: heads, each with a blank line after it, and the last one's body.
func (r *recording) readPlain(text string) {
	for text != "" { // a shell prompt, a progress meter or blank lines may come first
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

// readHead reads a head and returns the text after it.
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

// afterBody returns the text after the body of the last head, if another head follows: several responses may
// be recorded one after another, and a proxy's response or a redirect comes first. Only Content-Length says
// where a body ends.
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

// bodyLength returns the Content-Length, if there is one.
func (h *head) bodyLength() (n int, known bool) {
	length, err := strconv.ParseUint(h.header.Get("Content-Length"), 10, 31)
	return int(length), err == nil
}

func startsHead(text string) bool {
	line, _ := cutLine(text)
	_, ok := statusLine(line)
	return ok
}

// cutLine cuts off the first line, which ends in LF or CRLF.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// statusLine parses a line such as HTTP/1.1 200 OK, or HTTP/2 200.
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

// isVersion reports whether v is a digit, or two digits with a dot between them.
func isVersion(v string) bool {
	digit := func(i int) bool { return v[i] >= '0' && v[i] <= '9' }
	return len(v) == 1 && digit(0) || len(v) == 3 && digit(0) && v[1] == '.' && digit(2)
}
