package pacer

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown stands for a number or duration that the server did not report. It is never 0: zero remaining is a
// used-up quota, and zero reset is now.
const Unknown = limits.Unknown

// An Answer is what a response says about limits.
type Answer struct {
	Limits     []limits.Told // not modified or kept, except for copies of strings
	RetryAfter time.Duration // Unknown when absent
	Refused    bool          // the request was refused because of a limit
	Overloaded bool          // refused with a 5xx, such as a 503 with Retry-After: too many requests at once, not too fast
	Violated   []string      // the policies that the refusal says were violated; not kept
	Indirect   bool          // from a cache or a gateway, or an error: a missing limit then means nothing
}

// usedUp reports whether the response reports a limit with no quota left.
func (a *Answer) usedUp() bool {
	return slices.ContainsFunc(a.Limits, func(l limits.Told) bool { return l.Remaining == 0 })
}
