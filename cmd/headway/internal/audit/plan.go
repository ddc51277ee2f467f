package audit

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A Plan says which requests an audit may send.
type Plan struct {
	Requests int           // at most so many
	Rate     float64       // at most so many a second
	MaxWait  time.Duration // no wait is longer
	Cost     int64         // units that a request uses; 1 if it is 0
	IsSafe   bool          // the method is safe, so a missing path may be asked for

	// Beyond is asked once before a request goes that the server has said it would refuse.
	Beyond func(why string) bool
	// Send sends a request and reads the head of its response. conditions are fields for it.
	Send func(ctx context.Context, kind Kind, conditions http.Header) (*Exchange, error)
}

// mostWaits bounds the waits for units to come back.
const mostWaits = 2

// A run is an audit under way.
type run struct {
	*Plan
	all         []*Exchange
	notes       []string
	wasServed   bool
	wasRefused  bool
	isBeyond    bool // the user has agreed
	wasAsked    bool
	waits       int
	conditional bool // such a request was sent
	missing     bool
}

// Run sends the requests. The error is that of the first request; that of a later one ends the audit, and is returned
// with what was seen until then.
func (p *Plan) Run(ctx context.Context) (all []*Exchange, notes []string, err error) {
	r := &run{Plan: p}
	r.Cost = max(r.Cost, 1)
	for len(r.all) < r.Requests {
		kind, wait, goesOn := r.next()
		if !goesOn {
			break
		}
		pause(ctx, wait)
		x, err := r.Send(ctx, kind, r.conditions(kind))
		if err != nil {
			return r.all, r.notes, fmt.Errorf("request %d: %w", len(r.all)+1, err)
		}
		r.add(x)
	}
	return r.all, r.notes, nil
}

func (r *run) add(x *Exchange) {
	x.read(r.wasServed)
	r.all = append(r.all, x)
	r.wasServed = r.wasServed || x.Kind == Plain && x.isServed
	r.conditional = r.conditional || x.Kind == Conditional
	r.missing = r.missing || x.Kind == Missing
}

// next says what the next request is, and how long after the last response it goes.
func (r *run) next() (kind Kind, wait time.Duration, goesOn bool) {
	if len(r.all) == 0 {
		return Plain, 0, true
	}
	last := r.all[len(r.all)-1]
	switch {
	case last.refused && r.wasRefused:
		return r.stop("the server refused the request after the wait, too")
	case r.wasRefused:
		return "", 0, false
	case last.refused:
		r.wasRefused = true
		return r.after(comeBack(last, r.Cost), "and nothing says when to come back")
	case last.reading.RetryAfter > 0:
		return r.after(last.reading.RetryAfter, "")
	}
	if l := scarce(last, r.Cost); l != nil {
		if len(r.all)+2 <= r.Requests && r.mayGoBeyond(l) {
			return Plain, r.gap(last), true
		}
		return r.after(l.Reset, "and nothing says when more is available")
	}
	return r.ordinary(last)
}

// ordinary is next if nothing stands against a request.
func (r *run) ordinary(last *Exchange) (kind Kind, wait time.Duration, goesOn bool) {
	switch {
	case !r.conditional && len(r.conditions(Conditional)) > 0:
		return Conditional, r.gap(last), true
	case !r.missing && r.IsSafe && len(r.all) > 1:
		return Missing, r.gap(last), true
	}
	if reset := soonest(last); len(r.all) == r.Requests-1 && r.waits == 0 && reset > 0 && reset <= r.MaxWait {
		return r.after(reset, "")
	}
	return Plain, r.gap(last), true
}

// after waits from the receipt of the last response, if that is not too long.
func (r *run) after(wait time.Duration, unknown string) (Kind, time.Duration, bool) {
	switch {
	case wait < 0:
		return r.stop("the audit ended early: nothing is left, " + unknown)
	case wait > r.MaxWait:
		return r.stop(fmt.Sprintf("the audit ended early: the server asks to wait %v, which is longer than -max-wait", short(wait)))
	case r.waits == mostWaits:
		return "", 0, false
	}
	r.waits++
	last := r.all[len(r.all)-1]
	return Plain, max(wait, r.gap(last)), true
}

func (r *run) stop(why string) (Kind, time.Duration, bool) {
	r.notes = append(r.notes, why)
	return "", 0, false
}

// gap returns how long after the last response the next request may go.
func (r *run) gap(last *Exchange) time.Duration {
	return time.Duration(float64(time.Second)/r.Rate) - last.Received.Sub(last.Sent)
}

// mayGoBeyond asks the user, once.
func (r *run) mayGoBeyond(l *limits.Reported) bool {
	if !r.wasAsked && r.Beyond != nil {
		r.wasAsked = true
		r.isBeyond = r.Beyond(fmt.Sprintf("the limit %s has %d left", nameOf(l), l.Remaining))
	}
	return r.isBeyond
}

// conditions returns fields of a conditional request, by the first response.
func (r *run) conditions(kind Kind) http.Header {
	if kind != Conditional || !r.IsSafe || !r.all[0].isServed {
		return nil
	}
	h := http.Header{}
	for from, to := range map[string]string{"Etag": "If-None-Match", "Last-Modified": "If-Modified-Since"} {
		if value := r.all[0].Response.Header.Get(from); value != "" {
			h.Set(to, value)
		}
	}
	return h
}

// scarce returns the limit that has no room for another request and comes back last; nil if all have.
func scarce(x *Exchange, cost int64) (found *limits.Reported) {
	for i := range x.reading.Limits {
		l := &x.reading.Limits[i]
		if isShort(l, x.used(l, cost)) && (found == nil || l.Reset > found.Reset) {
			found = l
		}
	}
	return found
}

// isShort reports whether a limit has no room for a request.
func isShort(l *limits.Reported, cost int64) bool {
	return l.Remaining != validate.Unknown && l.Remaining < cost && l.Unit != limits.ConcurrentRequests
}

// comeBack returns how long a refusal asks to wait; negative if it does not say.
func comeBack(x *Exchange, cost int64) time.Duration {
	if x.reading.RetryAfter >= 0 {
		return x.reading.RetryAfter
	}
	if l := scarce(x, cost); l != nil {
		return l.Reset
	}
	return soonest(x)
}

// soonest returns the shortest time to a reset; Unknown if none was told.
func soonest(x *Exchange) time.Duration {
	reset := time.Duration(validate.Unknown)
	for _, l := range x.reading.Limits {
		if l.Reset >= 0 && (reset < 0 || l.Reset < reset) {
			reset = l.Reset
		}
	}
	return reset
}

// pause waits, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := clock.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
