package main

import (
	"cmp"
	"net/http"
	"strings"
)

// isVerbose reports whether curl -v has written text: its lines of a response's head
// begin with "< ".
func isVerbose(text string) bool {
	return strings.HasPrefix(text, "< HTTP/") || strings.Contains(text, "\n< HTTP/")
}

// readVerbose reads what curl -v writes: lines of the response's head behind "< ", of the
// request's behind "> ", and among them what curl tells of the connection and what it
// writes of the body.
func (r *recording) readVerbose(text string) {
	var (
		h    *headReader // of the head that is being read
		body strings.Builder
	)
	end := func() {
		if h != nil {
			h.end()
		}
		h = nil
	}
	for text != "" {
		start := text
		var line string
		line, text = cutLine(text)
		received, isHead := cutMark(line, '<')
		sent, isRequest := cutMark(line, '>')
		_, isStatus := statusLine(received)
		switch {
		case isHead && isStatus:
			end()
			body.Reset()
			h = &headReader{recording: r}
			h.status(received)
		case isHead && h != nil && received != "":
			h.field(received)
		case isHead:
			end()
		case isRequest:
			r.readRequest(sent)
		case h == nil && len(r.heads) > 0 && !isRemark(line):
			body.WriteString(start[:len(start)-len(text)])
		}
	}
	end()
	r.body = body.String()
}

// cutMark cuts off what curl writes before the lines of a head.
func cutMark(line string, mark byte) (rest string, ok bool) {
	if line == "" || line[0] != mark || len(line) > 1 && line[1] != ' ' {
		return "", false
	}
	return strings.TrimPrefix(line[1:], " "), true
}

// isRemark reports whether curl says something itself: about the connection, or how
// many bytes have come.
func isRemark(line string) bool {
	for _, mark := range []string{"* ", "{ [", "} ["} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// readRequest reads a line of a request's head. Of its fields only Host is of use; the
// others, and the query, may be secret.
func (r *recording) readRequest(line string) {
	if name, value, found := strings.Cut(line, ":"); found && strings.EqualFold(name, "Host") {
		if host := strings.Trim(value, " \t"); validPlace(host) && !strings.Contains(host, "/") {
			r.host = host
		}
		return
	}
	method, rest, _ := strings.Cut(line, " ")
	target, _, found := strings.Cut(rest, " HTTP/")
	if !found || !validName(method) || method == http.MethodConnect {
		return
	}
	r.method, r.path = method, ""
	if path, _, _ := strings.Cut(target, "?"); strings.HasPrefix(path, "/") && validPlace("a"+path) {
		r.path = path
	}
}

// place is the host of the last request and the path there; "" if it is not known.
func (r *recording) place() string {
	if r.host == "" {
		return ""
	}
	return r.host + cmp.Or(r.path, "/")
}
