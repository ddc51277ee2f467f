package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headway-go/headway"
)

const (
	mostAtOnce = 1000                   // requests that are tried
	patience   = 100 * time.Millisecond // ends a request for which not even headway knows when it may go
)

// errSimulated is the error of the requests that are sent only to be counted.
var errSimulated = errors.New("not meant to be answered")

// A simulation finds out how headway paces requests after a response. It gives the response to a Transport
// and asks for its State. Then it sends requests, to count how many go at once.
type simulation struct {
	*testbed
	exchange *exchange
	answers  int // requests that will get the response
	unspaced int // requests that went at once, without a response
	refused  *headway.LimitError
}

// An outcome is the result of a simulation.
type outcome struct {
	state   headway.PartitionState
	at      time.Time           // when the response was received
	atOnce  int                 // requests that may go unspaced; also 0 if there is no limit
	refused *headway.LimitError // why the next request may not go; nil if mostAtOnce requests may
}

// simulate simulates the requests after an exchange. For a recorded one it first gives the response to a new
// Transport.
func simulate(x *exchange, now func() time.Time) outcome {
	r := &simulation{testbed: x.testbed, exchange: x}
	o := outcome{at: x.at}
	if r.testbed == nil {
		r.testbed, o.at = newTestbed(nil, now), now()
	}
	r.simulation = r
	if x.testbed == nil {
		r.receive()
	}
	o.state = r.state(x.request)
	if reading := x.reading(); !isLimited(&reading) {
		return o
	}
	// The first response grants no burst, as a fresh client may not be alone. The second one does.
	r.receive()
	o.atOnce, o.refused = r.count()
	return o
}

// receive sends a request that gets the response, if the Transport lets it go at once.
func (r *simulation) receive() {
	r.answers = 1
	r.send()
	r.answers = 0
}

// count sends requests until one does not go at once.
func (r *simulation) count() (atOnce int, refused *headway.LimitError) {
	if r.refused != nil {
		return 0, r.refused
	}
	r.send()
	if r.refused != nil && r.refused.RetryAt.IsZero() { // the wait depends only on the requests in flight
		return r.unspaced, r.refused
	}
	return min(r.unspaced+1, mostAtOnce), r.refused // one more: the request that got the second response
}

func (r *simulation) send() {
	ctx, cancel := context.WithTimeout(r.exchange.request.Context(), patience)
	defer cancel()
	resp, err := r.transport.RoundTrip(r.exchange.request.WithContext(noWait{ctx, r.now()}))
	limit, isLimit := errors.AsType[*headway.LimitError](err)
	switch {
	case err == nil:
		_ = resp.Body.Close()
	case isLimit:
		r.refused = limit
	case errors.Is(err, context.DeadlineExceeded):
		r.refused = &headway.LimitError{}
	}
}

// answer stands for the server. A request without a response stays in flight while it starts the next one, as
// a limit may be on concurrent requests.
func (r *simulation) answer(*http.Request) (*http.Response, error) {
	if r.answers > 0 {
		return r.exchange.response(), nil
	}
	if r.unspaced++; r.unspaced < mostAtOnce {
		r.send()
	}
	return nil, errSimulated
}

// A noWait is the context of a request that goes at once or not at all. Its deadline is now, but it ends
// later.
type noWait struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c noWait) Deadline() (time.Time, bool) { return c.deadline, true }
