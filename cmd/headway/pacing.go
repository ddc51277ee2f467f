package main

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// A pacing is how headway paces requests after a response.
type pacing struct {
	Limited  bool       `json:"limited"`  // by anything that is told
	Wait     span       `json:"wait"`     // until the next request may go, at least
	Until    *time.Time `json:"until"`    // the same as a time; nil if it may go now
	Policy   string     `json:"policy"`   // that makes it wait, or will be the first to; "" if none has a name
	AtOnce   count      `json:"at_once"`  // requests that an idle client may send unspaced; not known if nothing tells
	OrMore   bool       `json:"or_more"`  // AtOnce is as many as were tried
	Rate     rate       `json:"rate"`     // of requests, now
	Interval span       `json:"interval"` // between them
}

// pacing sums up what a rehearsal has found. at is when the response was received.
func (o *outcome) pacing(reading *validate.Reading, at time.Time) pacing {
	p := pacing{
		Limited:  isLimited(reading),
		AtOnce:   count(unknown),
		Rate:     o.requestRate(),
		Interval: unknown,
	}
	if !p.Limited {
		return p
	}
	p.Interval = p.Rate.interval()
	if o.refused != nil {
		p.Policy = o.refused.Policy
	}
	if o.atOnce == 0 {
		p.Wait = o.wait(reading)
		if !o.isDueTo(p.Policy, p.Wait) {
			p.Policy = ""
		}
	}
	if p.Wait > 0 {
		until := at.Add(time.Duration(p.Wait)).UTC()
		p.Until = &until
	}
	if p.Rate > 0 || o.atOnce == 0 || o.isFull(reading.Limits) {
		p.AtOnce, p.OrMore = count(o.atOnce), o.atOnce >= mostAtOnce
	}
	return p
}

// isLimited reports whether a response tells of anything that limits requests.
func isLimited(reading *validate.Reading) bool {
	return len(reading.Limits) > 0 || reading.Throttled
}

// requestRate is the least that a limit on requests allows.
func (o *outcome) requestRate() (least rate) {
	for _, l := range o.state.Limits {
		if r := rate(l.Rate); l.Unit == parse.Requests && r > 0 && (least == 0 || r < least) {
			least = r
		}
	}
	return least
}

// wait is how long the next request has to wait at least: until the last of what it waits
// for. When it comes back after that is a matter of chance, so that not all clients come
// back at once. It is not known if all depends on other requests.
func (o *outcome) wait(reading *validate.Reading) span {
	planned, least := o.since(o.refused.RetryAt), unknown
	for _, s := range o.ends(reading) {
		if s <= planned {
			least = max(least, s)
		}
	}
	if least < 0 {
		return planned
	}
	return least
}

// ends are the times that the next request may wait for, besides its place in the pace: the
// end of the hold, of the window, and the time that the server asks for.
func (o *outcome) ends(reading *validate.Reading) []span {
	all := []span{o.since(o.state.HeldUntil)}
	if reading.Throttled {
		all = append(all, span(reading.RetryAfter))
	}
	for _, l := range o.state.Limits {
		if l.Policy == o.refused.Policy {
			all = append(all, o.since(l.EndsBy))
		}
	}
	return all
}

// isDueTo reports whether a wait is due to a policy, and not to a hold on everything
// after which that policy's pace comes.
func (o *outcome) isDueTo(policy string, wait span) bool {
	for _, l := range o.state.Limits {
		if l.Policy == policy && (l.Remaining == 0 || o.since(o.state.HeldUntil) != wait) {
			return true
		}
	}
	return false
}

// since is the time from the response to t, not known if t is zero. To the millisecond, as
// a rehearsal takes a moment.
func (o *outcome) since(t time.Time) span {
	if t.IsZero() {
		return unknown
	}
	return span(max(t.Sub(o.at), 0).Round(time.Millisecond))
}

// isFull reports whether as many requests may be in flight as one of the limits told
// allows. Without that a client that is new to a server is merely cautious.
func (o *outcome) isFull(told []limits.Told) bool {
	return slices.ContainsFunc(told, func(l limits.Told) bool {
		return l.Unit == parse.ConcurrentRequests && l.Quota == int64(o.atOnce)
	})
}
