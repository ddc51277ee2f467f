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
	patience   = 100 * time.Millisecond // with one of which not even headway knows when it may go
)

// errRehearsed is what the requests come to that are sent to be counted.
var errRehearsed = errors.New("not meant to be answered")

// A rehearsal finds out how headway paces requests after a response, from headway
// itself: a Transport that has had this response is asked for its State, and then sent
// requests to count how many it lets go at once.
type rehearsal struct {
	*stage
	exchange *exchange
	answers  int // requests that are going to be answered
	unspaced int // requests that were let go at once and not answered
	refused  *headway.LimitError
}

// An outcome is what a rehearsal has found.
type outcome struct {
	state   headway.PartitionState
	at      time.Time           // of the response
	atOnce  int                 // requests that may go unspaced; 0 if nothing limits them, too
	refused *headway.LimitError // why the next one may not go; nil if mostAtOnce may
}

// rehearse rehearses what follows an exchange. If that is recorded, no Transport knows of
// it yet.
func rehearse(x *exchange, now func() time.Time) outcome {
	r := &rehearsal{stage: x.stage, exchange: x}
	o := outcome{at: x.at}
	if r.stage == nil {
		r.stage, o.at = newStage(nil, now), now()
	}
	r.rehearsal = r
	if x.stage == nil {
		r.play()
	}
	o.state = r.state(x.request)
	if reading := x.reading(); !isLimited(&reading) {
		return o
	}
	// What an idle client may send at once is granted with the second response.
	r.play()
	o.atOnce, o.refused = r.count()
	return o
}

// play sends a request that the response answers, if the response before lets it.
func (r *rehearsal) play() {
	r.answers = 1
	r.send()
	r.answers = 0
}

// count sends requests until one is not let go at once.
func (r *rehearsal) count() (atOnce int, refused *headway.LimitError) {
	if r.refused != nil {
		return 0, r.refused
	}
	r.send()
	if r.refused != nil && r.refused.RetryAt.IsZero() { // all depends on when those in flight end
		return r.unspaced, r.refused
	}
	return min(r.unspaced+1, mostAtOnce), r.refused // the one that had the second response is one, too
}

func (r *rehearsal) send() {
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

// answer stands for the server. A request that is not answered has the next one sent while
// it is in flight, for a server may limit that, too.
func (r *rehearsal) answer(*http.Request) (*http.Response, error) {
	if r.answers > 0 {
		return r.exchange.response(), nil
	}
	if r.unspaced++; r.unspaced < mostAtOnce {
		r.send()
	}
	return nil, errRehearsed
}

// A noWait is the context of a request that goes at once or not at all: its deadline is
// now, though it ends later.
type noWait struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c noWait) Deadline() (time.Time, bool) { return c.deadline, true }
