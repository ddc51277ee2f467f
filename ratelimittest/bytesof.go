package ratelimittest

import (
	"bytes"
	"io"
	"net/http"
)

// BytesOf is a Handler.Cost that returns the length of a request's content in bytes (RFC 9110 §6.4). It
// serves for a quota in UnitContentBytes (draft-ietf-httpapi-ratelimit-headers-10 §3.1.2):
//
//	h := ratelimittest.NewHandler(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
//		Name: "bytes", Quota: 65535, Window: 10 * time.Second, Unit: ratelimittest.UnitContentBytes,
//	}}, ratelimittest.Draft10)
//	h.Cost = ratelimittest.BytesOf
//
// The cost is the Content-Length if the request has one. A request without content, such as a GET, costs 0.
//
// BytesOf reads content of unknown length to its end before the request is served. The content is kept in
// memory, and the handler then reads the same bytes and the same error. So a client hangs for ever if it
// waits for the beginning of the response before it sends the end of its content.
//
// The draft counts the bytes that the server processes, and does not say whether the response counts too.
// BytesOf leaves the response out. The decision is made before there is a response, and a client knows only
// the size of what it sends.
//
// To limit both requests and bytes, make one Handler the Next of another. Each Handler has its own Log. The
// Log of the outer Handler shows a request as allowed even if the inner Handler refuses it.
func BytesOf(r *http.Request) int64 {
	if r.ContentLength > 0 || r.Body == nil || r.Body == http.NoBody {
		return max(r.ContentLength, 0)
	}
	// The length is unknown: -1, or 0 in a request that a test made by hand.
	content, _ := io.ReadAll(r.Body) // the handler reads the error after the content
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(content), r.Body), r.Body}
	return int64(len(content))
}
