package sdktest

import (
	"net/http"
	"sync/atomic"
)

// A Counter is an http.RoundTripper that counts the calls of Base. It does not change requests or responses.
// It is safe for concurrent use. Base must not be changed after first use.
type Counter struct {
	Base http.RoundTripper // nil: http.DefaultTransport

	calls atomic.Int64
}

// RoundTrip counts the call, and returns the results of Base.
func (c *Counter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.Unwrap().RoundTrip(req)
}

// Calls returns the number of calls of RoundTrip since the last Reset, including failed ones.
func (c *Counter) Calls() int { return int(c.calls.Load()) }

// Reset sets Calls to 0.
func (c *Counter) Reset() { c.calls.Store(0) }

// Unwrap returns Base, or http.DefaultTransport if Base is nil.
func (c *Counter) Unwrap() http.RoundTripper {
	if c.Base == nil {
		return http.DefaultTransport
	}
	return c.Base
}
