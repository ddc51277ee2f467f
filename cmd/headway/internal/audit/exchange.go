package audit

import (
	"net/http"
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

// An Exchange is a request and its response.
type Exchange struct {
	Kind           Kind
	Sent, Received time.Time
	Response       *http.Response // without its body; Request is set
	Body           []byte         // its beginning, if headway reads it for limits

	// A Plan sets these: what the response tells, and whether it is a refusal because of a limit, as far as anybody can tell.
	Reading validate.Reading
	Refused bool

	rows     []parse.Row
	isServed bool // below 400
}

const (
	mostLimits = 8           // of a server that are looked at
	tolerance  = time.Second // of times: most servers tell whole seconds
)

// read reads the response. An error that says nothing of limits counts as a refusal if the URL was served before: some
// servers refuse so.
func (x *Exchange) read(servedBefore bool) {
	x.Reading = validate.Response(x.Response, x.Received, validate.Bounds{})
	x.Reading.ReadBody(x.Body)
	x.Reading.Limits = x.Reading.Limits[:min(len(x.Reading.Limits), mostLimits)]
	x.rows = parse.Header(x.Response.Header).Rows
	x.readOwnClock()
	status := x.Response.StatusCode
	isStrange := x.Kind == Plain && servedBefore && (status == http.StatusForbidden || status == http.StatusServiceUnavailable)
	x.Refused = x.Reading.Verdict != validate.VerdictNone || isStrange
	x.isServed = status < http.StatusBadRequest
}

// readOwnClock takes a point in time by this machine's clock if it is earlier so, by less than the second to which Date is
// cut. Clients measure it in either way, and none must be early.
func (x *Exchange) readOwnClock() {
	for i := range x.rows {
		own := x.rows[i].Reset.At.Sub(x.Received)
		for k := range x.Reading.Limits {
			l := &x.Reading.Limits[k]
			if !x.rows[i].Reset.At.IsZero() && l.Reset > own && l.Reset-own < tolerance {
				l.Reset = max(own, 0)
			}
		}
	}
}

// scarce returns the limit that has no room for another request and comes back last; nil if all have.
func (x *Exchange) scarce(cost int64) (found *limits.Reported) {
	for i := range x.Reading.Limits {
		l := &x.Reading.Limits[i]
		if isShort(l, costOf(l, cost)) && (found == nil || l.Reset > found.Reset) {
			found = l
		}
	}
	return found
}

// isShort reports whether a limit has no room for a request.
func isShort(l *limits.Reported, cost int64) bool {
	return l.Remaining >= 0 && l.Remaining < cost && l.Unit != limits.ConcurrentRequests
}

// costOf returns how many units a request has used: what the server says, or else the user.
func costOf(l *limits.Reported, cost int64) int64 {
	if l.Cost > 0 {
		return l.Cost
	}
	return cost
}

// soonest returns the shortest time to a reset; negative if none was told.
func (x *Exchange) soonest() time.Duration {
	reset := time.Duration(validate.Unknown)
	for _, l := range x.Reading.Limits {
		if l.Reset >= 0 && (reset < 0 || l.Reset < reset) {
			reset = l.Reset
		}
	}
	return reset
}

// least returns the smallest remaining quota; negative if none was told.
func (x *Exchange) least() int64 {
	least := int64(validate.Unknown)
	for _, l := range x.Reading.Limits {
		if l.Remaining >= 0 && (least < 0 || l.Remaining < least) {
			least = l.Remaining
		}
	}
	return least
}

// nameOf returns the name of a limit, cut and in quotes.
func nameOf(l *limits.Reported) string {
	if l.Policy == "" {
		return "without a name"
	}
	return strconv.QuoteToASCII(l.Policy[:min(len(l.Policy), 40)])
}
