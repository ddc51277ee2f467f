package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown stands for a number or duration that the server did not report. It is never 0: zero remaining is a used-up
// quota, and zero reset is now.
const Unknown = limits.Unknown

// An Answer is what a response says about limits. Its names are stored as they are, so they must be bounded, see
// limits.ShortName. Those from package validate are.
type Answer struct {
	Limits     []limits.Reported // not modified or retained, except for copies of strings
	RetryAfter time.Duration     // Unknown when absent
	Refused    bool              // the request was refused because of a limit
	Overloaded bool              // refused with a 5xx, such as a 503 with Retry-After: too many requests at once, not too fast
	Violated   []string          // the policies that the refusal says were violated; not retained
	OnlyRoute  bool              // a limit that the refusal is the first to report counts for the request's route alone
	Indirect   bool              // from a cache or a gateway, or an error: a missing limit then means nothing
}

// A Ticket identifies one request that was sent. Send sets it, and every later event of the request needs it. It
// matches the request with its response.
//
// An example: a request uses the tenth unit of a limit, and 15 units have been sent when its response comes. Then five
// units were sent later, and r may include some of them.
type Ticket struct {
	sent    float64
	seq     uint64
	beside  int64 // other requests in flight when it was sent: responses may overtake each other
	cost    int64 // in requests
	route   uint8
	look    bool              // it was sent as a second look
	held    bool              // it was sent in spite of a hold, as in a shadow
	uses    LimitSet          // the limits that it was charged for
	charges [maxLimits]charge // at the places of uses
}

// A charge is the cost of one request for one limit.
type charge struct {
	cost  float64
	units float64 // own units of the limit in all, including this request
	nth   uint32  // number among the requests with estimated costs
}

// of returns the charge for the limit l at place i. It is nil if there is none: the place may have had another limit
// when the request was sent.
func (t *Ticket) of(l *known, i int) *charge {
	if !t.uses.Meets(placeOf(i)) || t.seq <= l.born {
		return nil
	}
	return &t.charges[i]
}
