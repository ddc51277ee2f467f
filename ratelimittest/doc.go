// Package ratelimittest provides rate-limiting HTTP servers for tests of HTTP
// clients: servers that really limit, tell it in the header fields of a real
// dialect, and remember what arrived when. A test runs them over real HTTP, or
// in memory in the virtual time of testing/synctest, where an hour of pacing
// takes milliseconds.
//
// # Testing a client
//
// A [Handler] is made of a [Limiter], which decides, and a [Dialect], which tells:
//
//	h := ratelimittest.NewHandler(ratelimittest.NewLinear(100, time.Minute), ratelimittest.Draft10)
//	client := &http.Client{Transport: &ratelimittest.Transport{Handler: h, Latency: 50 * time.Millisecond}}
//	// ... use client, then:
//	if n := h.Log.Refused(); n > 0 {
//		t.Errorf("%d requests were refused", n)
//	}
//
// [Transport] is an in-memory [http.RoundTripper]. It uses no socket, so inside a
// bubble of testing/synctest nothing waits for real: latency, Retry-After, Date
// and the limiters all go by the bubble's clock. [NewServer] is the same over real
// HTTP, to be used outside of bubbles.
//
// # Limiters
//
// [Linear] gives quota back continuously, [FixedWindow] at the end of each window.
// Both keep state per client, which is by default the Authorization field or the
// remote address ([ClientOf]), and for at most [MaxClients] of them. A quota that
// changes in mid-run is a [Policy.QuotaAt]. Anything else is a [LimiterFunc], often
// around one of the others: a push-back while quota is left, say, or a limit that
// the headers do not show.
//
// # Dialects
//
//	Draft10          RateLimit, RateLimit-Policy: "default";r=50;t=30
//	Trio             RateLimit-Limit, -Remaining, -Reset, and RateLimit-Policy: 100;w=60
//	XRateLimit       X-RateLimit-Limit, -Remaining, -Reset; reset in seconds since 1970
//	XRateLimitDelta  the same; reset in seconds from now
//	Silent           nothing
//
// A refusal is 429 Too Many Requests with Retry-After in whole seconds, rounded
// up; Handler.RetryAfter set to [Silent] leaves it out. A Dialect is a function, so
// a test can write its own, and change what another one wrote.
//
// # Figures
//
// [Log.Arrivals] returns what arrived. Its figures are those by which a client that
// paces itself is judged:
//
//	Allowed, Refused   the requests themselves
//	Busiest            the most requests in any slice of time
//	Slices             requests per slice of time, for a picture
//	GapCV              how even the gaps between requests were
//	Used               the part of the quota that was used
//	Jain               how fairly several clients shared it
//
// [Batch] and [Schedule] are workloads to drive a client with, and [Batch.Optimum]
// is the time that a batch would take a client that knows the server's state and
// wastes nothing: the yardstick for how fast a client was.
package ratelimittest
