package ratelimittest

import "time"

// A Limiter is a rate-limit algorithm: it decides about each request as it
// arrives. Linear and FixedWindow are Limiters; a test's own server can be one
// with LimiterFunc.
//
// Take asks for cost units of client's quota at the time now. A cost of 0 or
// less takes nothing and only reports. Time is whatever the caller passes in: a
// Handler passes time.Now, which is the fake clock inside a testing/synctest
// bubble, and a simulation passes the times it makes up. A now that lies before
// that of an earlier call is harmless: no quota comes back by it, and Reset and
// RetryAfter count from it.
//
// Limiters are safe for concurrent use.
type Limiter interface {
	Take(now time.Time, client string, cost int64) Decision
}

// A Releaser is a Limiter that counts the requests in flight. A Handler calls
// Release once for each request that Take allowed, when its handler has returned.
type Releaser interface {
	Limiter
	Release(now time.Time, client string, cost int64)
}

// A LimiterFunc is a function used as a Limiter, such as one that lets another
// Limiter decide and then changes the decision. It is no Releaser: a Concurrency
// within would stay full.
type LimiterFunc func(now time.Time, client string, cost int64) Decision

// Take calls f.
func (f LimiterFunc) Take(now time.Time, client string, cost int64) Decision {
	return f(now, client, cost)
}

// A Decision is a Limiter's answer to one request. Its durations are exact; it
// is the Dialect that rounds them.
type Decision struct {
	// Allowed says whether the request passes.
	Allowed bool
	// Limits is what the client's limits look like after the decision, one per
	// policy. None: the server has nothing to tell.
	Limits []Limit
	// RetryAfter is, on a refusal, the time until the same request would be allowed by
	// the rules of now: nothing is told of what LowerQuota, Instead or PushBack will
	// change later. 0 or negative: not known, or never.
	RetryAfter time.Duration
	// Banned says, on a refusal, that the client was refused too often in a row, see Ban.
	Banned bool
}

// A Limit is one service limit: the policy and what is left of it
// (draft-ietf-httpapi-ratelimit-headers-10 §2).
type Limit struct {
	Policy       string        // the policy's name
	PartitionKey string        // pk, the bytes before they are encoded; "": none
	Unit         string        // qu: what is counted; "": requests
	Quota        int64         // q, in quota units
	Window       time.Duration // w; 0 or negative: not told
	Remaining    int64         // r, in quota units
	Reset        time.Duration // t, from the time of the decision until more is available; negative: not told
}

// Quota units of draft-ietf-httpapi-ratelimit-headers-10 (§3.1.2).
const (
	UnitRequests           = "requests"
	UnitContentBytes       = "content-bytes"
	UnitConcurrentRequests = "concurrent-requests"
)
