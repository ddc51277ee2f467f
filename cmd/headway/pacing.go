package main

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A pacing says how headway paces requests after a response.
type pacing struct {
	Limited  bool       `json:"limited"`  // the response has anything that limits requests
	Wait     span       `json:"wait"`     // the least time until the next request may go
	Until    *time.Time `json:"until"`    // the end of Wait; nil if the next request may go now
	Policy   string     `json:"policy"`   // for which the next request waits, or will be the first to wait; "" if none has a name
	AtOnce   count      `json:"at_once"`  // requests that an idle client may send unspaced; unknown if nothing bounds them
	IsBound  bool       `json:"or_more"`  // AtOnce is as many as were tried
	Rate     rate       `json:"rate"`     // requests per second, now
	Interval span       `json:"interval"` // between two requests
	Thousand span       `json:"thousand"` // that 1,000 requests would take; roughly; unknown if no limit is known, or it is less than a second
}

// pacing sums up the results of a simulation. at is when the response was received.
func (o *outcome) pacing(reading *validate.Reading, at time.Time) pacing {
	p := pacing{
		Limited:  isLimited(reading),
		AtOnce:   count(unknown),
		Rate:     o.requestRate(),
		Interval: unknown, Thousand: unknown,
	}
	if !p.Limited {
		return p
	}
	if d := roughly(o.state.Thousand); d > 0 {
		p.Thousand = span(d)
	}
	p.Interval = p.Rate.interval()
	if o.refused != nil {
		p.Policy = o.refused.Policy
	}
	if o.atOnce == 0 {
		p.Wait = o.wait()
		if !o.isDueTo(p.Policy, p.Wait) {
			p.Policy = ""
		}
	}
	if p.Wait > 0 {
		until := at.Add(time.Duration(p.Wait)).UTC()
		p.Until = &until
	}
	if p.Rate > 0 || o.atOnce == 0 || o.isFull(reading.Limits) {
		p.AtOnce, p.IsBound = count(o.atOnce), o.atOnce >= mostAtOnce
	}
	return p
}

// roughly rounds an estimate: up to a minute, or to seconds if it is short.
func roughly(d time.Duration) time.Duration {
	switch {
	case d < 10*time.Second:
		return d.Round(time.Second)
	case d < 100*time.Second:
		return d.Round(5 * time.Second)
	}
	return (d + time.Minute - 1).Truncate(time.Minute)
}

// isLimited reports whether a response has anything that limits requests.
func isLimited(reading *validate.Reading) bool {
	return len(reading.Limits) > 0 || reading.Verdict.IsRefusal()
}

// requestRate returns the lowest rate of all limits on requests.
func (o *outcome) requestRate() (least rate) {
	for _, l := range o.state.Limits {
		if r := rate(l.Rate); l.Unit == limits.Requests && r > 0 && (least == 0 || r < least) {
			least = r
		}
	}
	return least
}

// wait returns the least time that the next request has to wait, without the random delay by which a
// Transport spreads clients after a hold. The result is unknown if the wait depends on other requests only.
func (o *outcome) wait() span {
	planned, least := o.since(o.refused.RetryAt), unknown
	for _, s := range o.ends() {
		if s <= planned {
			least = max(least, s)
		}
	}
	if least < 0 {
		return planned
	}
	return least
}

// ends returns the times for which the next request may wait, apart from its pace: the ends of the holds and
// of the window.
func (o *outcome) ends() []span {
	all := []span{o.since(o.state.HeldUntil)}
	for _, l := range o.state.Limits {
		if l.Policy == o.refused.Policy {
			all = append(all, o.since(l.LatestEnd), o.since(l.HeldUntil))
		}
	}
	return all
}

// isDueTo reports whether the policy causes the wait. It does not if the wait is that of a hold on all
// requests, after which the policy's pace follows.
func (o *outcome) isDueTo(policy string, wait span) bool {
	for _, l := range o.state.Limits {
		if l.Policy == policy && (l.Remaining == 0 || o.since(l.HeldUntil) == wait || o.since(o.state.HeldUntil) != wait) {
			return true
		}
	}
	return false
}

// since returns the time from the response to t; unknown if t is zero. It rounds to milliseconds, as a
// simulation itself takes a moment.
func (o *outcome) since(t time.Time) span {
	if t.IsZero() {
		return unknown
	}
	return span(max(t.Sub(o.at), 0).Round(time.Millisecond))
}

// isFull reports whether atOnce is what a limit on concurrent requests allows. Otherwise atOnce only reflects
// the caution of a client that is new to a server.
func (o *outcome) isFull(reported []limits.Reported) bool {
	return slices.ContainsFunc(reported, func(l limits.Reported) bool {
		return l.Unit == limits.ConcurrentRequests && l.Quota == int64(o.atOnce)
	})
}
