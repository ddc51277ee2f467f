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
	// At is the earliest start. Not after now: it may go at once. Never: once another
	// request is released.
	At Instant
	// Policy is the policy that makes it wait; "" if none does, or it has no name.
	Policy string
	// For is what it waits for: the limit that decides, and those whose next slots it
	// would lose if another request took one first; Everything if no limit decides. It
	// is empty if it may go at once, or waits for the first answer of its route, or
	// until it may go as a probe. It is of the exact plan, whatever is ahead.
	For LimitSet
	// Cause is why it waits.
	Cause Cause
	// Age is how long ago the server told of the limit that decides; Unknown if none
	// does, or it never told of it. It counts only for one that waits.
	Age time.Duration
	// Known is false while At is only the caution of a cold start: nothing that a
	// server told.
	Known bool
}
