// Package debug shows what a [headway.Transport] knows and plans at the moment, as a page
// that refreshes itself and as JSON, in the manner of net/http/pprof and expvar. It is for
// the people who run a program and wonder why it waits.
//
//	mux.Handle("GET /debug/headway", &debug.Handler{
//		Transports: map[string]*headway.Transport{"": transport},
//	})
//
// A [Handler] registers itself nowhere, works under any path, with or without
// http.StripPrefix, and needs neither JavaScript nor anything from another site: the page
// is one document. With JavaScript it asks for itself again every two seconds and takes over what
// has changed; it stops while its tab is hidden, and says so when the program is gone.
// Without, the browser loads it anew every ten.
//
// # Who may see it
//
// It must not be public: mount it where net/http/pprof would be, on a server for operators
// or behind what asks for a password. It shows no credentials, URLs or header fields, but
// names of hosts, the names that Transport.Partition gives, hashes that tell
// credentials apart, and what servers call their policies and partition keys, which may
// be the name of a user. No other site's page can read it or have it in a frame. All names
// are taken for hostile: on the page marks that cannot be seen are escaped, and long
// names cut.
//
// # The page
//
// Partitions are ordered by how interesting they are: first where requests wait for a
// second or more, then what is held or full, then what sends most. Of each Transport 200 are
// shown, and how many there are; the filter finds others by a part of their name. It is
// the parameter filter of the query, also of the JSON, in upper or lower case. The columns are
// those of [headway.PartitionState]:
//
//   - Now: the [State], or what the first request in the queue waits for, and when that ends or
//     the next request is to start.
//   - Sending: what this client sends, averaged over about a minute, and the pace at which it
//     may send; "by trial" if the server refuses without telling its limits, so that the pace is found by trying.
//   - In flight: requests that are sent and not over, of the places that there are, if
//     these are bounded.
//   - Queue: requests that wait, also for the Ceiling, and for how long the oldest has in the queue.
//   - Throttled: when a response last refused a request because of a limit.
//
// And, of each limit, those of [headway.LimitState]: the policy and the partition key, as the
// server calls them; what remains of the quota, less what was sent since it was told; the
// window, and the latest that it can end, or that it refills bit by bit; the rate that
// it allows this client; the share of the quota that this client takes for its own,
// if others use it, too; how long ago the server told it; and its own hold, if it has one.
//
// Of a Transport with Shadow it is what would be.
//
// # The JSON
//
// A request with ?format=json, or with Accept: application/json, is answered with a
// [Report], of all partitions that the filter lets through, however many:
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
// Each answer calls [headway.Transport.State], which locks one partition after the other for
// some microseconds. That is the first use of a Transport that was not used yet: its
// fields must be set by then.
package debug
