package pacer

import "time"

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

// A Plan says when a request may go.
type Plan struct {
	At     Instant  // earliest start; not after now: it may go at once; Never: when another is released
	Policy string   // the policy that makes it wait; "" if none, or none is named
	For    LimitSet // the limit that makes it wait longest, or Everything if it is none; empty: the first answer of its route, or a probe's time
	Known  bool     // At rests on what a server told; false while it is only the caution of a cold start
}
