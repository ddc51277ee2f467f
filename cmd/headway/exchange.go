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
	request *http.Request // the last one, if there were redirects; without a body
	url     string        // its URL without user, password and query; "" if not known
	status  int
	proto   string
	header  http.Header
	body    []byte    // if it says more about limits: the beginning, as far as headway reads it
	at      time.Time // of receipt
	stage   *stage    // with the Transport that has sent the request; nil: it is recorded

	earlier []earlier // responses before this one: redirects, 1xx, a proxy's
	skipped int       // lines of a recorded head that are no fields
	steps   []step    // one for each request that was sent, if that was more than one
	notes   []string  // what else there is to say
	failed  bool      // a request after the first one
}

// An earlier response is one that is not reported on.
type earlier struct {
	Status int    `json:"status"`
	URL    string `json:"url,omitempty"` // without user, password and query; "" if not known
}

// A step is one of several requests.
type step struct {
	after time.Duration // the first one was sent
	*exchange
}

// response returns the response, as often as it is needed.
func (x *exchange) response() *http.Response {
	return &http.Response{
		Status: statusText(x.status), StatusCode: x.status, Proto: x.proto,
		Header: x.header.Clone(), Body: io.NopCloser(bytes.NewReader(x.body)), ContentLength: -1,
		Request: x.request,
	}
}

// reading is what headway reads from the response, as far as it has come.
func (x *exchange) reading() validate.Reading {
	resp := x.response() //nolint:bodyclose // it is in memory
	r := validate.Response(resp, x.at, validate.Bounds{})
	r.Prove(x.body)
	return r
}

// isProblem reports whether the body is a problem in JSON.
func (x *exchange) isProblem() bool { return parse.IsProblem(x.header.Get("Content-Type")) }

// wantsBody reports whether the body says more about limits.
func (x *exchange) wantsBody() bool {
	return (x.isProblem() || x.reading().Unproven) && x.header.Get("Content-Encoding") == ""
}

// violated are the policies that a refusal's body names.
func (x *exchange) violated(r *validate.Reading) []string {
	if !r.Throttled || !x.isProblem() {
		return nil
	}
	return parse.ViolatedPolicies(x.body)
}

// date gives a response a Date that has none which can be read: that of its receipt.
// Points in time are measured against the server's clock, and when a recording is read
// says nothing about it.
func (x *exchange) date() {
	if _, err := http.ParseTime(x.header.Get("Date")); err == nil {
		return
	}
	age := parse.Header(x.header).Age
	x.header.Set("Date", x.at.Add(-age).UTC().Format(http.TimeFormat))
}
