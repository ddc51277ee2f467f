package main

import (
	"time"

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
		Limited: len(reading.Limits) > 0 || reading.Throttled,
		AtOnce:  count(unknown),
		Rate:    o.requestRate(),
	}
	p.Interval = p.Rate.interval()
	if o.refused != nil {
		p.Policy = o.refused.Policy
	}
	if o.atOnce == 0 {
		p.Wait = o.wait()
		until := at.Add(time.Duration(p.Wait)).UTC()
		p.Until = &until
		if !o.isDueTo(p.Policy, p.Wait) {
			p.Policy = ""
		}
	}
	if p.Rate > 0 || o.atOnce == 0 || o.isFull() {
		p.AtOnce, p.OrMore = count(o.atOnce), o.atOnce >= mostAtOnce
	}
	return p
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

// wait is how long the next request has to wait at least: until the hold ends, or the
// window that is used up. When it comes back after that is a matter of chance, so that
// not all clients come back at once.
func (o *outcome) wait() span {
	least := span(o.refused.Wait)
	for _, end := range o.ends() {
		if s := o.since(end); s >= 0 {
			least = min(least, s)
		}
	}
	return least
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

// ends are the times that the next request may wait for.
func (o *outcome) ends() []time.Time {
	all := []time.Time{o.state.HeldUntil}
	for _, l := range o.state.Limits {
		if l.Policy == o.refused.Policy {
			all = append(all, l.HeldUntil, l.EndsBy)
		}
	}
	return all
}

// since is the time from the response to t, not known if t is zero. What takes place in a
// rehearsal takes a moment, which is of no interest.
func (o *outcome) since(t time.Time) span {
	if t.IsZero() {
		return unknown
	}
	return span(max(t.Sub(o.at), 0).Round(time.Millisecond))
}

// isFull reports whether no more requests may be in flight, by what the server has told.
// Without that a fresh client is merely cautious.
func (o *outcome) isFull() bool { return o.refused != nil && o.refused.RetryAt.IsZero() }
