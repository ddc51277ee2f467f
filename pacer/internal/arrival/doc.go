// Package arrival spaces requests by the generic cell rate algorithm (GCRA, ITU-T I.371). A client that falls behind
// may catch up at once, up to the burst tolerance.
//
// An example: with an emission interval of 0.6 s and a burst tolerance of 6 s, eleven requests go at once after an
// idle minute, and the next 0.6 s later. Jitter stretches or shortens each interval by up to a tenth, so that the
// clients of a quota do not send in step.
//
// The theoretical arrival time of the next request is one current interval after the last one's. Each plan computes it
// again, so a new pace takes effect at once. Times are seconds.
package arrival
