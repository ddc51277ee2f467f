package pacing

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A load is what the clients of a run send. They share one quota.
type load struct {
	name    string
	work    func(r quotaRate, rng *rand.Rand) ratelimittest.Workload // of each client
	clients int                                                      // 0: one
	latency time.Duration
	pacing  headway.Pacing

	lasts   float64  // windows, after which all calls end; 0: when all are done
	members []member // of a fleet: who comes, goes, or is greedy; nil: all clients are there all the time
	from    float64  // the window from which on the figures of members count
	settled float64  // windows before the busiest tenth counts; 0: one tenth
	burst   bool     // it is half a quota again and again
	shutOut bool     // another client at the same address has used up more than the quota
	runs    int      // 0: as many as the row's bounds need
}

// batch returns the load of one client with all requests from the start: so many, and so many quotas.
func batch(name string, requests, quotas, workers int) load {
	return load{name: name, latency: 50 * time.Millisecond, work: func(r quotaRate, _ *rand.Rand) ratelimittest.Workload {
		return ratelimittest.Batch{Requests: requests + quotas*int(r.quota), Workers: workers}
	}}
}

// light returns the load of one client that sends a request now and then, which uses three tenths of the quota.
func light(name string, requests, quotas int) load {
	const share = 0.3
	return load{name: name, latency: 50 * time.Millisecond, work: func(r quotaRate, rng *rand.Rand) ratelimittest.Workload {
		interval := time.Duration(float64(r.window) / float64(r.quota) / share)
		return sim.Poisson(rng, max(requests, quotas*int(r.quota)), interval)
	}}
}

// bursts returns the load of one client that sends half a quota at once, and again after one and a half windows.
func bursts(name string, pacing headway.Pacing) load {
	const times = 20
	return load{name: name, latency: 50 * time.Millisecond, pacing: pacing, burst: true, work: func(r quotaRate, _ *rand.Rand) ratelimittest.Workload {
		var schedule sim.Schedule
		for i := range times {
			at := time.Duration(i) * r.window * 3 / 2
			schedule = append(schedule, slices.Repeat([]time.Duration{at}, int(r.quota)/2)...)
		}
		return schedule
	}}
}

// fleet returns the load of independent clients that always have more to send.
func fleet(name string, clients int, windows float64) load {
	return load{name: name, clients: clients, lasts: windows, latency: 50 * time.Millisecond, work: func(r quotaRate, _ *rand.Rand) ratelimittest.Workload {
		return ratelimittest.Batch{For: time.Duration(windows * float64(r.window)), Workers: 16}
	}}
}

// among returns the load of clients of which some come or go, or of which the last one is greedy. The figures are of the
// others, from a window until the end.
func among(name string, from, lasts float64, members ...member) load {
	l := fleet(name, len(members), lasts)
	l.members, l.from = members, from
	return l
}

// A member of a fleet sends as much as it may from one window until another.
type member struct {
	from, to float64
	greedy   int // workers of a client that sends until it is refused, and again after Retry-After; 0: it uses a Transport
}

func members(n int, from, to float64) []member {
	return slices.Repeat([]member{{from: from, to: to}}, n)
}

// over returns the member's RoundTripper in place of a Transport. at returns when a window begins.
func (m member) over(base, transport http.RoundTripper, at func(windows float64) time.Time) http.RoundTripper {
	if m.greedy > 0 {
		transport = greedy{base, make(chan struct{}, m.greedy)}
	}
	return kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		time.Sleep(time.Until(at(m.from)))
		if !time.Now().Before(at(m.to)) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}
		return transport.RoundTrip(req)
	})
}

// greedy sends refused requests again after Retry-After, and does not pace.
type greedy struct {
	base    http.RoundTripper
	workers chan struct{}
}

func (g greedy) RoundTrip(req *http.Request) (*http.Response, error) {
	g.workers <- struct{}{}
	defer func() { <-g.workers }()
	for {
		resp, err := g.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		_ = resp.Body.Close()
		wait, _ := time.ParseDuration(resp.Header.Get("Retry-After") + "s")
		time.Sleep(wait)
	}
}
