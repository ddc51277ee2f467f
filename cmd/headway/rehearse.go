package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/parse"
)

// mostAtOnce is how many requests at once are tried.
const mostAtOnce = 1000

// errRehearsed is what the requests come to that are sent to be counted.
var errRehearsed = errors.New("not meant to be answered")

// A rehearsal finds out how headway paces requests after a response, from headway
// itself: a Transport is given that response, then it is asked for its State, and then
// sent requests to count how many it lets go at once.
type rehearsal struct {
	transport *headway.Transport
	request   *http.Request
	exchange  *exchange
	answers   int // requests that are going to be answered
	unspaced  int // requests that were let go at once and not answered
	refused   *headway.LimitError
}

// An outcome is what a rehearsal has found.
type outcome struct {
	state   headway.PartitionState
	at      time.Time           // of the response
	atOnce  int                 // requests that an idle client may send unspaced
	refused *headway.LimitError // why the next one may not go; nil if mostAtOnce may
}

func rehearse(x *exchange, now func() time.Time) (o outcome, err error) {
	r := &rehearsal{exchange: x}
	if r.request, err = x.request(); err != nil {
		return o, err
	}
	r.transport = &headway.Transport{
		Base:       r,
		Cost:       oneUnit,
		Jitter:     -1,
		MaxWait:    1, // a nanosecond: who may not go at once is refused, and told how long it would take
		MaxRetries: -1,
	}
	o.at = now()
	r.answered()
	for _, o.state = range r.transport.State() { // there is one partition
	}
	// Half of what an idle client may send at once is granted with the second response.
	r.answered()
	o.atOnce = r.count()
	o.refused = r.refused
	return o, nil
}

// oneUnit has each request use one unit of every quota, as what requests use of tokens
// and the like is learned from many answers.
func oneUnit(_ *http.Request, unit parse.Unit) int64 {
	if unit == parse.ContentBytes {
		return -1 // as many as it has
	}
	return 1
}

// answered sends a request that the response answers, if the response before lets it.
func (r *rehearsal) answered() {
	r.answers = 1
	r.send()
}

// count sends requests until one is not let go at once.
func (r *rehearsal) count() int {
	if r.refused != nil {
		return 0
	}
	r.answers = 0
	r.send()
	if r.refused != nil && r.refused.RetryAt.IsZero() {
		return r.unspaced // all depends on when those in flight end
	}
	return min(r.unspaced+1, mostAtOnce) // the one that had the second response is one, too
}

func (r *rehearsal) send() {
	resp, err := r.transport.RoundTrip(r.request)
	if err == nil {
		_ = resp.Body.Close()
		return
	}
	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
		r.refused = limit
	}
}

// RoundTrip implements http.RoundTripper. A request that is not answered has the next one
// sent while it is in flight, for a server may limit that, too.
func (r *rehearsal) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.answers > 0 {
		r.answers--
		return r.exchange.response(req), nil
	}
	if r.unspaced++; r.unspaced < mostAtOnce {
		r.send()
	}
	return nil, errRehearsed
}
