package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// maxRetries is headway's default.
const maxRetries = headway.DefaultMaxRetries

// A party is a service with separate limits, and a Transport for the workers that use it.
type party struct {
	name      string
	http2     bool
	handler   ratelimittest.Handler
	transport headway.Transport
	users     int // credentials, and so partitions; 0: a new one every second
	workers   int
	pause     time.Duration // between two requests of a worker, at most
}

// newParties returns parties with different limits, dialects and settings.
func newParties() []*party {
	const window = 2 * time.Second
	perSecond := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Second)}
	perSecond.Name = "second"
	perHalfMinute := &ratelimittest.SlidingCounter{Policy: ratelimittest.Policy{Name: "half-minute", Quota: 1200, Window: 30 * time.Second}}
	return []*party{
		{
			name: "window", users: 4, workers: 20, pause: 20 * time.Millisecond,
			handler:   ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, window)}},
			transport: headway.Transport{MaxWait: 3 * time.Second},
		},
		{
			name: "refilling", users: 2, workers: 12, pause: 20 * time.Millisecond,
			handler:   ratelimittest.Handler{Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(60, time.Second)}, Dialect: sim.XRateLimitDelta},
			transport: headway.Transport{MaxWait: -1},
		},
		{
			name: "two-policies", http2: true, users: 3, workers: 16, pause: 20 * time.Millisecond,
			handler:   ratelimittest.Handler{Limiter: ratelimittest.All(perSecond, perHalfMinute)},
			transport: headway.Transport{MaxWait: 2 * time.Second, Pacing: headway.PaceMeasured, Refusal: headway.RefuseWithResponse},
		},
		{
			name: "silent", http2: true, users: 2, workers: 8, pause: 20 * time.Millisecond,
			handler: ratelimittest.Handler{
				Limiter: &ratelimittest.TokenBucket{Policy: ratelimittest.Per(40, time.Second)},
				Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
			},
			transport: headway.Transport{MaxWait: -1},
		},
		{
			name: "places", users: 1, workers: 12, pause: 20 * time.Millisecond,
			handler:   ratelimittest.Handler{Limiter: &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 6}}},
			transport: headway.Transport{MaxWait: time.Second},
		},
		{
			name: "new-users", http2: true, workers: 4, pause: 50 * time.Millisecond,
			handler: ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1000, time.Second)}, Dialect: ratelimittest.Trio},
		},
	}
}

// serve returns the handler of all parties, selected by the first segment of the path.
func serve(parties []*party, l *ledger, s *storm) http.Handler {
	mux := http.NewServeMux()
	for _, p := range parties {
		p.handler.Next = l.work()
		mux.Handle("/"+p.name+"/", l.accounts(s.before(&p.handler)))
	}
	return mux
}
