package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/measure/internal/loopback"
)

// A client sends the requests of one party.
type client struct {
	*soak
	*party
	url  string
	http *http.Client
}

// newClient gives the party's Transport connections of its own.
func (s *soak) newClient(p *party, config *tls.Config) *client {
	p.transport.Base = &border{&s.theirs, &http.Transport{
		MaxIdleConnsPerHost: 64, TLSClientConfig: config.Clone(), ForceAttemptHTTP2: p.http2,
		DialContext: s.dialed.dial,
	}}
	c := &client{soak: s, party: p, http: &http.Client{Transport: &p.transport}}
	scheme := "http"
	if p.http2 {
		scheme = "https"
	}
	c.url = scheme + "://" + s.serverOf(p).addr + "/" + p.name + "/things"
	return c
}

// work sends one request after the other until no more are to be made.
func (c *client) work(requests, period context.Context) {
	for period.Err() == nil {
		o := c.call(requests)
		pause := time.Duration(rand.Int64N(int64(c.pause)))
		if o == refused {
			pause += 50 * time.Millisecond
		}
		loopback.Sleep(period, pause)
	}
}

// call sends one request and keeps the books.
func (c *client) call(requests context.Context) outcome {
	c.gate.RLock()
	defer c.gate.RUnlock()
	p := planOf(c.seed, c.made.Add(1))
	c.ledger.call(&p, c.party)
	o, err := c.send(requests, &p)
	c.ledger.end(p.id, o, err, requests.Err() != nil)
	return o
}

// send makes a request as planned, and says what became of it.
func (c *client) send(ctx context.Context, p *plan) (outcome, error) {
	var cancel context.CancelFunc
	if p.deadline > 0 {
		ctx, cancel = context.WithTimeout(ctx, p.deadline)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	if p.cancel > 0 {
		defer time.AfterFunc(p.cancel, cancel).Stop()
	}
	req, err := c.request(ctx, p)
	if err != nil {
		return failed, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var limit *headway.LimitError
		switch {
		case errors.As(err, &limit):
			return refused, err
		case ctx.Err() != nil:
			return cancelled, err
		}
		return failed, err
	}
	defer func() { _ = resp.Body.Close() }() // all that matters has been read
	return c.outcome(ctx, p, resp)
}

// outcome reads the response.
func (c *client) outcome(ctx context.Context, p *plan, resp *http.Response) (outcome, error) {
	if _, ok := headway.Refused(resp); ok {
		return refused, nil
	}
	if major := resp.ProtoMajor; (major == 2) != c.http2 {
		c.ledger.violate("request %d was answered over HTTP/%d", p.id, major)
	}
	if p.leave && resp.StatusCode == http.StatusOK {
		return served, nil
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil && ctx.Err() != nil:
		return cancelled, err
	case err != nil:
		return cut, err
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		return throttled, nil
	case resp.StatusCode != http.StatusOK:
		return failed, fmt.Errorf("status %d", resp.StatusCode)
	}
	c.compare(p, body)
	return served, nil
}

// compare checks that a body is that of the request.
func (c *client) compare(p *plan, body []byte) {
	want := p.content(p.answer)
	if p.method == http.MethodHead {
		want = nil
	}
	if !bytes.Equal(body, want) {
		c.ledger.violate("request %d was answered with %d bytes, not with its own %d", p.id, len(body), len(want))
	}
}

func (c *client) request(ctx context.Context, p *plan) (*http.Request, error) {
	var body io.ReadCloser // nil, not a nil pointer
	if p.size > 0 {
		body = c.ours.open(p)
	}
	req, err := http.NewRequestWithContext(ctx, p.method, c.url+"/"+strconv.FormatUint(p.id%1000, 10), body)
	if err != nil {
		return nil, err
	}
	if p.size > 0 {
		if !p.chunked {
			req.ContentLength = int64(p.size)
		}
		if p.replayable {
			req.GetBody = func() (io.ReadCloser, error) { return c.ours.open(p), nil }
		}
	}
	if p.key {
		req.Header.Set("Idempotency-Key", strconv.FormatUint(p.id, 10))
	}
	user := uint64(time.Since(c.begun) / time.Second)
	if c.users > 0 {
		user = p.id % uint64(c.users)
	}
	req.Header.Set("Authorization", fmt.Sprintf("Bearer %s-%d", c.name, user))
	req.Header.Set(idHeader, strconv.FormatUint(p.id, 10))
	return req, nil
}
