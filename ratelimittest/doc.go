// Package ratelimittest is httptest for rate limits: it provides rate-limiting HTTP servers for tests of HTTP
// clients. The servers enforce a real algorithm, report it in the header fields of a real API, and record the
// requests. A test runs them over real HTTP, or in memory and in the virtual time of testing/synctest. There
// an hour of pacing takes milliseconds.
//
// # Testing a client
//
// [Run] plays a [Scenario], which describes a server, its clients and their workload. It returns the
// [Figures] of the run. It uses no socket and no real time. NewClient makes the client under test from an
// http.RoundTripper:
//
//	func TestClient(t *testing.T) {
//		f := ratelimittest.Run(t, ratelimittest.Scenario{
//			Limiter:   ratelimittest.NewLinear(100, time.Minute),
//			NewClient: mysdk.NewHTTPClient, // func(http.RoundTripper) *http.Client
//			Load:      ratelimittest.Batch{Requests: 1000},
//		})
//		if f.Served < 1000 || f.Refused > 0 {
//			t.Error(f)
//		}
//	}
//
// For an SDK with methods of its own, NewCall makes the call from an http.Client. That is the client of
// NewClient, if both are set. Next is the API. It must respond with what the SDK can parse; without Next
// every response is empty:
//
//	NewCall: func(network *http.Client) func(context.Context) error {
//		client := mysdk.New("token", mysdk.WithHTTPClient(network))
//		return func(ctx context.Context) error { _, err := client.Things.List(ctx); return err }
//	},
//	Next: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
//		w.Header().Set("Content-Type", "application/json")
//		io.WriteString(w, `{"things": []}`)
//	}),
//
// Run calls NewClient and NewCall inside a bubble of testing/synctest. The whole client must be made there.
// Close ends what the client leaves running.
//
// A test that needs more can use the parts of Run. A [Handler] is a server with a [Limiter], which decides
// about each request, and a [Dialect], which writes the header fields. [Transport] serves it in memory, and
// streams as a network does. Inside a bubble, latency, Retry-After, Date and the limiters all use the
// bubble's clock. [NewServer] serves it over real HTTP, outside of bubbles. [Log] contains the requests that
// arrived.
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
// A Limiter counts what [Handler].Cost returns: requests, or bytes with [BytesOf]. It keeps state for at most
// [MaxClients] clients. By default a client is known by its Authorization field or its remote address
// ([ClientOf]). The time is a parameter, so Limiters also work in simulations. Their comments use the letters
// of the RateLimit fields: q is the quota, w the window, r the remaining quota, and t the time until more is
// available.
//
// Limiters can be combined. [All] enforces several at once. [Ban] keeps out a client that keeps sending
// refused requests, as @fastify/rate-limit and mod_evasive do. [LowerQuota], [Instead], [PushBack],
// [Understate] and [Hidden] change a limit during the run, or how it is reported. Any other algorithm is a
// [LimiterFunc], or a type of the test's own, which may be a [Fresher].
//
// # Dialects
//
//	Draft10            RateLimit, RateLimit-Policy: "default";r=50;t=30
//	Draft07            RateLimit: limit=100, remaining=50, reset=30
//	Trio               RateLimit-Limit, -Remaining, -Reset, and RateLimit-Policy: 100;w=60
//	TrioInLimit        RateLimit-Limit: 100, 100;w=60
//	TrioEpoch          the trio with a reset in seconds since 1970
//	XRateLimit         X-RateLimit-Limit, -Remaining, -Reset; reset in seconds since 1970
//	XRateLimitMillis   the same; reset in milliseconds since 1970
//	XRateLimitRFC3339  the same; reset as a date
//	XRateLimitDelta    the same; reset in seconds from now
//	XRateLimitCounts   the same without a reset
//	Dimensioned        X-RateLimit-Limit-Requests, -Tokens and so on; reset as a duration
//	Throttlers         X-RateLimit-Limit-Short, -Long and so on, by the policy's name; reset in seconds from now
//	Percent            X-App-Usage: {"call_count":28,…}, in percent
//	Pairs              X-App-Rate-Limit: 20:1,100:120, and -Count with what is used
//	Silent             nothing
//
// A refusal is 429 Too Many Requests with Retry-After in whole seconds, rounded up. Handler.RetryAfter
// changes the field ([RetryAfterDate], [Silent]), and Handler.Refuse changes the rest ([RefuseWith]). A
// Dialect is a function, so a test can write its own.
//
// [InBody] returns a Handler that reports its limits in JSON bodies instead, as some APIs do. [CostBody] has the
// cost of a query, [PointsBody] the points of an hour, and [RetryAfterBody] the wait after a refusal. The first
// two refuse with status 200. Such a body is a function, which asks [DecisionOf] what to tell.
//
// # Servers that lie and break
//
// Some functions build a Dialect from others:
//
//	Skewed(XRateLimit, 20*time.Second)                        a server whose clock is 20 s fast
//	Claiming(Draft10, func(l *Limit) { l.Remaining += 5 })    a server that reports more than there is
//	EveryNth(3, Silent, Trio)                                 every third response without fields
//	Malformed(Draft10)                                        fields with a syntax error
//	InTrailer(Draft10)                                        fields in the trailer section, after the body
//
// A [Fault] makes a server misbehave, and [When] selects the requests. The Faults are [BareRefusal],
// [Unavailable], [Drop], [CutOff], [SlowHeader] and [SlowBody]. In front of a Handler, the requests that a
// Fault strikes are not counted. As Handler.Next, they are counted.
//
// # Figures
//
// [Figures] and [Arrivals] measure how well a client paces itself:
//
//	Allowed, Refused   the requests themselves
//	Busiest            the most requests in any interval of a given length
//	Slices             requests per interval, for a picture
//	GapCV, LongestGap  how even the gaps between requests were
//	Used               the share of the quota that was used
//	Jain               how fairly several clients shared it
//
// [Batch], [Schedule] and [Backlog] are workloads. [Batch.Optimum] is the yardstick for speed. It is the time
// that a batch takes a client that knows the server's state and wastes nothing.
//
// # What it is not
//
// These servers are for tests. They follow an algorithm exactly and are not fast. A Log grows with each
// request until it is Reset, and all state is in the memory of one process. Do not use them to limit a
// service.
package ratelimittest
