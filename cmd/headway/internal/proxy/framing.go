package proxy

import "net/http"

// hasDoubtfulEnd reports whether a proxy in front of this one may have found the end of the request somewhere else. It may have
// a Content-Length beside its Transfer-Encoding, or a Transfer-Encoding in HTTP/1.0, which has none. net/http goes by the right
// one and removes the other, so nobody can see here whether both were there. RFC 9112 §6.1 asks to close the connection behind
// such a request. Otherwise what follows could be a request that was smuggled past that proxy.
func hasDoubtfulEnd(r *http.Request) bool {
	return len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1)
}

// disguises are fields that CGI and its like take for Content-Length and Transfer-Encoding.
var disguises = [...]string{"Content_length", "Transfer_encoding"} //nolint:gochecknoglobals // it does not change
