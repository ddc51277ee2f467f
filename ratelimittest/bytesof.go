package ratelimittest

import (
	"bytes"
	"io"
	"net/http"
)

// BytesOf tells the length of a request's content in bytes (RFC 9110 §6.4), for
// a quota of the unit UnitContentBytes (draft-ietf-httpapi-ratelimit-headers-10
// §3.1.2):
//
//	h := ratelimittest.NewHandler(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
//		Name: "bytes", Quota: 65535, Window: 10 * time.Second, Unit: ratelimittest.UnitContentBytes,
//	}}, ratelimittest.Draft10)
//	h.Cost = ratelimittest.BytesOf
//
// It is the Content-Length where there is one, and 0 without content, so that a
// GET is free. Content of unknown length is read, so that it can be counted
// before it is served, and kept in memory for the handler, which reads it, and
// the error that may end it, as if nothing had happened. A client that sends the
// end of its content after the beginning of the response waits for ever.
//
// The draft counts the bytes that the server processes and does not say whether
// a response's are among them. Here they are not: the decision is made before
// there is a response, and a client can know what it sends, not what it will get.
//
// For limits on requests and on bytes, one Handler is the Next of the other. Each
// has a Log, and one has the requests that the other one refuses as allowed.
func BytesOf(r *http.Request) int64 {
	if r.ContentLength > 0 || r.Body == nil || r.Body == http.NoBody {
		return max(r.ContentLength, 0)
	}
	// Not known: -1, or the 0 of a request that a test has made by hand.
	content, _ := io.ReadAll(r.Body) // the handler gets the error when it reads on
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(content), r.Body), r.Body}
	return int64(len(content))
}
