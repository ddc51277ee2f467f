// Package pacer decides when the next request of one partition may go. It is a pure state machine: the caller
// passes the time, and nothing in the package sleeps, locks or reads a clock.
//
// A [Partition] is everything that shares limits, such as the requests to one host with one credential. The
// caller reports each event: a request is sent, gets its response, fails, is cancelled or ends. The caller asks
// for a [Plan], which says when the next request may go. [Config.Chance] draws the random numbers. So every
// decision can be tested exactly, and a simulation of a year takes milliseconds. Package headway owns the clock,
// the lock and the queue, and turns header fields and status codes into an [Answer].
//
// Use this package for tests and simulations of pacing, and for clients of other protocols than HTTP. To pace an
// http.Client, use package headway.
//
//	partition := pacer.New(&pacer.Config{})
//
//	plan := partition.Plan(now, 0, cost)            // when may a request of this cost go, with none ahead of it?
//	partition.Send(now, cost, &ticket)              // it goes, at plan.At or later
//	partition.Answered(now, &ticket, &answer)       // or Lost, if there is no response
//	partition.Release()                             // it has ended; or Cancel, if it was never sent
//
// The caller passes the current time as an [Instant] and serialises all calls. Exactly one Release or Cancel
// follows each Send.
//
// # The model
//
// A policy is a rule of the server: a quota q per window w. A limit is a policy for one client. A response
// reports q, w, the remaining quota r, and the reset t: the seconds until more units are available. For each
// limit the client runs the server's algorithm in miniature, on its own requests. Four candidates are the common
// algorithms: a fixed window (window.go), a token bucket or GCRA (bucket.go), a sliding counter
// (slidingcounter.go) and a sliding log (slidinglog.go).
//
// Each response passes through a limit (limit.go) in this order:
//
//		response → account → candidates → belief → share → rate
//
//	  - The account (account.go) holds what every algorithm needs: the last q, w and r, and the client's own units
//	    since. With r = 40 and 5 units sent since, 35 remain.
//	  - Each candidate forecasts r in three ways: the largest r that is possible, the r to expect if other clients
//	    go on as before, and the r if nobody else used the quota.
//	  - The belief (belief.go) keeps a score for each candidate. A reading of r or t that is impossible for a
//	    candidate adds 1 to its score. An unexpected r adds up to 1, or up to 2 if it is off by more than half a
//	    quota. At first the window is believed. Another candidate replaces it when that one's score is lower by 1.
//	  - The share (share.go) is this client's part of all use, over the last q units. All use that the client's
//	    own requests do not explain is the use of other clients. If r fell by 80 while this client sent 20 units,
//	    the share is (20/80)^0.9 = 0.287. The exponent lets shares grow towards quota that nobody uses.
//	  - The rate is the pace of the believed candidate times the share.
//
// The pace of each candidate, for a client alone:
//
//   - A window spreads the remaining quota over the remaining time. As t is rounded up, one second less is
//     certain: with 40 units and 30 s, one request goes every 0.7 s. With no unit left, the next request waits
//     for the end.
//   - A bucket has the pace (1 + r/q) × q/w: 1.1 × q/w when a tenth is there, 2 × q/w when it is full.
//   - A sliding counter uses the units that come back, and spends the remaining quota within a window.
//   - A sliding log has the fastest pace at which it does not run dry. Each unit comes back one window after it
//     was used.
//
// Where other clients use the quota, all candidates but the window leave a reserve for them, at most 8 % of the
// quota. Where other clients use up windows early, a client spreads its share over the time that the quota lasts
// (haste.go).
//
// Each limit has one GCRA (arrival.go), which turns the rate into the time of the next request. It has a
// theoretical arrival time, an emission interval of 1/rate with 10 % of jitter, and a burst tolerance (config.go)
// of max(q/10, min(10, q/4)) units, times the share. After the first response that reports a limit, a new client
// may send one request. After the second one it may send a burst, because r then shows whether other clients
// have just started as well.
//
// Four parts complete the limits:
//
//   - The gate (gate.go) holds requests after a refusal: all requests, or those that use the limits that the
//     refusal is about. The hold ends at the time in Retry-After, else at the reset, else after an exponential
//     backoff. That is a quarter of a second, doubled with each round of refusals up to a minute, and after 13
//     rounds up to 16 minutes. A hold lasts at least one emission interval, or a minute or half a window if that is
//     less. At a server that grants no burst, the first backoff is exactly one. After the hold the client comes
//     back at a random time: within that interval, or within half the hold and at most a second, if that is longer.
//     If the server refuses again less than a second after its own time, that time was too early, and a margin is
//     added.
//   - The places (places.go) bound the requests in flight. There is one place until the first response. While
//     no limit is reported, each success adds two: 1, 3, 5 (slow start). A 503 cuts the places to the number of
//     requests beside the refused one, and a round leaves at least half, rounded down. From then on 128
//     successes add one place (AIMD).
//   - The trial (trial.go) learns a rate from refusals where no limit is reported. The first trial lasts from
//     the first request to the first success after a refusal. The next one begins at 0.97 × successes / time of
//     the last. Over as many successes again it rises to 1.07 times the measured rate, over twice as many to
//     1.36 times, and then ever faster, as CUBIC does (RFC 9438). At a server that grants no burst, a refusal
//     may be a chance collision with another client's request. There a trial with few successes begins the next
//     one at the geometric mean of the measured rate and the last rate.
//   - The period (period.go) measures a window that no response reports. It watches when r rises. Until then
//     the window is taken for a minute, or for the longest reset if no reset is longer than two seconds.
//
// A [Plan] is the latest of gate, arrival times and places (plan.go). Planning changes nothing. partition.go has
// the life of a request, from Send to Release. learn.go updates the set of limits with each response.
//
// Smaller parts:
//
//   - A response and a request: answer.go, ticket.go.
//   - Why a request waits: cause.go. State for people: state.go.
//   - The client's own rate and own units over time: ownrate.go, history.go.
//   - Times and sets of limits: instant.go, limitset.go.
//   - Resets in milliseconds: resetunit.go.
//   - State that is rarely needed, and the memory that all takes: past.go, size.go.
//   - What refusals taught, to take it back: taught.go.
//
// # Applications
//
//   - Units: a limit may count another unit than requests, such as tokens (unit.go). The costs of requests in
//     such units are learned (estimate.go).
//   - Routes: a route is one kind of request, with the limits that its responses report (route.go). If known
//     limits would delay a new route by more than 5 s, one request goes early as a probe (probe.go).
//   - Partition keys: a policy may have one quota for each user. A request uses one of them (key.go).
//   - Measured pacing: with [Config.Measured] the burst tolerance is the whole quota (config.go).
//   - Fleets: processes that share quotas through a store report their use (usage.go). Each is allotted a part,
//     instead of estimating a share (part.go).
//   - Second looks: a wrong reset could stop all requests for long. With [Config.Patience] one request goes
//     after ten minutes, and then ever more rarely, to check the reset (look.go). [Partition.Forget] drops all
//     that was learned (forget.go).
//   - Snapshots: a partition is saved as opaque bytes (codec.go) and restored on another clock (snapshot.go).
//
// # Limits
//
// A partition stores at most 24 limits in requests and [MaxOthers] other units, and [MaxRoutes] routes. The limit
// with the oldest report is dropped first. Of a name longer than 64 bytes the first 32 and a hash are stored
// (name.go). [Partition.Size] returns the memory in use, about 25 kB at most. No input from a server exceeds these
// bounds or causes a panic. If the clock goes backwards, requests wait longer, and nothing else happens.
//
// r and t are hints (draft-ietf-httpapi-ratelimit-headers-10 §5): whole numbers, rounded, perhaps late, perhaps
// wrong. So the end of a window is stored as an interval (span.go). r is compared with a range too, because
// responses to concurrent requests overtake each other.
package pacer
