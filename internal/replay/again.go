// Package replay decides whether a refused request may be sent again, and with which body. It reads what headway needs of
// responses' bodies, and keeps a refused response while its request waits, so that the caller can still get it.
package replay

import "net/http"

// Again returns the request to send after req was throttled with that status. If req has a Body, the new request has a new
// one. Again returns nil if req must not or cannot be sent again. It does not change req.
func Again(req *http.Request, status int) *http.Request {
	switch {
	case !MayRepeat(req, status):
		return nil
	case req.Body == nil || req.Body == http.NoBody:
		return req
	case req.GetBody == nil:
		return nil
	}
	body, err := req.GetBody()
	if err != nil || body == nil {
		return nil
	}
	again := req.WithContext(req.Context()) // a shallow copy
	again.Body = body
	return again
}

// MayRepeat reports whether a request throttled with that status may be processed again without harm, whatever its Body.
func MayRepeat(req *http.Request, status int) bool { return !IsOverload(status) || idempotent(req) }

// IsOverload reports whether the server may have begun to process a request that it refused with that status: yes with a
// 503 or 529, no with a 429.
func IsOverload(status int) bool { return status >= http.StatusInternalServerError }

// idempotent reports whether processing the request twice does no harm (RFC 9110 §9.2.2). As in net/http, an
// Idempotency-Key counts with any value.
func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, xKey := req.Header["X-Idempotency-Key"]
	return key || xKey
}

// BodyFollows reports whether a response has a body that is still to be read. The connection on which another protocol
// follows does not count: the body of a 101, and that of a 2xx to CONNECT (RFC 9110 §9.3.6).
func BodyFollows(req *http.Request, resp *http.Response) bool {
	switch {
	case resp.Body == nil || resp.Body == http.NoBody || req.Method == http.MethodHead:
		return false
	case req.Method == http.MethodConnect:
		return resp.StatusCode < 200 || resp.StatusCode > 299
	}
	return resp.StatusCode != http.StatusSwitchingProtocols
}
