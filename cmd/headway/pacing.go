package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// manyRequests is the number of requests whose time is forecast.
const manyRequests = 1000

// A pacing says how headway paces requests after a response.
type pacing struct {
	Limited bool       `json:"limited"` // the response has anything that limits requests
	Wait    span       `json:"wait"`    // the least time until the next request may go
	Until   *time.Time `json:"until"`   // the end of Wait; nil if the next request may go now
	Policy  string     `json:"policy"`  // for which the next request waits; "" if none has a name
	Rate    rate       `json:"rate"`    // requests per second, now
	Many    span       `json:"many"`    // how long manyRequests would take, if nobody has to wait now; unknown if no limit says so
}

// A repeater answers each request with the same response.
type repeater struct{ *exchange }

func (r repeater) RoundTrip(*http.Request) (*http.Response, error) { return r.response(), nil }

// pacing gives the response to a Transport, and asks that when the next request could go.
func (x *exchange) pacing(reading *validate.Reading) pacing {
	p := pacing{Limited: len(reading.Limits) > 0 || reading.Verdict.IsRefusal(), Many: -1}
	if !p.Limited {
		return p
	}
	t := &headway.Transport{Base: repeater{x}, MaxRetries: -1, Jitter: -1}
	if resp, err := t.RoundTrip(x.Request); err == nil {
		_ = resp.Body.Close()
	}
	state, next := t.State()[0], t.Forecast(x.Request, 1)
	p.Rate = rate(state.Pace)
	end, policy := firstAfterHold(&state, &next)
	if p.Wait = span(end.Sub(next.At).Round(time.Millisecond)); p.Wait > 0 {
		until := x.received.Add(time.Duration(p.Wait)).UTC()
		p.Until, p.Policy = &until, policy
	} else if many := t.Forecast(x.Request, manyRequests); p.Rate > 0 && !many.Last.IsZero() {
		p.Many = span(many.Last.Sub(many.At).Round(time.Millisecond))
	}
	return p
}

// firstAfterHold returns when the next request may go, without the random delay by which a Transport spreads clients after
// a hold, and because of which policy.
func firstAfterHold(state *headway.PartitionState, next *headway.Forecast) (end time.Time, policy string) {
	take := func(t time.Time, of string) {
		if t.After(next.At) && !t.After(next.First) && !t.Before(end) {
			end, policy = t, of
		}
	}
	take(state.HeldUntil, "")
	for i := range state.Limits {
		if l := &state.Limits[i]; l.Policy == next.Policy {
			take(l.HeldUntil, l.Policy)
			take(l.LatestEnd, l.Policy)
		}
	}
	if end.IsZero() {
		return next.First, next.Policy
	}
	return end, policy
}
