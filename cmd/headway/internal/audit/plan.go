package audit

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/clock"
)

// A Plan says which requests an audit may send.
type Plan struct {
	Requests int           // at most so many
	Rate     float64       // at most so many a second
	MaxWait  time.Duration // no wait is longer
	Cost     int64         // units that a request uses, at least 1
	IsSafe   bool          // the method is safe, so a missing path may be asked for
	Beyond   bool          // a request may go that the server has said it would refuse, until it refuses one

	// Send sends a request, perhaps with further fields, and reads the head of its response.
	Send func(Kind, http.Header) (*Exchange, error)
}

// mostWaits bounds the waits for units to come back.
const mostWaits = 2

// A run is an audit under way.
type run struct {
	*Plan
	all        []*Exchange
	notes      []string
	wasServed  bool
	wasRefused bool
	waits      int
}

// Run sends the requests. An error ends the audit, and is returned with what was seen until then.
func (p *Plan) Run() (all []*Exchange, notes []string, err error) {
	r := &run{Plan: p}
	kind, wait, goesOn := Plain, time.Duration(0), true
	for goesOn && len(r.all) < r.Requests {
		if wait > 0 {
			<-clock.NewTimer(wait).C
		}
		var fields http.Header
		if kind == Conditional {
			fields = r.conditions()
		}
		x, err := r.Send(kind, fields)
		if err != nil {
			return r.all, r.notes, fmt.Errorf("request %d: %w", len(r.all)+1, err)
		}
		x.read(r.wasServed)
		r.all = append(r.all, x)
		r.wasServed = r.wasServed || x.Kind == Plain && x.isServed
		kind, wait, goesOn = r.next(x)
	}
	return r.all, r.notes, nil
}

// next says what the next request is, and how long after the last response it goes.
func (r *run) next(last *Exchange) (kind Kind, wait time.Duration, goesOn bool) {
	used := last.scarce(r.Cost)
	switch {
	case last.Refused && r.wasRefused:
		return r.stop("the server refused the request after the wait, too")
	case r.wasRefused:
		return "", 0, false
	case last.Refused:
		r.wasRefused = true
		return r.after(comeBack(last, r.Cost))
	case last.Reading.RetryAfter > 0:
		return r.after(last.Reading.RetryAfter)
	case used == nil:
		return r.ordinary(last)
	case r.Beyond && len(r.all)+2 <= r.Requests: // one more, and the one after its wait
		return Plain, r.gap(last), true
	}
	return r.after(used.Reset)
}

// ordinary is next if nothing stands against a request.
func (r *run) ordinary(last *Exchange) (kind Kind, wait time.Duration, goesOn bool) {
	reset := last.soonest()
	switch {
	case len(r.all) == 1 && len(r.conditions()) > 0:
		return Conditional, r.gap(last), true
	case len(r.all) == 2 && r.IsSafe:
		return Missing, r.gap(last), true
	case len(r.all) == r.Requests-1 && r.waits == 0 && reset > 0 && reset <= r.MaxWait:
		return r.after(reset)
	}
	return Plain, r.gap(last), true
}

// after waits from the receipt of the last response, if that is not too long.
func (r *run) after(wait time.Duration) (Kind, time.Duration, bool) {
	switch {
	case wait < 0:
		return r.stop("the audit ended early: nothing is left, and nothing says when to come back")
	case wait > r.MaxWait:
		return r.stop(fmt.Sprintf("the audit ended early: the server asks to wait %v, which is longer than -max-wait", short(wait)))
	case r.waits == mostWaits:
		return "", 0, false
	}
	r.waits++
	return Plain, max(wait, r.gap(r.all[len(r.all)-1])), true
}

func (r *run) stop(why string) (Kind, time.Duration, bool) {
	r.notes = append(r.notes, why)
	return "", 0, false
}

// gap returns how long after the last response the next request may go.
func (r *run) gap(last *Exchange) time.Duration {
	return time.Duration(float64(time.Second)/r.Rate) - last.Received.Sub(last.Sent)
}

// conditions returns the fields of a conditional request, by the first response.
func (r *run) conditions() http.Header {
	h := http.Header{}
	for from, to := range map[string]string{"Etag": "If-None-Match", "Last-Modified": "If-Modified-Since"} {
		if value := r.all[0].Response.Header.Get(from); value != "" && r.IsSafe && r.all[0].isServed {
			h.Set(to, value)
		}
	}
	return h
}

// comeBack returns how long a refusal asks to wait; negative if it does not say.
func comeBack(x *Exchange, cost int64) time.Duration {
	if x.Reading.RetryAfter >= 0 {
		return x.Reading.RetryAfter
	}
	if l := x.scarce(cost); l != nil {
		return l.Reset
	}
	return x.soonest()
}
