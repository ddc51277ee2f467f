// Package ratelimittest provides rate-limiting HTTP servers for tests of HTTP
// clients: servers that really limit, tell it in the header fields of a real
// dialect, and remember what arrived when. A test runs them over real HTTP, or
// in memory in the virtual time of testing/synctest, where an hour of pacing
// takes milliseconds.
//
// # Testing a client
//
// [Run] plays a [Scenario], a server, the clients that use it and what they have to
// send, and returns its [Figures]. It needs no socket and no real time. The client
// under test is what NewClient makes of an http.RoundTripper:
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
// or, for an SDK that is used by methods of its own, what NewCall makes of an
// http.Client, which is that of NewClient if there are both. Next is the API itself, and
// answers what the SDK can read; without it every response is empty:
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
// NewClient and NewCall are called within a bubble of testing/synctest, where the whole
// client has to be made; what it leaves running is ended by Close.
//
// What Run does can be done by hand, where a test needs more: a [Handler] is made
// of a [Limiter], which decides, and a [Dialect], which tells. [Transport] serves it
// in memory, so that inside a bubble of testing/synctest latency, Retry-After, Date
// and the limiters all go by the bubble's clock; it streams as a network does.
// [NewServer] is the same over real HTTP, to be used outside of bubbles. [Log] has
// what arrived.
//
// # Limiters
//
//	FixedWindow     the whole quota again after each window, aligned to the clock or not; also Elastic
//	Linear          quota comes back continuously (GCRA); Strict and Penalty charge refused requests too
//	Exponential     an average rate that fades; leaky or Strict
//	SlidingLog      a timestamp per unit, which comes back a window later; also Strict
//	SlidingCounter  the same estimated from two counters; also Strict, as HAProxy's stick tables
//	TokenBucket     a capacity of its own; refilled all the time or in steps
//	Concurrency     requests in flight
//
// They count what [Handler].Cost says: requests, or bytes with [BytesOf]. They keep
// state per client, which is by default the Authorization field or the remote
// address ([ClientOf]), and for at most [MaxClients] of them. Time is passed in, so
// they serve for simulations as well. [All] enforces several at once. [Ban] keeps a
// client out that goes on asking, as @fastify/rate-limit and mod_evasive do. [LowerQuota],
// [Instead], [PushBack], [Understate] and [Hidden] change a limit, or what is told
// of it, in mid-run. Anything else is a [LimiterFunc], or a type of the test's own,
// which may be a [Fresher].
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
//	Silent             nothing
//
// A refusal is 429 Too Many Requests with Retry-After in whole seconds, rounded
// up. Handler.RetryAfter changes that ([RetryAfterDate], [Silent]), Handler.Refuse
// the rest ([RefuseWith]). A Dialect is a function, so a test can write its own.
//
// # Servers that lie and break
//
// Some Dialects are made of others: Skewed(XRateLimit, 20*time.Second) is that of a
// server whose clock is fast, Claiming(Draft10, func(l *Limit) { l.Remaining += 5 })
// promises too much, EveryNth(3, Silent, Trio) forgets, Malformed spoils. A [Fault]
// makes a server misbehave, and [When] says at which requests: [BareRefusal],
// [Unavailable], [Drop], [CutOff], [SlowHeader], [SlowBody]. In front of a Handler
// the requests that it strikes are not counted; as Handler.Next they are.
//
// # Figures
//
// [Figures] and [Arrivals] have those by which a client that paces itself is judged:
//
//	Allowed, Refused   the requests themselves
//	Busiest            the most requests in any slice of time
//	Slices             requests per slice of time, for a picture
//	GapCV, LongestGap  how even the gaps between requests were
//	Used               the part of the quota that was used
//	Jain               how fairly several clients shared it
//
// [Batch], [Schedule] and [Backlog] are workloads to drive a client with, and [Batch.Optimum]
// is the time that a batch would take a client that knows the server's state and
// wastes nothing: the yardstick for how fast a client was.
//
// # What it is not
//
// These servers are for tests. They limit to the letter of an algorithm, not for speed; a
// Log grows with each request until it is Reset; what clients have used is in memory, of
// one process. To limit a service, use something else.
package ratelimittest
