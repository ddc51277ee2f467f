package memhttp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// RoundTrip sends req to h, and returns the response once its header has arrived. The first half of latency passes before
// h sees the request, the second half between sending and receiving each part of the response; 0 or negative: none.
// remoteAddr is the client's address as h sees it; "": 192.0.2.1:1234.
func RoundTrip(req *http.Request, h http.Handler, latency time.Duration, remoteAddr string) (*http.Response, error) {
	there := max(latency, 0) / 2
	r, err := asReceived(req, remoteAddr)
	if err == nil {
		err = Sleep(req.Context(), there)
	}
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // nobody would handle the error
		}
		return nil, err
	}
	x := begin(req, r, h, latency-there)
	resp, err := x.response(req)
	if err != nil {
		x.hangUp()
		return nil, err
	}
	return resp, nil
}

var errNoHost = errors.New("ratelimittest: no host in the request's URL")

// asReceived returns req as the server receives it. The returned request still has the client's Body.
func asReceived(req *http.Request, remoteAddr string) (*http.Request, error) {
	if req.URL == nil || req.URL.Host == "" {
		return nil, errNoHost
	}
	r := req.Clone(req.Context())
	r.Method = cmp.Or(r.Method, http.MethodGet)
	r.Host = cmp.Or(r.Host, r.URL.Host)
	r.RequestURI = r.URL.RequestURI()
	r.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.RemoteAddr = cmp.Or(remoteAddr, "192.0.2.1:1234")
	r.TransferEncoding, r.Trailer, r.GetBody = nil, nil, nil
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		r.Body, r.ContentLength = http.NoBody, 0
	case r.ContentLength <= 0:
		r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	}
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	for name := range r.Header {
		if strings.EqualFold(name, "Host") || strings.EqualFold(name, "Content-Length") {
			delete(r.Header, name) // net/http takes these from fields of the Request
		}
	}
	return r, nil
}

// begin starts the handler on a new goroutine. received is req as the handler gets it.
func begin(req, received *http.Request, h http.Handler, back time.Duration) *exchange {
	ctx, cancel := context.WithCancel(context.Background()) // a server sees only the end of its client's context
	x := &exchange{wire: wire{delay: back, changed: make(chan struct{}, 1)}, cancel: cancel, upload: upload{body: req.Body}}
	x.cancelHangUp = context.AfterFunc(req.Context(), x.hangUp)
	r := received.WithContext(ctx)
	if r.Body != http.NoBody {
		r.Body = &x.upload
	}
	go x.serve(h, r)
	return x
}
