// Package debug serves a page that shows what a [headway.Transport] knows and plans at the moment. The same is
// available as JSON. Like net/http/pprof and expvar, it is for the people who run a program, and wonder why it
// waits.
//
//	mux.Handle("GET /debug/headway", &debug.Handler{
//		Transports: map[string]*headway.Transport{"": transport},
//	})
//
// A [Handler] must be mounted by the program. It works under any path, with or without http.StripPrefix. The page
// is a single document that needs neither JavaScript nor other sites. With JavaScript it refreshes itself every
// two seconds, in place. It stops while its tab is hidden, and says so if the program cannot be reached. Without
// JavaScript the browser reloads it every ten seconds.
//
// # Who may see it
//
// The page must not be public. Mount it where net/http/pprof would be: on a server for operators, or behind a
// password. It shows no credentials, URLs or header fields. It does show names of hosts, names that
// Transport.Partition returns, and hashes that distinguish credentials. It also shows the server's names of
// policies and partition keys, which may be the name of a user.
//
// Pages of other sites cannot read it or show it in a frame. All names are treated as hostile: on the page
// invisible characters are escaped, and long names are cut.
//
// # The page
//
// Partitions that need attention come first: those where requests have waited for a second or more, then those
// that are held or full, then those that send most. The page shows up to 200 partitions of each Transport, and
// their total number. The filter finds others by a part of their name, regardless of case. It is the query
// parameter filter, which the JSON has as well. The columns show the [headway.PartitionState]:
//
//   - Now: the [State], or what the first request in the queue waits for. Also, when that ends or when the next and
//     the last request are planned to start, and how long 1,000 more would take.
//   - Sending: requests per second, averaged over about a minute, and the pace at which this client may send. "By
//     trial" means that the server does not report its limits, so that the pace is found by trial and refusal.
//   - In flight: requests that were sent and have not ended, and how many there may be, if that is bounded.
//   - Queue: requests that wait, also for the Ceiling, and the age of the oldest one in the queue.
//   - Throttled: when a response last refused a request because of a limit.
//
// Each limit has a line with its [headway.LimitState]:
//
//   - the policy and the partition key, as the server names them
//   - what remains of the quota, less what was sent since the server's report
//   - the window, with the latest time at which it can end, or that the limit refills continuously
//   - the rate that the limit allows this client
//   - this client's share of the quota, if other clients use it, too
//   - how long ago the server reported the limit
//   - a hold on this limit alone, if there is one
//
// For a Transport with Shadow the page shows what headway would do.
//
// # The JSON
//
// The response to a request with ?format=json, or with Accept: application/json, is a [Report]. It has all
// partitions that match the filter, without a bound:
//
//	{"version":1,"time":"2026-01-02T15:04:05.678Z","transports":[
//	{"name":"","shadow":false,"partitions":[
//	{"partition":"https://api.example.com#c0ffee5a17ed0a75","state":"waiting",
//	"waiting":3,"in_flight":1,"sending":1.62,"pace":1.667,
//	"waiting_for":"pace","waiting_policy":"default",
//	"waiting_since":"2026-01-02T15:04:04.1Z","next":"2026-01-02T15:04:06.2Z",
//	"limits":[{"policy":"default","unit":"requests","quota":100,"remaining":41,"window":60,
//	"rate":1.667,"share":1,"refills":false,
//	"told":"2026-01-02T15:04:05.1Z","ends_by":"2026-01-02T15:04:30Z"}]}
//	]}]}
//
// # Costs
//
// Each response calls [headway.Transport.State], which locks one partition after the other for some
// microseconds. That call counts as use of a Transport, so its fields must be set before.
package debug
