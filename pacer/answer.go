package pacer

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown stands for a number or duration that a server did not tell. It is
// never 0: zero remaining is an exhausted quota, zero reset is now.
const Unknown = limits.Unknown

// An Answer is what a response says about limits.
type Answer struct {
	Limits     []limits.Told // neither kept, but for copies of strings, nor written to
	RetryAfter time.Duration // Unknown when absent
	Refused    bool          // the request was refused because of a limit
	Overloaded bool          // refused with a 503 that says when to come back: too many at once rather than too fast
	Violated   []string      // the policies that the refusal says were violated, if it says all; not kept
	Indirect   bool          // of a cache or a gateway, or an error: that it tells of no limit means nothing
}

// usedUp reports whether the answer says that a limit is used up.
func (a *Answer) usedUp() bool {
	return slices.ContainsFunc(a.Limits, func(l limits.Told) bool { return l.Remaining == 0 })
}
