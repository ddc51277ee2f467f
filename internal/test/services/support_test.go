package services

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// refusingOnce returns a response to the first request, and 200 to all others.
func refusingOnce(status int, header http.Header, body string) *kit.Server {
	return &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
		if n > 0 {
			return answer(http.StatusOK, nil, "done")
		}
		return answer(status, header, body)
	}}
}

// answer returns a response without an announced length.
func answer(status int, header http.Header, body string) *http.Response {
	resp := kit.Reply(status, header)
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(body)), -1
	return resp
}

// A sending is a request and its result.
type sending struct {
	method, url, body string
	header            http.Header

	status int
	text   string // of the response
	took   time.Duration
}

// through sends the request through rt and reads the body to its end.
func (x *sending) through(ctx context.Context, rt http.RoundTripper) error {
	req, err := http.NewRequestWithContext(ctx, x.method, x.url, strings.NewReader(x.body))
	if err != nil {
		return err
	}
	if x.body == "" {
		req.Body, req.GetBody = nil, nil
	}
	maps.Copy(req.Header, x.header)
	begun := time.Now()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	x.status, x.took = resp.StatusCode, time.Since(begun)
	text, err := io.ReadAll(resp.Body)
	x.text = string(text)
	return errors.Join(err, resp.Body.Close())
}

// requireText checks a body byte for byte. It does not print long bodies.
func requireText(t *testing.T, want, got string) {
	t.Helper()
	if got != want {
		t.Fatalf("a body of %d bytes, which are not the %d that were sent", len(got), len(want))
	}
}

// run makes the requests of a scenario through a Transport.
func run(t *testing.T, transport *headway.Transport, s ratelimittest.Scenario) ratelimittest.Figures {
	t.Helper()
	s.NewClient = func(base http.RoundTripper) *http.Client {
		transport.Base = base
		return &http.Client{Transport: kit.Seeded(t, transport)}
	}
	return ratelimittest.Run(t, s)
}
