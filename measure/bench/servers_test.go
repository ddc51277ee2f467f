package bench_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

const (
	latency = 50 * time.Millisecond
	workers = 16 // of each client on a rate limit
	fleet   = 8  // clients
	crowd   = 200
)

// A row is a server and a load on it.
type row struct {
	server, told, load string
	scenario           ratelimittest.Scenario
	// optimum returns how long the load takes a clairvoyant client that begins at start. nil: the load has
	// no end.
	optimum func(start time.Time) time.Duration
	// runs is how often the row is measured. Runs begin at different times within the period.
	runs   int
	period time.Duration
	// bounds are the bounds of headway's figures.
	bounds figures
	// worse names the figures in which headway may be worse than its peer.
	worse []string
}

func (r row) title() string { return fmt.Sprintf("%s, %s, %s", r.server, r.told, r.load) }

// A teller makes the refusals of a server that reports nothing else.
type teller struct {
	name       string
	retryAfter ratelimittest.Dialect
}

var (
	bare           = teller{"bare 429", ratelimittest.Silent}
	retryAfterOnly = teller{"Retry-After", ratelimittest.RetryAfterSeconds}
)

// An algorithm makes limiters of a quota per window.
type algorithm struct {
	name    string
	limiter func(ratelimittest.Policy) ratelimittest.Limiter
}

var (
	windows = algorithm{"fixed windows", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: p, Aligned: true}
	}}
	linear = algorithm{"linear", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: p}
	}}
	bucket = algorithm{"token bucket", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.TokenBucket{Policy: p}
	}}
	perMinute = ratelimittest.Policy{Quota: 60, Window: time.Minute}
	perSecond = ratelimittest.Policy{Quota: 10, Window: time.Second}
)

// server returns a row without a load.
func server(a algorithm, p ratelimittest.Policy, says teller) row {
	return row{
		server: fmt.Sprintf("%s, %d/%v s", a.name, p.Quota, p.Window.Seconds()),
		told:   says.name,
		runs:   3,
		period: p.Window,
		scenario: ratelimittest.Scenario{
			Limiter: a.limiter(p), Dialect: ratelimittest.Silent, RetryAfter: says.retryAfter, Latency: latency,
		},
	}
}

// alone adds the load of one client with so many requests.
func (r row) alone(requests int) row {
	r.load = fmt.Sprintf("1 client, %d requests", requests)
	r.runs = max(5, 2400/requests) // more runs for small batches, whose figures vary more
	return r.batches(1, requests)
}

// each adds the load of a fleet whose clients have so many requests each.
func (r row) each(requests int) row {
	r.load = fmt.Sprintf("%d clients, %d requests each", fleet, requests)
	return r.batches(fleet, requests)
}

// batches adds the clients' requests. The optimum is that of one client with all requests.
func (r row) batches(clients, requests int) row {
	all := ratelimittest.Batch{Requests: clients * requests, Workers: clients * workers}
	limiter := r.scenario.Limiter
	r.optimum = func(start time.Time) time.Duration { return all.Optimum(limiter, start, latency) }
	r.scenario.Clients = clients
	r.scenario.Load = ratelimittest.Batch{Requests: requests, Workers: workers}
	return r
}

// lasting adds the load of a fleet whose clients always have more to send, for so long.
func (r row) lasting(d time.Duration) row {
	r.load = fmt.Sprintf("%d clients for %v s", fleet, d.Seconds())
	r.scenario.Clients = fleet
	r.scenario.Load = ratelimittest.Backlog{For: d, Workers: workers}
	return r
}

// overloaded returns a row with a limit on concurrent requests, and a client with a crowd of requests.
func overloaded(places int, service time.Duration) row {
	limiter := ratelimittest.NewConcurrency(int64(places))
	limiter.RetryAfter = time.Second
	r := unlimited()
	r.server = fmt.Sprintf("%d places, each taken for %v s", places, service.Seconds())
	r.told = "503 with Retry-After"
	r.scenario.Limiter = limiter
	r.scenario.Refuse = ratelimittest.RefuseWith(http.StatusServiceUnavailable)
	r.scenario.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(service) })
	r.optimum = func(time.Time) time.Duration { return time.Duration(crowd/places)*service + latency }
	return r
}

// unlimited returns a row without a limit, and a client with a crowd of requests.
func unlimited() row {
	return row{
		server: "no limit",
		told:   "nothing",
		load:   fmt.Sprintf("%d requests at once", crowd),
		scenario: ratelimittest.Scenario{
			Dialect: ratelimittest.Silent, Latency: latency,
			Load: ratelimittest.Batch{Requests: crowd, Workers: crowd},
		},
		optimum: func(time.Time) time.Duration { return latency },
		runs:    3,
		period:  time.Second,
	}
}
