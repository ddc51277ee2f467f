// Package pacer decides when the next request of one partition may go. It is a pure state machine: the caller passes
// the time, and nothing in it sleeps, locks or reads a clock. [Config.Chance] draws the random numbers. So every
// decision can be tested exactly, and a simulation of a year takes milliseconds. Package headway owns the clock, the
// lock and the queue. Use this package for tests, simulations, and clients of other protocols than HTTP.
//
//	partition := pacer.New(&pacer.Config{})
//	plan := partition.Plan(now, 0, cost)       // when may a request of this cost go, with none ahead of it?
//	partition.Send(now, cost, &ticket)         // it goes, at plan.At or later
//	partition.Answered(now, &ticket, &answer)  // or Lost, if there is no response
//	partition.Release()                        // it has ended; or Cancel, if it was never sent
//
// # The idea
//
// A response reports a quota q per window w, the remaining quota r, and the reset t until more is there. Which
// algorithm the server uses it does not say. So there are four candidates, each nothing but a supply curve: a list
// of units that come back, and when. In a fixed window all q come at its end. In a bucket or GCRA they come at the rate
// q/w. In a sliding counter those of the window before come evenly. In a log each comes one window after its use.
// All else follows from the curve, once, for all candidates:
//
//   - Stock: r, less own units since, plus what has come back, less what others are expected to have used.
//   - Opening: when the stock is enough for a request.
//   - Pace: the fastest constant rate that never runs dry within a window; q/w if that is possible too. It is at most
//     2 q/w and at least a fifth of q/w. For units that come bit by bit it is (stock + what comes within w) / w.
//   - Forecast: which r the next response may report. The candidate with the fewest wrong forecasts is believed.
//   - Share: (own units / all units) to the power of 0.9, of the last minute if a window is longer. The client's rate
//     is the pace times its share.
//
// An example: q = 100, w = 60, r = 40 and t = 30, a window. It ends after 29 to 30 s, as t is rounded up. The stock is
// 40. 40 units in 30 s, or 41 in 29 s if the last one may use the next window, are 1.41 per second: one request each
// 0.71 s. With r = 75 it is 75 in 30 s, and with r = 0 the next one goes when the window has ended for certain. After
// ten own requests 30 are expected. If the response says 20, others have used 10, the share is (10/20)^0.9 = 0.54, and
// that is this client's part of the pace. Where others use a limit that refills, a reserve of up to 8 % of q is left
// for them. A lone client at a bucket keeps half a unit.
//
// Two things nobody can know at first. A window whose end was never seen may be a sliding counter: the first request after
// its first end goes a little later and alone. And responses that take longer than 0.4 w say nothing of what is left: then
// the pace is 0.95 q/w, without a burst.
//
// One GCRA for each limit turns the rate into slots, with a jitter of 10 %. An idle client may send a burst at once:
// max(q/10, min(10, q/4)) units, times the share. A new client may send one request after its first reading, and the
// burst after the second one, which shows who else is there.
//
// # A plan
//
// A [Plan] is the latest of these times, and says which one it is ([Cause]). Planning changes nothing.
//
//   - The hold after a refusal: Retry-After, else the reset of a used-up limit, else a backoff of 1/4 s. Each round of
//     refusals doubles the backoff up to a minute, and after 28 rounds up to 16 minutes. It holds the
//     requests that use the violated or used-up limits, if the refusal names them, else all. The client comes back within
//     a second or a tenth of the hold, and beside others within an interval. The pace begins then, if the server told the
//     time. Refusals of requests that were in flight together are one round. One with r = 0 leaves 0.73 of a share.
//   - Opening and slot of each limit that the request uses.
//   - The trial, where refusals come that no limit explains: a rate learned from them. It begins at 1.02 times the
//     mean rate until then (the hold included), and later between the mean and the rate that was refused. It stands for
//     a while, and then grows ever faster, as CUBIC does (RFC 9438).
//   - The places in flight: one before the first response, then two more with each success, 1, 3, 5. No bound where a
//     limit is known. A 503 cuts them to the requests beside the refused one; a round leaves half of those in flight.
//     After a refusal by a server that reports no rate they begin at 1 again.
//
// Two kinds of requests go early. One is the first of a new route, as the limits that delay it may not apply to that
// route. The other is a second look. It checks a hold that no Retry-After asks for, a reset of more than an hour, and
// one that is longer than the windows whose ends were seen. It goes 60 s after the report, then after 2, 4, 8
// minutes and so on. A reset that is longer than the reported window counts as one window.
//
// # Always back on its feet
//
// A pacer that learns from few readings will be wrong. Being wrong must not prevent it from finding out. So each number
// that is stored is read (the last response, or time itself, decides it alone) or fading (it drifts back to neutral):
//
//	number                                      kind    neutral without contrary evidence after
//	q, w                                        read    the next response that reports them
//	r, t, own units since, in flight            read    the next response, at most a window later
//	end of a window, units of the one before    read    the next window
//	w that is not reported, 60 s at first       fading  a fifth shorter per window, until r or t contradicts
//	bounds of w by beginnings of windows        fading  1 % shorter per window, or a beginning that contradicts
//	q that is not reported: largest r of late   fading  1/500 per reading, after 3 to 6 windows
//	scores of the candidates, at most 4         fading  1/16 per reading: 45 readings
//	difference to carry to the next reading     read    never more than rounding and overtaking explain
//	share                                       fading  0.97 after 3 windows without others' use; of a long one, 3 minutes
//	what a bucket holds: the largest r of late  fading  3 to 6 windows
//	use by others, for reserve and forecasts    read    2 windows, an hour at most
//	own units over time                         fading  a window and a fifteenth
//	the next slot                               read    at most a window, or a minute for all limits together
//	how late a server sees requests             fading  1/16 per response; shortest round trip: 5 to 10 minutes
//	cost of a request                           fading  32 requests
//	part of a fleet                             read    the end of its lease
//	end of a hold, what is held                 read    that time; or a second look, after 60 s
//	rounds of the backoff, second looks         read    one success
//	refusal that no reported limit explains     read    10 minutes
//	rate of the trial                           fading  stands 120 s or 8 requests; doubled half as long after
//	successes behind the rate of the trial      fading  halves with each trial
//	places cut by 503s                          fading  stand 20 s of use, doubled after 30 s, no bound after 17 minutes
//	slow start after a refusal                  fading  two places more with each success
//	reported limit on requests in flight        read    256 successes without it
//	limits from which a route is exempt         read    one response with them; without them one, or three in a row
//	wait of a new route, at most a minute        read    one new route to which not all known limits apply
//	rate of the own requests                    fading  a minute
//
// A lost request measures nothing, and a time in which all is refused is not counted as one of low rates.
//
// Servers cannot exceed these bounds: 24 limits, [MaxOthers] units, [MaxRoutes] routes, names of 64 bytes, about 45 kB
// in all. If the clock goes backwards, requests wait longer, and that is all.
package pacer
