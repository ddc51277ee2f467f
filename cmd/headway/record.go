package main

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// maxRecording bounds the bytes of a recording. Response heads are always shorter, and a recording may be endless.
const maxRecording = 1 << 20

var errNoFinal = errors.New("there is no final response: no line such as HTTP/1.1 200 OK, which curl -i writes")

var statusForm = regexp.MustCompile(`^(HTTP/\d(?:\.\d)?) ([1-9]\d\d)(?: |$)`)

// A recording is the last final response that curl -i has written (RFC 9110 §15).
type recording struct {
	proto   string
	status  int
	header  http.Header
	body    string
	skipped int // lines of the head that are not fields
}

// readRecording reads the output of curl -i. The heads of interim responses, redirects and proxies come first.
func readRecording(r io.Reader) (*recording, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRecording))
	if err != nil {
		return nil, errors.New("cannot read the recording: " + err.Error())
	}
	var final *recording
	line, rest := cutLine(string(data))
	for rest != "" && statusLine(line) == nil { // a shell prompt, a progress meter or blank lines may come first
		line, rest = cutLine(rest)
	}
	for rec := statusLine(line); rec != nil; rec = statusLine(line) {
		rest = rec.readHead(rest)
		rec.body = rest
		if rec.status >= http.StatusOK || rec.status == http.StatusSwitchingProtocols {
			final = rec
		}
		line, rest = cutLine(rest)
	}
	if final == nil {
		return nil, errNoFinal
	}
	return final, nil
}

// readHead reads the fields and returns the text after them.
func (r *recording) readHead(text string) string {
	for line := ""; text != ""; {
		if line, text = cutLine(text); line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		if !found || !token.MatchString(name) {
			r.skipped++
			continue
		}
		r.header.Add(name, strings.Trim(value, " \t"))
	}
	return text
}

// cutLine cuts off the first line, which ends in LF or CRLF.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// statusLine parses a line such as HTTP/1.1 200 OK, or HTTP/2 200. It returns nil if the line is none.
func statusLine(line string) *recording {
	parts := statusForm.FindStringSubmatch(line)
	if parts == nil {
		return nil
	}
	status, _ := strconv.Atoi(parts[2]) // three digits
	return &recording{proto: parts[1], status: status, header: http.Header{}}
}
