package main

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// An exchange is a request and the response to it, fetched or recorded.
type exchange struct {
	request *http.Request // after redirects the last one; without a body
	url     string        // its URL without user, password and query; "" if unknown
	status  int
	proto   string
	header  http.Header
	body    []byte    // its beginning, as far as headway reads it for limits
	at      time.Time // of receipt
	testbed *testbed  // has the Transport that has sent the request; nil: the response is recorded

	earlier []earlier // responses before this one: redirects, 1xx, a proxy's
	skipped int       // lines of a recorded head that are not fields
	steps   []step    // one for each request, if several were sent
	notes   []string  // further remarks for the report
	failed  bool      // a request after the first one failed
}

// An earlier response is mentioned in the report, but not reported on.
type earlier struct {
	Status int    `json:"status"`
	URL    string `json:"url,omitempty"` // without user, password and query; "" if unknown
}

// A step is one of several requests.
type step struct {
	after time.Duration // time since the first one was sent
	*exchange
}

// response returns a new copy of the response.
func (x *exchange) response() *http.Response {
	return &http.Response{
		Status: statusText(x.status), StatusCode: x.status, Proto: x.proto,
		Header: x.header.Clone(), Body: io.NopCloser(bytes.NewReader(x.body)), ContentLength: -1,
		Request: x.request,
	}
}

// reading returns what headway reads from the response, including a body that it needs.
func (x *exchange) reading() validate.Reading {
	resp := x.response() //nolint:bodyclose // the body is in memory
	r := validate.Response(resp, x.at, validate.Bounds{})
	r.ReadBody(x.body)
	return r
}

// wantsBody reports whether headway reads the body for limits.
func (x *exchange) wantsBody() bool {
	resp := x.response() //nolint:bodyclose // the body is in memory
	r := validate.Response(resp, x.at, validate.Bounds{})
	return r.WantsBody && x.header.Get("Content-Encoding") == ""
}

// date sets the Date of a response without a valid one to the time of receipt. Points in time in the fields
// are measured against Date. Without one they would be measured against the time at which a recording is
// read.
func (x *exchange) date() {
	if _, err := http.ParseTime(x.header.Get("Date")); err == nil {
		return
	}
	age := parse.Header(x.header).Age
	x.header.Set("Date", x.at.Add(-age).UTC().Format(http.TimeFormat))
}
