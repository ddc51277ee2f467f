package sdktest

import (
	"net/http"
	"sync/atomic"
)

// A Counter is an http.RoundTripper that counts the calls of another one. It changes
// neither requests nor responses. It is safe for concurrent use; Base must not be changed
// once it is in use.
type Counter struct {
	Base http.RoundTripper // nil: http.DefaultTransport

	calls atomic.Int64
}

// RoundTrip counts the call and hands it to Base, whose results it returns as they are.
func (c *Counter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.Unwrap().RoundTrip(req)
}

// Calls returns how often RoundTrip was called since the last Reset, whatever came of it.
func (c *Counter) Calls() int { return int(c.calls.Load()) }

// Reset makes Calls count from 0 again.
func (c *Counter) Reset() { c.calls.Store(0) }

// Unwrap returns the RoundTripper that is counted, never nil.
func (c *Counter) Unwrap() http.RoundTripper {
	if c.Base == nil {
		return http.DefaultTransport
	}
	return c.Base
}
