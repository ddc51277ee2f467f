package bench_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	latency = 50 * time.Millisecond
	workers = 16 // of each client on a rate limit
	fleet   = 8  // clients
	crowd   = 200
)

// A teller makes the refusals of a server that reports nothing else.
type teller struct {
	name       string
	retryAfter ratelimittest.Dialect
}

var (
	bare           = teller{"bare 429", ratelimittest.Silent}
	retryAfterOnly = teller{"Retry-After", sim.RetryAfterSeconds}
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

// server returns a job without a load.
func server(a algorithm, p ratelimittest.Policy, says teller) job {
	j := on(fmt.Sprintf("%s, %d/%v s, %s", a.name, p.Quota, p.Window.Seconds(), says.name), a.limiter(p), p)
	j.scenario.Dialect, j.scenario.RetryAfter = ratelimittest.Silent, says.retryAfter
	return j.silenced()
}

// alone adds the load of one client with so many requests.
func (j job) alone(requests int) job {
	j.load = fmt.Sprintf("1 client, %d requests", requests)
	j.runs = max(5, 2400/requests) // more runs for small batches, whose figures vary more
	return j.batches(1, requests)
}

// each adds the load of a fleet whose clients have so many requests each.
func (j job) each(requests int) job {
	j.load = fmt.Sprintf("%d clients, %d requests each", fleet, requests)
	return j.batches(fleet, requests)
}

// batches adds the clients' requests. The optimum is that of one client with all requests.
func (j job) batches(clients, requests int) job {
	all := ratelimittest.Batch{Requests: clients * requests, Workers: clients * workers}
	limiter := j.scenario.Limiter
	j.optimum = func(start time.Time) time.Duration { return all.Optimum(limiter, start, latency) }
	j.scenario.Clients = clients
	j.scenario.Load = ratelimittest.Batch{Requests: requests, Workers: workers}
	j.figures = []string{refused, finished, used}
	return j
}

// lasting adds the load of a fleet whose clients always have more to send, for so long.
func (j job) lasting(d time.Duration) job {
	j.load = fmt.Sprintf("%d clients for %v s", fleet, d.Seconds())
	j.scenario.Clients = fleet
	j.scenario.Load = ratelimittest.Batch{For: d, Workers: workers}
	j.figures = []string{refused, used}
	return j
}

// overloaded returns a job with a limit on concurrent requests, and a client with a crowd of requests.
func overloaded(places int, service time.Duration) job {
	limiter := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: int64(places)}}
	limiter.RetryAfter = time.Second
	j := unlimited()
	j.server = fmt.Sprintf("%d places, each taken for %v s, 503 with Retry-After", places, service.Seconds())
	j.scenario.Limiter = limiter
	j.scenario.Refuse = ratelimittest.Respond(http.StatusServiceUnavailable, "rate limit reached")
	j.scenario.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(service) })
	j.optimum = func(time.Time) time.Duration { return time.Duration(crowd/places)*service + latency }
	j.figures = []string{refused, finished}
	return j
}

// unlimited returns a job without a limit, and a client with a crowd of requests.
func unlimited() job {
	return job{
		server: "no limit",
		load:   fmt.Sprintf("%d requests at once", crowd),
		scenario: ratelimittest.Scenario{
			Dialect: ratelimittest.Silent, Latency: latency,
			Load: ratelimittest.Batch{Requests: crowd, Workers: crowd},
		},
		policy:  ratelimittest.Policy{Quota: 1, Window: time.Second}, // of no use but for the times at which runs begin
		optimum: func(time.Time) time.Duration { return latency },
		figures: []string{refused, added},
	}.silenced()
}
