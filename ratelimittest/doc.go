// Package ratelimittest is httptest for rate limits: it provides rate-limiting HTTP servers for tests of HTTP
// clients. The servers enforce a real algorithm, report it in the header fields of a real API, and record the
// requests. A test runs them over real HTTP, or in memory and in the virtual time of testing/synctest. There
// an hour of pacing takes milliseconds.
//
// # Testing a client
//
// A [Handler] is a server. Its [Limiter] decides about each request, and its [Dialect] writes the header fields.
// [NewServer] serves it over real HTTP; [Transport] serves it in memory, inside bubbles, too:
//
//	h := &ratelimittest.Handler{
//		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)},
//		Dialect: ratelimittest.XRateLimit,
//	}
//	faulty := ratelimittest.Fault{Every: 10, Drop: true}.Wrap(h)
//	client := mysdk.New(&ratelimittest.Transport{Handler: faulty, Latency: 50 * time.Millisecond})
//	// … requests; then look at h.Arrivals()
//
// [Run] plays a whole [Scenario]: a server, its clients and their workload, such as a [Batch]. It returns the
// [Figures] of the run. NewClient makes the client under test from an http.RoundTripper, or NewCall makes the call of
// an SDK from an http.Client. Both are called inside a bubble; Close ends what the client leaves running:
//
//	f := ratelimittest.Run(t, ratelimittest.Scenario{
//		Limiter:   &ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)},
//		NewClient: mysdk.NewHTTPClient, // func(http.RoundTripper) *http.Client
//		Load:      ratelimittest.Batch{Requests: 1000},
//	})
//	if f.Served < 1000 || f.Refused > 0 {
//		t.Error(f)
//	}
//
// # Limiters
//
//	FixedWindow     the whole quota again after each window, aligned to the clock or not; also Elastic
//	Linear          quota comes back continuously (GCRA); Strict and Penalty charge refused requests too
//	Exponential     an average rate that fades; leaky or Strict
//	SlidingLog      a timestamp per unit, which expires a window later; also Strict
//	SlidingCounter  an estimate of SlidingLog from two counters; also Strict, as HAProxy's stick tables
//	TokenBucket     a capacity independent of the rate; refilled continuously or in steps
//	Concurrency     requests in flight
//
// A Limiter counts what Handler.Cost returns. [All] enforces several at once. [Ban] keeps out a client that keeps
// sending refused requests. [Policy].QuotaAt is a quota that changes. Any other algorithm, push-back or mistake is a
// [LimiterFunc] or a type of the test's own.
//
// The zero value of each refuses everything; set Quota and Window. A Limiter is safe for concurrent use, and must not be
// copied after first use. It keeps state for at most 65,536 clients; beyond, it forgets the one whose state has not
// changed for the longest time. The time is a parameter, so Limiters also work in simulations. Their comments use the
// letters of the RateLimit fields: q is the quota, w the window, r the remaining quota, and t the time until more is
// available. A cost above the quota is never allowed.
//
// # Dialects
//
//	Draft10     RateLimit, RateLimit-Policy: "default";r=50;t=30
//	Trio        RateLimit-Limit, -Remaining, -Reset, and RateLimit-Policy: 100;w=60
//	XRateLimit  X-RateLimit-Limit, -Remaining, -Reset; reset in seconds since 1970
//	Silent      nothing
//	Fields      any other fields, from lines such as "X-RateLimit-Reset: {rfc3339}"
//
// A refusal is 429 Too Many Requests with Retry-After in whole seconds, rounded up. Handler.RetryAfter changes the field,
// and Handler.Refuse the rest. [Respond] writes limits into JSON bodies, as some APIs do. A Dialect's methods make
// servers that report wrongly: Skewed, Claiming, Malformed. InTrailer moves the fields behind the body. As a Dialect is
// a function, a test can write any other.
//
// # Figures
//
// [Figures] and [Arrivals] measure how well a client paces itself: refused requests, the busiest interval, how even the
// gaps were, the share of the quota that was used, and how fairly several clients shared it. [Batch.Optimum] is the
// yardstick for speed: the time of a client that knows the server's state and wastes nothing.
//
// # What it is not
//
// These servers are for tests. They follow an algorithm exactly and are not fast. A Handler keeps every request until
// Reset, and all state is in the memory of one process. Do not use them to limit a service.
package ratelimittest
