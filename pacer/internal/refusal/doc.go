// Package refusal stores what refusals teach. It knows no limits. Where a server reports none, refusals are all there is
// to learn from.
//
//   - A Hold is a time before which nothing goes: what the server reports, or else a backoff of 0.25, 0.5, 1 … 60 s.
//   - Places bound the requests in flight: a slow start at a new server and after a hold, and fewer places after a 503.
//   - A Trial finds a rate. From one refusal to the next it counts successes, hold included, and goes on at that rate.
package refusal
