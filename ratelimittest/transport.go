package ratelimittest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"time"
)

// ErrAborted is the error of a request whose handler panicked with
// http.ErrAbortHandler: over real HTTP the connection would be closed before a
// response.
var ErrAborted = errors.New("ratelimittest: the server closed the connection without a response")

// A Transport is an http.RoundTripper that hands requests to a Handler in
// memory: no socket, no goroutine, and nothing that a testing/synctest bubble
// cannot see. The handler runs on the goroutine of the caller and its response
// is complete before the caller sees it.
//
// It keeps to the contract of http.RoundTripper: the request is not modified,
// its Body is always closed, and a request whose context is done fails with the
// context's cause, on its way to the handler, in it (if it heeds its context)
// and on the way back. A panic of the handler other than http.ErrAbortHandler
// goes through to the caller.
//
// A Transport is safe for concurrent use; its fields must not be changed once
// it is in use.
type Transport struct {
	// Handler serves the requests. nil: an empty 200 OK for each.
	Handler http.Handler
	// Latency is the time that a request spends on the network: half of it
	// before the handler sees the request and half of it after the handler has
	// answered. 0 or negative: none.
	Latency time.Duration
	// RemoteAddr is the client's address as the handler sees it.
	// "": 192.0.2.1:1234, as in net/http/httptest.
	RemoteAddr string
}

// RoundTrip implements http.RoundTripper. The response has a Date by time.Now,
// unless the handler sets one. The error is the cause of the context's end, or
// ErrAborted.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close() //nolint:errcheck // the caller's body: there is no one to tell
	}
	there := t.Latency / 2
	back := t.Latency - there
	if err := sleep(req.Context(), there); err != nil {
		return nil, err
	}
	resp, err := t.serve(req)
	if err != nil {
		return nil, err
	}
	if err := sleep(req.Context(), back); err != nil {
		return nil, err
	}
	return resp, nil
}

func (t *Transport) serve(req *http.Request) (resp *http.Response, err error) {
	ctx, cancel := context.WithCancel(context.Background()) // a server sees nothing of its clients' context but its end
	defer cancel()
	defer context.AfterFunc(req.Context(), cancel)()
	defer func() {
		if v := recover(); v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
			resp, err = nil, ErrAborted
		} else if v != nil {
			panic(v)
		}
	}()

	rec := &recorder{httptest.NewRecorder()}
	t.handler().ServeHTTP(rec, t.received(ctx, req))
	return rec.response(req), nil
}

func (t *Transport) handler() http.Handler {
	if t.Handler == nil {
		return http.HandlerFunc(ok)
	}
	return t.Handler
}

// received returns req as a server would get it.
func (t *Transport) received(ctx context.Context, req *http.Request) *http.Request {
	r := req.Clone(ctx)
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.GetBody, r.Response, r.Cancel = nil, nil, nil //nolint:staticcheck // Cancel is deprecated, but copied by Clone
	r.RequestURI = r.URL.RequestURI()
	r.URL.Scheme, r.URL.Host, r.URL.User, r.URL.Fragment = "", "", nil, ""
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.RemoteAddr = t.RemoteAddr
	if r.RemoteAddr == "" {
		r.RemoteAddr = "192.0.2.1:1234"
	}
	return r
}

// A recorder is an httptest.ResponseRecorder that does not take an
// informational response for the final one.
type recorder struct{ *httptest.ResponseRecorder }

func (r *recorder) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		r.ResponseRecorder.WriteHeader(status)
	}
}

// response returns what a client receives for req.
func (r *recorder) response(req *http.Request) *http.Response {
	bodiless := req.Method == http.MethodHead || r.Code < 200 || r.Code == http.StatusNoContent || r.Code == http.StatusNotModified
	resp := r.Result()
	resp.Request = req
	if resp.Header.Get("Date") == "" {
		resp.Header.Set("Date", clock().UTC().Format(http.TimeFormat))
	}
	if bodiless {
		resp.Body = http.NoBody
	} else if resp.Header.Get("Content-Length") == "" && len(resp.Trailer) == 0 {
		resp.ContentLength = int64(r.Body.Len())
	}
	return resp
}
