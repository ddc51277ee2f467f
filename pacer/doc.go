// Package pacer decides when the next request of one partition may go: a pure
// state machine over what a server tells of its limits.
//
// A [Partition] is told what happens (a request is sent, answered, lost,
// cancelled, over) and asked for a [Plan]. Time and chance are parameters, so
// every decision can be tested exactly and a year can be simulated in
// milliseconds. Package headway owns the clock, the lock and the queue. The package is
// for tests and simulations of pacing, and for clients of other protocols than HTTP. To
// pace an http.Client, use package headway.
//
//	partition := pacer.New(&pacer.Config{})
//
//	plan := partition.Plan(now, 0, cost)            // when may a request of that cost go?
//	ticket := partition.Send(now, cost, u)          // it goes, at plan.At or later
//	partition.Answered(now, &ticket, &answer, u)    // or Lost, if there is no answer
//	partition.Release()                             // it is over; or Cancel, if it never went
//
// The caller passes the time now as an [Instant] and a random number u, and serialises
// all calls. Each Send is followed by exactly one Release or Cancel.
//
// # The model
//
// For each limit the client runs the server's algorithm in miniature, on its own requests.
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
//	  - The belief (belief.go) scores what speaks against each candidate. A reading that a candidate
//	    excludes adds 1. A candidate that leads by 1 is believed.
//	  - What the believed candidate cannot explain is others' use. It gives the share (share.go). If r
//	    fell by 80 while this client sent 20 units, the share is (20/80)^0.9 = 0.287.
//	  - The pace of the believed candidate, times the share, is the rate. A window with 40 units left and
//	    30 s to go allows one request every 0.7 s; with none left, the next goes when it ends. A bucket
//	    allows q/w, and more while it is fuller: 1.1 × q/w when a tenth of it is there, 2 × when it is full.
//	    A log allows what never runs dry before its own units come back. A limit that refills keeps a small
//	    reserve, so that others who share it find some units, too. Where others use up windows early, a client
//	    spreads its share over as long as their quota lasts (haste.go).
//
// The rate goes into one GCRA per limit (arrival.go): a theoretical arrival time, an emission
// interval with jitter, and a burst tolerance, the idle credit. That is a tenth of the quota, but of a small
// one ten units or a quarter, whichever is less. A fresh client may send one request after the first answer
// that tells of a limit, and its credit after the second.
//
// Around the limits stand three parts:
//
//   - The gate (gate.go): a refusal holds all requests, or those that use the limits it names, until
//     Retry-After, the reset, or where neither is told a backoff of half a second that doubles up to a minute.
//     Clients come back spread over one interval, or over a second if the pace is faster. A server that
//     refuses just after the time it has told is taken to tell times too early, by a second at most.
//   - The places (places.go): one request until the first answer, then as many as the pace allows. Where none
//     is known there are two more with each answer: 1, 3, 5 (slow start). A 503 cuts them to those that were in
//     flight beside the refused request, but one round of refusals cuts no deeper than to half. After 128
//     successes there is one more (AIMD).
//   - The trial (trial.go): where nothing is told, refusals give the rate. It begins at 0.97 of what was
//     measured, successes over the time with the hold. It rises by 5 % over as long as that took, and then
//     ever faster, as CUBIC does (RFC 9438): by 80 % after twice as long.
//
// A [Plan] is the latest of gate, arrival times and places (plan.go). Planning changes nothing.
//
// # Applications
//
// Limits may count other units than requests (unit.go, estimate.go). Each route has those limits that its answers
// tell (route.go, probe.go). One of which no request was answered yet is tried at once if what is known of others would
// keep it back for more than five seconds. Of the quotas that a policy has for several partition keys a request
// uses one (key.go). A client may be measured instead of spaced: the whole quota is its burst tolerance (config.go).
// Clients that share quotas by a store are told their parts, instead of estimating a share (part.go, usage.go).
// A partition is kept as opaque bytes and taken up again on another clock (snapshot.go).
//
// # Limits
//
// A partition keeps 24 limits, those told of last, in requests and [MaxOthers] other
// units, and tells [MaxRoutes] routes apart. Whatever a server sends, it does not grow
// beyond that and does not panic. A time that goes backwards only delays.
//
// r and t are hints (draft-ietf-httpapi-ratelimit-headers-10 §5): whole numbers, rounded, possibly
// late, possibly wrong. An end of a window is an interval therefore (span.go), and requests in flight beside a
// reading widen what is possible.
package pacer
