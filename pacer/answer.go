package pacer

import (
	"slices"
	"time"
)

// Unknown stands for a number or duration that a server did not tell. It is
// never 0: zero remaining is an exhausted quota, zero reset is now.
const Unknown = -1

// An Answer is what a response says about limits.
type Answer struct {
	Limits     []Limit       // not kept
	RetryAfter time.Duration // Unknown when absent
	Refused    bool          // the request was refused because of a limit
	Overloaded bool          // refused with a 503: too many at once rather than too fast
	Violated   []string      // the policies that the refusal says were violated, if it says all; not kept
	Indirect   bool          // of a cache or a gateway, or an error: that it tells of no limit means nothing
}

// A Limit is one limit as a response tells it. Strings are copied when kept.
type Limit struct {
	Policy, PartitionKey string
	Unit                 string        // what the quota counts; "" is requests
	Quota, Remaining     int64         // Unknown when not told
	Window, Reset        time.Duration // Unknown when not told; Reset counts from receipt
}

// reset is when all limits that are used up have units again, as far as the answer
// tells; else Unknown.
func (a *Answer) reset() time.Duration {
	var reset time.Duration = Unknown
	for i := range a.Limits {
		if l := &a.Limits[i]; l.Remaining == 0 && l.Unit != ConcurrentRequests {
			reset = max(reset, l.Reset)
		}
	}
	return reset
}

// usedUp reports whether the answer says that a limit is used up.
func (a *Answer) usedUp() bool {
	return slices.ContainsFunc(a.Limits, func(l Limit) bool { return l.Remaining == 0 })
}
