package audit

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// A Kind is what a request of an audit asks for.
type Kind string

// The kinds of requests.
const (
	Plain       Kind = "plain"       // the URL
	Conditional Kind = "conditional" // the URL, if it has changed since the first response (RFC 9110 §13)
	Missing     Kind = "missing"     // a path that does not exist
)

// An Exchange is a request and its response. A Plan sets what is not exported.
type Exchange struct {
	Kind           Kind
	Sent, Received time.Time
	Response       *http.Response // without its body; Request is set
	Body           []byte         // its beginning, if headway reads it for limits

	reading  validate.Reading
	rows     []parse.Row
	refused  bool // because of a limit, as far as anybody can tell
	isServed bool // below 400
}

// mostLimits bounds the limits of a server that are looked at.
const mostLimits = 8

// read reads the response. An error that says nothing of limits counts as a refusal if the URL was served before: some
// servers refuse so.
func (x *Exchange) read(servedBefore bool) {
	x.reading = validate.Response(x.Response, x.Received, validate.Bounds{})
	x.reading.ReadBody(x.Body)
	x.reading.Limits = x.reading.Limits[:min(len(x.reading.Limits), mostLimits)]
	x.rows = parse.Header(x.Response.Header).Rows
	x.readOwnClock()
	status := x.Response.StatusCode
	isStrange := x.Kind == Plain && servedBefore && (status == http.StatusForbidden || status == http.StatusServiceUnavailable)
	x.refused = x.reading.Verdict != validate.VerdictNone || isStrange
	x.isServed = status < http.StatusBadRequest
}

// readOwnClock takes a point in time by this machine's clock if it is earlier so, by less than the second to which Date is
// cut. Clients measure it in either way, and none must be early.
func (x *Exchange) readOwnClock() {
	for i := range x.rows {
		if x.rows[i].Reset.At.IsZero() {
			continue
		}
		own := x.rows[i].Reset.At.Sub(x.Received)
		for k := range x.reading.Limits {
			l := &x.reading.Limits[k]
			if l.Reset > own && l.Reset-own < tolerance {
				l.Reset = max(own, 0)
			}
		}
	}
}

// used returns how many units the request has used, as far as it is known.
func (x *Exchange) used(l *limits.Reported, cost int64) int64 {
	if l.Cost > 0 {
		return l.Cost
	}
	return cost
}

// A seen has all that an audit has seen.
type seen struct {
	all    []*Exchange
	cost   int64 // units of each request that the server does not state
	limits []*series
}

// A series is what the responses told of one limit.
type series struct {
	name   string // as it is shown
	points []point
	pairs  []pair
}

// A point is what one response told of a limit.
type point struct {
	*Exchange
	index int // of the exchange
	*limits.Reported
}

// A pair is two responses in a row that told of a limit.
type pair struct {
	before, after point
	end           time.Time // when more units are available, as told before; zero if it was not told
	cost          int64     // of the second request
}

// look sorts what the exchanges told by limits.
func look(all []*Exchange, cost int64) *seen {
	s := &seen{all: all, cost: cost}
	byName := map[[3]string]*series{}
	for i, x := range all {
		for k := range x.reading.Limits {
			l := &x.reading.Limits[k]
			key := [3]string{l.Policy, l.PartitionKey, string(l.Unit)}
			if byName[key] == nil {
				if len(s.limits) == mostLimits {
					continue
				}
				byName[key] = &series{name: nameOf(l)}
				s.limits = append(s.limits, byName[key])
			}
			byName[key].add(point{x, i, l}, cost)
		}
	}
	return s
}

func (l *series) add(p point, cost int64) {
	if n := len(l.points); n > 0 && l.points[n-1].index == p.index-1 {
		before := l.points[n-1]
		x := pair{before: before, after: p, cost: p.used(p.Reported, cost)}
		if before.Reset >= 0 {
			x.end = before.Received.Add(before.Reset)
		}
		l.pairs = append(l.pairs, x)
	}
	l.points = append(l.points, p)
}

func (l *series) last() point { return l.points[len(l.points)-1] }

// tolerance is how exact the times of servers are: most tell whole seconds.
const tolerance = time.Second

// isWithin reports whether the second request was answered before any units should have come back.
func (p *pair) isWithin() bool {
	return p.end.IsZero() || p.after.Received.Before(p.end.Add(-tolerance))
}

// isPast reports whether the second request was sent when units should have come back.
func (p *pair) isPast() bool { return !p.end.IsZero() && !p.after.Sent.Before(p.end) }

// drop returns by how much the remaining quota fell, which may be negative; ok is false if it is not known.
func (p *pair) drop() (units int64, ok bool) {
	ok = p.before.Remaining >= 0 && p.after.Remaining >= 0 && p.after.isServed && p.after.Kind == Plain
	return p.before.Remaining - p.after.Remaining, ok
}

// back returns how many units came back between both responses.
func (p *pair) back() (units int64, ok bool) {
	drop, ok := p.drop()
	return p.cost - drop, ok
}

// elapsed returns the time between both responses.
func (p *pair) elapsed() time.Duration { return p.after.Received.Sub(p.before.Received) }

func (s *seen) refusals() []*Exchange {
	return slices.Collect(func(yield func(*Exchange) bool) {
		for _, x := range s.all {
			if x.refused && !yield(x) {
				return
			}
		}
	})
}

func nameOf(l *limits.Reported) string {
	if l.Policy == "" {
		return "without a name"
	}
	return word(l.Policy)
}

// word returns text from a server in quotes, cut and in ASCII.
func word(text string) string { return strconv.QuoteToASCII(text[:min(len(text), 40)]) }
