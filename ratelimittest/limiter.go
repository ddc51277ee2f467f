package ratelimittest

import "time"

// A Limiter is a rate-limit algorithm. It decides about each request when it arrives. All algorithms of this
// package are Limiters, such as Linear and FixedWindow; a test can add its own by LimiterFunc.
//
// Take asks for cost units of client's quota at the time now. A cost of 0 or less takes nothing, and the
// Decision only reports the limits. A Handler passes time.Now, which is the virtual time inside a
// testing/synctest bubble. A simulation may pass any time. If now is before the now of an earlier call, no
// quota comes back, and Reset and RetryAfter count from now.
//
// A Limiter must be safe for concurrent use.
type Limiter interface {
	Take(now time.Time, client string, cost int64) Decision
}

// A Releaser is a Limiter that counts the requests in flight. A Handler calls Release once for each request
// that Take allowed, when the request's handler has returned.
type Releaser interface {
	Limiter
	Release(now time.Time, client string, cost int64)
}

// A LimiterFunc is a function as a Limiter, for example one that changes the decisions of another Limiter. A
// LimiterFunc is not a Releaser, so a Concurrency that it calls is never released.
type LimiterFunc func(now time.Time, client string, cost int64) Decision

// Take calls f.
func (f LimiterFunc) Take(now time.Time, client string, cost int64) Decision {
	return f(now, client, cost)
}

// A Decision is a Limiter's decision about one request. Its durations are exact; a Dialect rounds them.
type Decision struct {
	// Allowed reports whether the request is served.
	Allowed bool
	// Limits contains the client's limits after the decision, one per policy. Empty: the server reports
	// no limits.
	Limits []Limit
	// RetryAfter is, for a refusal, the time until the same request would be allowed under the current
	// rules. It does not foresee changes by LowerQuota, Instead or PushBack. 0 or negative: never, or not
	// known.
	RetryAfter time.Duration
	// Banned reports, for a refusal, that the client is banned, see Ban.
	Banned bool
}

// A Limit is one service limit: a policy and its remaining quota (draft-ietf-httpapi-ratelimit-headers-10
// §2).
type Limit struct {
	Policy       string        // the policy's name
	PartitionKey string        // pk, not encoded; "": none
	Unit         string        // qu, the quota unit; "": requests
	Quota        int64         // q, in quota units
	Window       time.Duration // w; 0 or negative: not reported
	Remaining    int64         // r, in quota units
	Reset        time.Duration // t, from the decision until more is available; negative: not reported
}

// Quota units of draft-ietf-httpapi-ratelimit-headers-10 (§3.1.2), for Policy.Unit and Limit.Unit.
const (
	UnitRequests           = "requests"
	UnitContentBytes       = "content-bytes"
	UnitConcurrentRequests = "concurrent-requests"
)
