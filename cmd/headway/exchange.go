package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// mostHead bounds a response's head, in bytes.
const mostHead = 64 << 10

// An exchange is a request and the response to it, fetched or recorded.
type exchange struct {
	*http.Response // without its body; Request is set

	body           []byte    // its beginning, if headway reads it for limits
	sent, received time.Time // sent is zero if the response was recorded
}

// newBase returns a base that sends no request again, and bounds the size of a response's head. net/http sends a request again
// if a connection breaks that was used before, and over HTTP/2 as often as a server refuses the stream.
func newBase() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = mostHead
	base.DisableKeepAlives = true
	base.Protocols = new(http.Protocols)
	base.Protocols.SetHTTP1(true)
	return base
}

// fetch sends a request with the fields of the command line and others. It follows no redirect.
func (o *options) fetch(base http.RoundTripper, u *url.URL, others http.Header, now func() time.Time) (*exchange, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	req, err := o.newRequest(u, others)
	if err != nil {
		return nil, o.reason(err)
	}
	client := &http.Client{Transport: base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	x := &exchange{sent: now()}
	if x.Response, err = client.Do(req.WithContext(ctx)); err != nil { //nolint:bodyclose // readBody closes it
		return nil, o.reason(err)
	}
	x.received, x.Request = now(), req
	x.readBody()
	return x, nil
}

func (o *options) newRequest(u *url.URL, others http.Header) (*http.Request, error) {
	req, err := http.NewRequest(o.method, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "headway")
	for _, fields := range []http.Header{o.header, others} {
		maps.Copy(req.Header, fields)
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	return req, nil
}

// readBody reads as much of the body as arrives in time, if headway reads it for limits, and closes it.
func (x *exchange) readBody() {
	defer x.Body.Close() //nolint:errcheck // it was read as far as it is wanted
	if x.wantsBody() {
		x.body, _ = io.ReadAll(io.LimitReader(x.Body, validate.MaxBody))
	}
}

func (x *exchange) wantsBody() bool {
	r := validate.Response(x.Response, x.received, validate.Bounds{})
	return r.WantsBody && x.Header.Get("Content-Encoding") == ""
}

// shownURL returns the URL without the parts that may be secret.
func shownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// reason returns why a request failed, without its URL or text from the server.
func (o *options) reason(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no response within %v", o.timeout)
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return errors.New("the response's head is malformed")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return errors.New(withoutQuotes(err.Error()))
}

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
