// Package pacer decides when the next request of one partition may go: a pure
// state machine over what a server tells of its limits.
//
// A [Partition] is told what happens (a request is sent, answered, lost,
// cancelled, over) and asked for a [Plan]. Time and chance are parameters, so
// every decision can be tested exactly and a year can be simulated in
// milliseconds; package headway owns the clock, the lock and the queue. It is for tests
// and simulations of pacing, and for clients of other protocols than HTTP; to pace an
// http.Client, use package headway.
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
// # The rules
//
// A request goes at the latest of three times that each limit asks for (plan.go): the
// end of the hold that a refusal set, the floor (its window is used up: floor.go), and
// its slot on the limit's pace line, one interval after that of the last request that
// used the limit (limit.go). The interval is:
//
//   - A window (a fixed one, say) is paced at q/w, faster while more than the
//     even share is left of it (window.go). At its end nothing bursts: the
//     client enters the next one within an interval of its beginning.
//   - A limit that gives units back bit by bit (linear, token bucket, sliding
//     window) is told from a window by what comes back and when, and then paced
//     so that a small reserve stays (refill.go).
//   - Others who use the same quota show in how fast it falls (share.go). Where they
//     use up a window's as soon as it begins, this client spends its share as soon
//     (rush.go).
//   - A server that says nothing is tried: its refusals give the rate (trial.go),
//     unless slowing down does not make them rarer (chance.go).
//
// Instead of even slots, a client may be measured (measured.go).
//
// An idle client saves up a tenth of a quota that it may send unspaced
// (config.go). A cold one sends a single request until the first answer
// (cold.go). A refusal holds everything, or what uses the limits that it names, where
// others do not, never for less than told (hold.go).
//
// Not all limits apply to all requests: each route has those that its answers tell
// (route.go), and of the quotas that a policy has for different partition keys a
// request uses one (key.go). A route that was never seen obeys all, but for one
// request at a time that finds out (probe.go).
//
// Limits may count other units than requests (unit.go). What a request uses of such
// a unit is charged as the caller estimates it, or as requests have cost so far, and
// corrected by what is left afterwards (estimate.go). The gap is multiplied by the
// cost.
//
// What a partition knows can be kept while the process does not run (snapshot.go),
// and taken up on another clock (restore.go).
//
// # Limits
//
// A partition keeps 24 limits, those told of last, in requests and [MaxOthers] other
// units, and tells [MaxRoutes] routes apart. Whatever a server sends, it does not grow
// beyond that and does not panic. A time that goes backwards only delays.
//
// r and t are hints (draft-ietf-httpapi-ratelimit-headers-10 §5): whole
// numbers, rounded, possibly late, possibly wrong. What the rules make of odd
// input is written in the table of odd_test.go.
package pacer
