// Package replay tells of a response whether it is a refusal, whether its request may go
// again, and with which body; and makes of a refused response what can still be handed
// back while its request waits.
package replay

import "net/http"

// Again returns the request to send in place of req, which was sent and
// throttled with that status: with a new Body if it has one. It is nil if req
// must not or cannot be sent again. req is not written to.
func Again(req *http.Request, status int) *http.Request {
	if !MayRepeat(req, status) {
		return nil
	}
	if req.Body == nil || req.Body == http.NoBody {
		return req
	}
	if req.GetBody == nil {
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

// MayRepeat reports whether it does no harm to send a request again that was throttled
// with that status, whatever becomes of its Body.
func MayRepeat(req *http.Request, status int) bool { return !IsOverload(status) || idempotent(req) }

// IsOverload reports whether a refusal of that status may come after the work was done: a
// 503 or 529 does, a 429 does not.
func IsOverload(status int) bool { return status >= http.StatusInternalServerError }

// idempotent reports whether it does no harm to process a request twice (RFC
// 9110 §9.2.2). The fields count as in net/http: with any value.
func idempotent(req *http.Request) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	_, key := req.Header["Idempotency-Key"]
	_, xKey := req.Header["X-Idempotency-Key"]
	return key || xKey
}

// BodyFollows reports whether a body is still to be read when a response's
// header is in. The body of a 101 is the connection itself, which belongs to
// another protocol from now on.
func BodyFollows(req *http.Request, resp *http.Response) bool {
	return resp.Body != nil && resp.Body != http.NoBody &&
		req.Method != http.MethodHead && resp.StatusCode != http.StatusSwitchingProtocols
}
