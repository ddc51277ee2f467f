// Package pacer decides when the next request of one partition may go: a pure
// state machine over what a server tells of its limits.
//
// A [Partition] is the requests that share limits, as those of one host with one credential. It
// is told what happens (a request is sent, answered, lost without an answer, cancelled before it went,
// over) and asked for a [Plan]. Time is a parameter, and [Config.Chance] draws the random numbers, so every decision can be tested exactly
// and a year can be simulated in milliseconds. Package headway owns the clock, the lock and the queue, and
// turns header fields and status codes into an [Answer]. The package is for tests and simulations of pacing, and
// for clients of other protocols than HTTP. To pace an http.Client, use package headway.
//
//	partition := pacer.New(&pacer.Config{})
//
//	plan := partition.Plan(now, 0, cost)            // when may a request of that cost go, if none is ahead of it?
//	partition.Send(now, cost, &ticket)              // it goes, at plan.At or later
//	partition.Answered(now, &ticket, &answer)       // or Lost, if there is no answer
//	partition.Release()                             // it is over; or Cancel, if it never went
//
// The caller passes the time now as an [Instant] and serialises all calls. Each Send is followed by
// exactly one Release or Cancel.
//
// # The model
//
// A server tells of a limit its quota q, its window w, the units r that remain and the seconds t until
// they come back. For each limit the client runs the server's algorithm in miniature, on its own requests.
// Four candidates are textbook limiters: a fixed window (window.go), a token bucket or
// GCRA (bucket.go), a sliding counter (slidingcounter.go) and a sliding log (slidinglog.go).
//
// An answer goes one way through a limit (limit.go):
//
//		answer → account → candidates → belief → share → rate
//
//	  - The account (account.go) is what holds for every algorithm: q, w, r as last told, and the
//	    units sent since. With r = 40 told and 5 units sent since, 35 are left.
//	  - Each candidate forecasts r: the most that is possible if nobody else used the quota, and
//	    what to expect if others go on as before.
//	  - The belief (belief.go) scores what speaks against each candidate. A reading of r or t that is impossible
//	    for a candidate adds 1, and one that it did not expect less than 1. A window is believed
//	    first, and then the candidate whose score is lower than the believed one's by 1.
//	  - What the believed candidate does not expect of this client alone is others' use. This client's part of
//	    all use, over the last quota of units, is the share (share.go). If r fell by 80 while this client sent
//	    20 units, the share is (20/80)^0.9 = 0.287. The exponent lets shares grow towards what nobody uses.
//	  - The rate is the pace of the believed candidate times the share. A window spreads what is left over
//	    what is sure to be left of its time, t being rounded up: with 40 units and 30 s that is one request
//	    every 0.7 s. With none left, the next goes when it ends. A bucket has the pace (1 + r/q) × q/w: 1.1 × q/w
//	    when a tenth is there, 2 × when it is full. A log has the fastest at which something is left until this
//	    client's first units come back, a window after they went. All but windows keep some units in reserve
//	    where others use the quota, 8 % of it at most, so that others find some, too. Where others use up windows
//	    early, a client spreads its share over as long as their quota lasts (haste.go).
//
// The rate goes into one GCRA per limit (arrival.go): a theoretical arrival time, an emission interval, which is
// one over the rate, with 10 % of jitter, and a burst tolerance (config.go): max(q/10, min(10, q/4)) units, times the share.
// A fresh client may send one request after the first answer that tells of a limit, and a burst after
// the second, which shows whether others have just started as well.
//
// Around the limits stand three parts:
//
//   - The gate (gate.go): a refusal holds all requests, or those that use the limits it names, until
//     Retry-After, the reset, or where neither is told a backoff of a quarter of a second that doubles up to a minute. At a
//     server that grants no burst the first backoff is one emission interval, if that is shorter.
//     The client comes back at a random time within one emission interval after that, or within a second if that is
//     longer. A server that refuses less than a second after the time it told is taken to tell times too early.
//
//   - The places (places.go): so many requests may be in flight. There is one until the first answer. Where no
//     limit is told, each answer adds two: 1, 3, 5 (slow start). A 503 cuts them to those that were in
//     flight when the refused request was sent, but the refusals of one round cut no deeper than to half.
//     From then on 128 successes add one (AIMD).
//
//   - The trial (trial.go): where no limit is told, refusals give the rate. The first trial lasts from the first
//     request to the first success after a refusal. The next begins at 0.97 × its successes over its time. Over as
//     many successes it rises to 1.08 of that, over twice as many to 1.28, and ever
//     faster, as CUBIC does (RFC 9438). At a server that grants no burst, refusals may be chance meetings with other
//     clients: there a trial of few successes lowers the rate by the square root of what it measured.
//
//   - The period (period.go): where a quota is told but no time, or only times too short to be told in whole seconds, its
//     window is measured by when what is left rises. Without a time it is taken for one of a minute until then.
//
// A [Plan] is the latest of gate, arrival times and places (plan.go). Planning changes nothing. partition.go has
// what happens to a request from Send to Release, and learn.go what an answer does to the set of limits.
//
// # Applications
//
//   - Units: limits may count other units than requests, as tokens (unit.go). What requests use of them is
//     learned (estimate.go).
//   - Routes: a route is a kind of requests, with those limits that answers to it tell of (route.go). A new
//     one is tried, one request at a time, if what is known of others would keep it back for more than 5 s (probe.go).
//   - Partition keys: a policy may have a quota for each user, say. A request uses one of them (key.go).
//   - Measured pacing: with [Config.Measured] the burst tolerance is the whole quota (config.go).
//   - Allotted parts: clients that share quotas by a store tell each other their use (usage.go) and are told
//     their parts, instead of estimating a share (part.go).
//   - Second looks: with [Config.Patience] one request goes after ten minutes, and then ever more rarely, where a
//     wrong reset would close an API for long (look.go). [Partition.Forget] drops all that was learned (forget.go).
//   - Snapshots: a partition is kept as opaque bytes (codec.go) and taken up again on another clock (snapshot.go).
//
// # Limits
//
// A partition keeps 24 limits in all, those told of last, in requests and [MaxOthers] other
// units, and tells [MaxRoutes] routes apart. Names longer than 64 bytes are kept as hashes (name.go), and
// [Partition.Size] tells how much memory all takes, 20 kB at most. Whatever a server sends, it does not grow
// beyond that and does not panic. If the time goes backwards requests wait longer, and nothing breaks.
//
// r and t are hints (draft-ietf-httpapi-ratelimit-headers-10 §5): whole numbers, rounded, possibly
// late, possibly wrong. The end of a window is known as an interval therefore (span.go), and so is r where other
// requests were in flight, as their answers overtake each other.
package pacer
