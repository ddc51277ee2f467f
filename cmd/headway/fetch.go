package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

const (
	maxHead  = 1 << 20         // bytes of a response's head
	bodyTime = 2 * time.Second // the longest wait for a body
)

// A fetcher sends requests through headway.
type fetcher struct {
	*options
	*testbed
	client *http.Client
}

func newFetcher(o *options, base http.RoundTripper, now func() time.Time) *fetcher {
	f := &fetcher{options: o, testbed: newTestbed(base, now)}
	f.client = &http.Client{Transport: f.transport, CheckRedirect: f.redirect}
	return f
}

// newBase returns a copy of http.DefaultTransport with a bound on the size of response heads.
func newBase() *http.Transport {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = maxHead
	return base
}

// fetch sends the requests and returns the exchange of the last one. The error is that of the first request.
func (f *fetcher) fetch(ctx context.Context) (*exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	last, err := f.once(ctx)
	if err != nil {
		return nil, err
	}
	begun := f.sent
	steps := []step{{0, last}}
	for len(steps) < f.requests {
		x, err := f.once(ctx)
		if err != nil {
			last.stopped(len(steps)+1, err)
			break
		}
		last = x
		steps = append(steps, step{f.sent.Sub(begun), last})
	}
	if f.requests > 1 {
		last.steps = steps
	}
	return last, nil
}

// once sends one request.
func (f *fetcher) once(ctx context.Context) (*exchange, error) {
	req, err := f.newRequest(ctx, f.url, "headway-inspect")
	if err != nil {
		return nil, f.reason(err)
	}
	resp, err := f.client.Do(req) //nolint:bodyclose // readBody closes it
	if err != nil {
		return nil, f.reason(err)
	}
	x := &exchange{
		request: resp.Request.WithContext(context.Background()), url: shownURL(resp.Request.URL),
		status: resp.StatusCode, proto: resp.Proto, header: resp.Header,
		at: f.received, testbed: f.testbed, earlier: redirects(resp),
	}
	x.date()
	x.body = readBody(ctx, resp, x.wantsBody())
	return x, nil
}

// newRequest returns the request that the command line describes.
func (o *options) newRequest(ctx context.Context, u *url.URL, agent string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, o.method, u.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header = o.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", agent)
	}
	return req, nil
}

// redirect removes the user's own fields from requests to other origins. net/http does so only with fields
// that it knows to be secret. redirect also removes the Referer that net/http adds, as it contains the
// previous URL's query. Like curl, headway sends only a Referer that the user sets.
func (f *fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if f.header.Get("Referer") == "" {
		req.Header.Del("Referer")
	}
	if u := via[0].URL; req.URL.Scheme != u.Scheme || req.URL.Host != u.Host {
		for name := range f.header {
			req.Header.Del(name)
		}
	}
	return nil
}

// redirects returns the responses that led to this one.
func redirects(resp *http.Response) (all []earlier) {
	for r := resp.Request.Response; r != nil; r = r.Request.Response {
		all = append(all, earlier{r.StatusCode, shownURL(r.Request.URL)})
	}
	slices.Reverse(all)
	return all
}

// shownURL returns the URL without the parts that may be secret.
func shownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// readBody returns the beginning of the body if it is wanted, and closes the body. A short body is read even
// if it is not wanted, so that the connection can be used again. readBody waits for bodyTime at most.
func readBody(ctx context.Context, resp *http.Response, wanted bool) []byte {
	ctx, cancel := context.WithTimeout(ctx, bodyTime)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = resp.Body.Close() })
	defer func() {
		stop()
		_ = resp.Body.Close()
	}()
	isShort := resp.ContentLength >= 0 && resp.ContentLength <= validate.MaxBody
	if !wanted && !isShort {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, validate.MaxBody)) // as much as has arrived
	if !wanted {
		return nil
	}
	return body
}

// stopped adds a note that says why the n-th request had no response.
func (x *exchange) stopped(n int, why error) {
	if limit, ok := errors.AsType[*headway.LimitError](why); ok {
		wait := ""
		if limit.Wait > 0 {
			wait = span(limit.Wait).String() + ", "
		}
		x.notes = append(x.notes, fmt.Sprintf("request %d was not sent: it would wait %slonger than -timeout allows; give a longer -timeout", n, wait))
		return
	}
	x.failed = true
	x.notes = append(x.notes, fmt.Sprintf("request %d failed: %v", n, why))
}

// reason returns why a request failed, without its URL or text from the server.
func (o *options) reason(err error) error {
	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
		return limit
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no response within %v", o.timeout)
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return errors.New("the response's head is malformed")
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return withoutValues(err)
}
