package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"time"

	"github.com/headway-go/headway/validate"
)

// mostHead bounds a response's head, in bytes.
const mostHead = 64 << 10

// An exchange is a request and the response to it, fetched or recorded.
type exchange struct {
	*http.Response // without its body; Request is set

	body           []byte    // its beginning, if headway reads it for limits
	sent, received time.Time // sent is zero if the response was recorded
}

// newBase returns a base that sends no request again, and bounds the size of a response's head. net/http sends a request again
// if a connection breaks that was used before, and over HTTP/2 as often as a server refuses the stream.
func newBase() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = mostHead
	base.DisableKeepAlives = true
	base.Protocols = new(http.Protocols)
	base.Protocols.SetHTTP1(true)
	return base
}

// fetch sends a request with the fields of the command line and others. It follows no redirect.
func (o *options) fetch(base http.RoundTripper, u *url.URL, others http.Header, now func() time.Time) (*exchange, error) {
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	req, err := o.newRequest(u, others)
	if err != nil {
		return nil, o.reason(err)
	}
	client := &http.Client{Transport: base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	x := &exchange{sent: now()}
	if x.Response, err = client.Do(req.WithContext(ctx)); err != nil { //nolint:bodyclose // readBody closes it
		return nil, o.reason(err)
	}
	x.received, x.Request = now(), req
	x.readBody()
	return x, nil
}

func (o *options) newRequest(u *url.URL, others http.Header) (*http.Request, error) {
	req, err := http.NewRequest(o.method, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "headway")
	for _, fields := range []http.Header{o.header, others} {
		maps.Copy(req.Header, fields)
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	return req, nil
}

// readBody reads as much of the body as arrives in time, if headway reads it for limits, and closes it.
func (x *exchange) readBody() {
	defer x.Body.Close() //nolint:errcheck // it was read as far as it is wanted
	if x.wantsBody() {
		x.body, _ = io.ReadAll(io.LimitReader(x.Body, validate.MaxBody))
	}
}

func (x *exchange) wantsBody() bool {
	r := validate.Response(x.Response, x.received, validate.Bounds{})
	return r.WantsBody && x.Header.Get("Content-Encoding") == ""
}

// shownURL returns the URL without the parts that may be secret.
func shownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// reason returns why a request failed, without its URL or text from the server.
func (o *options) reason(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no response within %v", o.timeout)
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return errors.New("the response's head is malformed")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return errors.New(withoutQuotes(err.Error()))
}
