package main

import (
	"cmp"
	"net/http"
	"strings"
)

// isVerbose reports whether text is the output of curl -v, in which the lines of a response's head begin with
// "< ". The first status line decides, as a body may look like the output of curl -v.
func isVerbose(text string) bool {
	for text != "" {
		var line string
		line, text = cutLine(text)
		if _, ok := statusLine(line); ok {
			return false
		}
		received, _ := cutMark(line, '<')
		if _, ok := statusLine(received); ok {
			return true
		}
	}
	return false
}

// A verboseReader reads the output of curl -v. Lines of a response's head begin with "< ", those of a
// request's head with "> ". Among them are curl's remarks on the connection, and the body.
type verboseReader struct {
	*recording
	reading   *headReader     // the current head; nil: none
	body      strings.Builder // of the last head
	requested bool            // a request followed the last head
	tunnel    bool            // the last request asked a proxy for a connection
}

// readVerbose reads the output of curl -v.
func (r *recording) readVerbose(text string) {
	v := verboseReader{recording: r}
	for text != "" {
		line, rest := cutLine(text)
		v.read(line, text[:len(text)-len(rest)])
		text = rest
	}
	v.end()
	r.body = v.body.String()
}

// read reads a line. whole is the line with its line ending.
func (v *verboseReader) read(line, whole string) {
	received, isHead := cutMark(line, '<')
	sent, isRequest := cutMark(line, '>')
	if v.inBody() {
		isHead, isRequest = false, false
	}
	_, isStatus := statusLine(received)
	switch {
	case isHead && isStatus:
		v.end()
		v.body.Reset()
		v.requested = false
		v.reading = &headReader{recording: v.recording}
		v.reading.status(received)
	case isHead && v.reading != nil && received != "":
		v.reading.field(received)
	case isHead:
		v.end()
	case isRequest:
		v.readRequest(sent)
	case v.reading == nil && len(v.heads) > 0 && !isRemark(line):
		v.body.WriteString(whole)
	}
}

// end ends the current head.
func (v *verboseReader) end() {
	if v.reading != nil {
		v.reading.end()
	}
	v.reading = nil
}

// inBody reports whether the next line must belong to a body, even if it looks like a head. It must if curl
// may be done with the last head, and the body is still shorter than its Content-Length.
func (v *verboseReader) inBody() bool {
	if v.reading != nil || v.requested || len(v.heads) == 0 {
		return false
	}
	last := v.heads[len(v.heads)-1]
	if v.continues(last.status) {
		return false
	}
	n, known := last.bodyLength()
	if v.method == http.MethodHead {
		n, known = 0, true
	}
	return !known || v.body.Len() < n
}

// continues reports whether curl continues after a response with that status: with the final response, a
// redirect, a password, or through a proxy's connection.
func (v *verboseReader) continues(status int) bool {
	switch status {
	case http.StatusSwitchingProtocols:
		return false
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		return true
	}
	return status < 200 || status < 300 && v.tunnel || status >= 300 && status < 400
}

// cutMark removes curl's mark from a line of a head. ok is false if the line has another mark or none.
func cutMark(line string, mark byte) (rest string, ok bool) {
	if line == "" || line[0] != mark || len(line) > 1 && line[1] != ' ' {
		return "", false
	}
	return strings.TrimPrefix(line[1:], " "), true
}

// isRemark reports whether the line is curl's own remark, on the connection or the transfer.
func isRemark(line string) bool {
	for _, mark := range []string{"* ", "{ [", "} ["} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// readRequest reads a line of a request's head. Of its fields it takes only Host, as others, and the query,
// may be secret.
func (v *verboseReader) readRequest(line string) {
	if name, value, found := strings.Cut(line, ":"); found && strings.EqualFold(name, "Host") {
		if host := strings.Trim(value, " \t"); validPlace(host) && !strings.Contains(host, "/") {
			v.host = host
		}
		return
	}
	method, rest, _ := strings.Cut(line, " ")
	target, _, found := strings.Cut(rest, " HTTP/")
	if !found || !validName(method) {
		return
	}
	v.requested, v.tunnel = true, method == http.MethodConnect
	if v.tunnel {
		return
	}
	v.method, v.path = method, ""
	if path, _, _ := strings.Cut(target, "?"); strings.HasPrefix(path, "/") && validPlace("a"+path) {
		v.path = path
	}
}

// place returns the host and the path of the last request; "" if they are unknown.
func (r *recording) place() string {
	if r.host == "" {
		return ""
	}
	return r.host + cmp.Or(r.path, "/")
}
