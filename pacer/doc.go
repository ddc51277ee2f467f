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
// Stock, opening, pace and a forecast of the next r follow from the curve. The candidate with the fewest wrong forecasts
// is believed. What it cannot explain is others' use, which lowers this client's share of the pace.
//
// An example: q = 100, w = 60, r = 40 and t = 30, a window. It ends after 29 to 30 s, as t is rounded up. 40 units in 30 s,
// or 41 in 29 s if the last one may use the next window, are 1.41 per second: one request each 0.71 s. After ten own
// requests 30 are expected. If the response says 20, others have used 10, the share is (10/20)^0.9 = 0.54, and that is
// this client's part of the pace.
//
// A [Plan] is the latest of several times, and says which one it is ([Cause]): the hold after a refusal, the opening and the
// slot of each limit, and a free place in flight. Where refusals come that no limit explains, a rate is found by trial. Two
// kinds of requests go early: the first of a new route, and a second look at a long wait that no Retry-After asks for.
// docs/how-it-paces.md has the whole model with worked figures, and CONTRIBUTING.md the rooms.
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
//	w of a fleet                                fading  with the longest reset of any member, which fades like w
//	bounds of w by beginnings of windows        read    a beginning that contradicts
//	q that is not reported: largest r of late   fading  1/500 per reading, after 3 to 6 windows
//	scores of the candidates, at most 4         fading  1/16 per reading: 45 readings
//	difference to carry to the next reading     read    never more than rounding and overtaking explain
//	responses older than their window           read    the next response that is not
//	whether the end of a window was seen        read    for good: without it a request goes a second later
//	share                                       fading  0.97 after 3 windows without others' use; of a long one, 5 minutes
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
// Servers cannot exceed these bounds: 24 limits, [MaxOthers] units, [MaxRoutes] routes, names of 64 bytes, about 60 kB
// in all. If the clock goes backwards, requests wait longer, and that is all.
package pacer
