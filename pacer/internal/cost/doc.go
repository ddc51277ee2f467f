// Package cost learns what requests use of another unit than requests, such as tokens. Two averages over the same
// requests are kept. What r, the remaining units, falls by gives the charge of a request without an estimate by the
// caller, with some room. The ratio of both corrects the caller's estimates, if they are too low.
package cost
