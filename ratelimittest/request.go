package ratelimittest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

var (
	errNoURL  = errors.New("ratelimittest: a request with a nil URL")
	errNoHost = errors.New("ratelimittest: no Host in the request URL")
	errBadURI = errors.New("ratelimittest: an invalid request URI")
	errNoBody = errors.New("ratelimittest: a request with a ContentLength but no Body")
)

// asReceived returns req as the server receives it, or an error if a client cannot send it. The returned
// request still has the client's Body, which begin replaces.
func (t *Transport) asReceived(req *http.Request) (*http.Request, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	r := req.Clone(req.Context())
	r.Method = cmp.Or(r.Method, http.MethodGet)
	r.Header, _ = asSent(req.Header) // no error: the header has been checked
	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"} {
		r.Header.Del(name) // net/http takes these from fields of the Request
	}
	r.Host = cmp.Or(r.Host, r.URL.Host)
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		r.Body, r.ContentLength = http.NoBody, 0
	case r.ContentLength == 0:
		r.ContentLength = -1 // not known: that is what 0 with a Body means in a client's request
	}
	r.TransferEncoding = nil
	if r.ContentLength < 0 {
		r.TransferEncoding = []string{"chunked"}
	}
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.RemoteAddr = cmp.Or(t.RemoteAddr, "192.0.2.1:1234")
	// Fields that a server does not get, or fills in itself.
	r.GetBody, r.Response, r.Cancel = nil, nil, nil //nolint:staticcheck // Cancel is deprecated, but copied by Clone
	r.Trailer, r.Form, r.PostForm, r.MultipartForm = nil, nil, nil, nil
	return r, setTarget(r)
}

// checkRequest returns an error for a request that an http.Transport refuses to send.
func checkRequest(req *http.Request) error {
	if req.URL == nil {
		return errNoURL
	}
	if err := checkFields(req.Header); err != nil {
		return err
	}
	switch {
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return fmt.Errorf("ratelimittest: unsupported protocol scheme %q", req.URL.Scheme)
	case strings.ContainsFunc(req.Method, isNoTokenChar):
		return fmt.Errorf("ratelimittest: invalid method %q", req.Method)
	case req.URL.Host == "":
		return errNoHost
	case req.Body == nil && req.ContentLength != 0:
		return errNoBody
	}
	return nil
}

// setTarget fills in what a server reads from the request line (RFC 9112 §3.2).
func setTarget(r *http.Request) (err error) {
	r.RequestURI = r.URL.RequestURI()
	if r.Method == http.MethodConnect && r.URL.Path == "" {
		r.RequestURI = cmp.Or(r.URL.Opaque, r.Host)
	}
	if hasControlChar(r.RequestURI) {
		return errBadURI
	}
	tunnel := r.Method == http.MethodConnect && !strings.HasPrefix(r.RequestURI, "/")
	if tunnel {
		r.URL, err = url.ParseRequestURI("http://" + r.RequestURI)
	} else {
		r.URL, err = url.ParseRequestURI(r.RequestURI)
	}
	if err != nil {
		return errBadURI // without err, which contains the URI
	}
	if tunnel {
		r.URL.Scheme = ""
	}
	r.Host = cmp.Or(r.URL.Host, r.Host)
	return nil
}
