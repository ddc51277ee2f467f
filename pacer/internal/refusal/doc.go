// Package refusal stores what refusals teach. It knows no limits. Where a server reports none, refusals are all there is
// to learn from.
//
//   - A Hold is a time before which nothing goes: what the server reports, or else a backoff of 0.25, 0.5, 1 … 60 s.
//   - Places bound the requests in flight: a slow start at a new server and after a hold, and fewer places after a 503.
//   - A Trial finds a rate. From one refusal to the next it counts successes, hold included, and goes on at that rate.
//
// An example of a Trial: 57 successes in 60 s, hold included, are 0.95 per second. The next trial begins at 102 % of
// that, 0.97 per second, and stays there for two minutes, or for 8 requests. Then the rate grows with the cube of time,
// until the next refusal.
package refusal
