package ratelimittest

import (
	"reflect"
	"time"
)

// A Limiter is a rate-limit algorithm. It decides about each request when it arrives. All algorithms of this
// package are Limiters, such as Linear and FixedWindow; a test can add its own by LimiterFunc.
//
// Take asks for cost units of client's quota at the time now. A cost of 0 or less takes nothing, and the
// Decision only reports the limits. A Handler passes time.Now, which is the virtual time inside a
// testing/synctest bubble. A simulation may pass any time. If now is before the now of an earlier call, no
// quota comes back, and Reset and RetryAfter count from now.
//
// A Limiter must be safe for concurrent use. It may have two more methods:
//
//   - Release(now time.Time, client string, cost int64) makes it a limit on requests in flight. A Handler calls
//     Release once for each request that Take allowed, when the request's handler has returned.
//   - Fresh() Limiter returns a Limiter of the same type and with the same settings that has decided nothing yet,
//     or nil if there is none. Run needs it to compare a run with what the server would have granted.
//
// A method of that name with other parameters has no effect.
type Limiter interface {
	Take(now time.Time, client string, cost int64) Decision
}

// A LimiterFunc is a function as a Limiter, for example one that changes the decisions of another Limiter:
//
//	// A server that is overloaded until a certain time: it refuses everything, and reports the limits as they are.
//	LimiterFunc(func(now time.Time, client string, cost int64) Decision {
//		if now.After(until) {
//			return l.Take(now, client, cost)
//		}
//		d := l.Take(now, client, 0)
//		d.Allowed, d.RetryAfter = false, until.Sub(now)
//		return d
//	})
//
// A LimiterFunc has no Release, so a Concurrency that it calls is never released.
type LimiterFunc func(now time.Time, client string, cost int64) Decision

// Take calls f.
func (f LimiterFunc) Take(now time.Time, client string, cost int64) Decision {
	return f(now, client, cost)
}

// A Decision is a Limiter's decision about one request. Its durations are exact; a Dialect rounds them.
type Decision struct {
	// Allowed reports whether the request is served.
	Allowed bool
	// Limits contains the client's limits after the decision, one per policy. Empty: the server reports no limits.
	Limits []Limit
	// RetryAfter is, for a refusal, the time until the same request would be allowed under the current
	// rules. It does not foresee changes by Policy.QuotaAt. 0 or negative: never, or not known.
	RetryAfter time.Duration
	// Banned reports, for a refusal, that the client is banned, see Ban.
	Banned bool
}

// A Limit is one service limit: a policy and its remaining quota (draft-ietf-httpapi-ratelimit-headers-10 §2).
type Limit struct {
	Policy       string        // the policy's name
	PartitionKey string        // pk, not encoded; "": none
	Unit         string        // qu, the quota unit; "": requests
	Quota        int64         // q, in quota units
	Window       time.Duration // w; 0 or negative: not reported
	Remaining    int64         // r, in quota units
	Reset        time.Duration // t, from the decision until more is available; negative: not reported
}

// Quota units of draft-ietf-httpapi-ratelimit-headers-10 (§3.1.2).
const (
	unitRequests           = "requests"
	unitConcurrentRequests = "concurrent-requests"
)

type (
	releaser interface {
		Release(now time.Time, client string, cost int64)
	}
	fresher interface{ Fresh() Limiter }
	// A foreseer is a Limiter of this package. It can decide without an effect (dry). In a dry Decision only
	// Allowed and RetryAfter count, and RetryAfter is what a refusal that is not charged would have.
	foreseer interface {
		take(now time.Time, client string, cost int64, dry bool) Decision
	}
)

// release calls l.Release if l has it.
func release(l Limiter, now time.Time, client string, cost int64) {
	if r, ok := l.(releaser); ok {
		r.Release(now, client, cost)
	}
}

// fresh returns a Limiter like l that has decided nothing yet, or nil. A type that embeds a Limiter of this
// package has its Fresh, too, which returns another type.
func fresh(l Limiter) Limiter {
	if f, ok := l.(fresher); ok {
		if again := f.Fresh(); reflect.TypeOf(again) == reflect.TypeOf(l) {
			return again
		}
	}
	return nil
}

// freshOrSame returns a Limiter like l that has decided nothing yet. If there is none, it returns l.
func freshOrSame(l Limiter) Limiter {
	if f := fresh(l); f != nil {
		return f
	}
	return l
}

// asForeseer returns l as a foreseer, if it is one. It checks for the types of this package, because a type that
// embeds one of them has the method, too, but its Take may decide differently.
func asForeseer(l Limiter) (foreseer, bool) {
	switch l := l.(type) {
	case *FixedWindow, *Linear, *Exponential, *SlidingLog, *SlidingCounter, *TokenBucket, *Concurrency, *ban:
		return l.(foreseer), true
	case *all:
		return l, l.foresees()
	}
	return nil, false
}

// foresee decides without an effect if l is a foreseer, and otherwise with one.
func foresee(l Limiter, now time.Time, client string, cost int64) (d Decision, isDry bool) {
	if f, ok := asForeseer(l); ok {
		return f.take(now, client, cost, true), true
	}
	return l.Take(now, client, cost), false
}
