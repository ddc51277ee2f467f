// Package cost learns what requests use of another unit than requests, such as tokens. Two averages over the same
// requests are kept. What r, the remaining units, falls by gives the charge of a request without an estimate by the
// caller, with some room. The ratio of both corrects the caller's estimates, if they are too low.
//
// An example: three requests had estimates of 100, 200 and 300 tokens, and r fell by 900. Then a request with an
// estimate of 100 is charged 150, and one without an estimate 600.
//
// The averages fade with requests: one weighs half after 22 more of them, and without requests none is charged. Sent
// and Reported are read: they count requests.
package cost
