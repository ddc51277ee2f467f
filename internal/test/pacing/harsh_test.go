package pacing

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// harshRows returns the rows of servers that ban, that count refused requests, or that refuse as nginx does by default, and
// their bounds. Clients come to terms with them: nobody is shut out for good, and who is shut out asks ever more rarely.
// Bounds are a little above the worst of 100 seeds. The order of goroutines at one instant changes the figures of a seed.
func harshRows() []row {
	const forbidden, unavailable, tooMany = http.StatusForbidden, http.StatusServiceUnavailable, http.StatusTooManyRequests
	fixed := func(p ratelimittest.Policy) ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: p} }
	ban := gradual("fastify, ban: 2", func(p ratelimittest.Policy) ratelimittest.Limiter { return ratelimittest.Ban(fixed(p), 2, 0) })
	ban.refusesWith, ban.bansWith = tooMany, forbidden
	renewed := gradual("fastify, continueExceeding", func(p ratelimittest.Policy) ratelimittest.Limiter { return ratelimittest.Ban(fixed(p), 0, p.Window) })
	elastic := gradual("flask, elastic", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: p, Elastic: true}
	})
	haproxy := gradual("HAProxy", func(p ratelimittest.Policy) ratelimittest.Limiter {
		return &ratelimittest.SlidingCounter{Policy: p, Strict: true}
	})
	evasive := func(status int, blocked time.Duration) server { // its times are whole seconds
		s := gradual(fmt.Sprintf("mod_evasive, %d for %v", status, blocked), func(p ratelimittest.Policy) ratelimittest.Limiter {
			return ratelimittest.Ban(&ratelimittest.FixedWindow{Policy: p, Aligned: true}, 0, blocked)
		})
		s.refusesWith, s.profile = status, status != tooMany
		return s
	}
	rows := grid{}
	some := batch("100 requests or more", 100, 0, 8)
	some.work = func(r quotaRate, _ *rand.Rand) ratelimittest.Workload {
		return ratelimittest.Batch{Requests: max(3*int(r.quota), 100), Workers: 8}
	}
	shut, use := some, light("light use, 30 %", 100, 3)
	shut.name, shut.shutOut = "the same, shut out at first", true
	some.runs, shut.runs, use.runs = 4, 4, 4
	add := func(s server, d dialect, rate quotaRate, batch, shutOut, lightUse bounds) {
		for i, l := range []load{some, shut, use} {
			if limits := []bounds{batch, shutOut, lightUse}[i]; limits != nil {
				rows.add(l, limits, []server{s}, []dialect{d}, rate)
				rows[len(rows)-1].isLengthy = i > 0
			}
		}
	}
	perMinute, short := quotaRate{60, time.Minute}, quotaRate{10, 10 * time.Second}
	// These servers tell their limits, so a ban is never seen. A clairvoyant client sends a window's quota at once, which of
	// three windows saves a third.
	for _, s := range []server{ban, renewed} {
		add(s, xDelta, perMinute, bounds{refused: 0, failed: 0, finished: 1.55}, bounds{refused: 7, failed: 0, finished: 1.4}, bounds{refused: 0, failed: 0, p50: 0.01})
		add(s, xDelta, short, bounds{refused: 0, failed: 0, finished: 1.27}, bounds{refused: 10, failed: 0, finished: 1.26}, bounds{refused: 0, failed: 0, p50: 0.01})
	}
	// Of an elastic window nothing comes back for those who ask evenly. Headway takes it for a sliding log.
	add(elastic, xRateLimit, perMinute, bounds{refused: 23, failed: 0, finished: 7.5}, bounds{refused: 28, failed: 0, finished: 5}, bounds{refused: 17, failed: 0, p50: 60})
	add(elastic, xRateLimit, short, bounds{refused: 100, failed: 0, finished: 9.5}, bounds{refused: 110, failed: 0, finished: 7.5}, bounds{refused: 100, failed: 0, p50: 160})
	add(elastic, bare429, perMinute, bounds{refused: 153, failed: 20, finished: 6.5}, bounds{refused: 206, failed: 30, finished: 7}, bounds{refused: 124, failed: 35, p50: 230})
	add(elastic, bare429, short, bounds{refused: 489, failed: 80, finished: 12}, bounds{refused: 629, failed: 110, finished: 12}, bounds{refused: 434, failed: 80, p50: 350})
	// Nobody knows of a ban before it comes. After that a pace has to be found from a success or two. Light use meets one by
	// chance: six requests in a second.
	for _, status := range []int{tooMany, forbidden, unavailable} {
		add(evasive(status, 10*time.Second), bare429, quotaRate{5, time.Second}, bounds{refused: 170, failed: 5, finished: 13},
			bounds{refused: 259, failed: 35, finished: 17}, bounds{refused: 81, failed: 15, p50: 80})
	}
	add(evasive(tooMany, 10*time.Minute), bare429, quotaRate{5, time.Second}, nil, bounds{refused: 1250, failed: 240, finished: 17}, nil)
	add(haproxy, bare429, quotaRate{40, 2 * time.Second}, bounds{refused: 90, failed: 5, finished: 3.2}, bounds{refused: 140, failed: 5, finished: 5}, bounds{refused: 10, failed: 0, p50: 0.1})
	add(haproxy, bare429, quotaRate{20, 10 * time.Second}, bounds{refused: 180, failed: 5, finished: 1.8}, bounds{refused: 235, failed: 25, finished: 3.4}, bounds{refused: 10, failed: 0, p50: 0.1})
	add(haproxy, bare429, quotaRate{100, time.Minute}, bounds{refused: 75, failed: 5, finished: 1.8}, bounds{refused: 106, failed: 12, finished: 3.8}, bounds{refused: 10, failed: 0, p50: 0.1})

	// With a Profile of the host, nginx's plain 503 is a refusal, and the request is sent again.
	places, leaky := concurrent("nginx, limit_conn 4", 0), linear
	leaky.name = "nginx, limit_req"
	places.service = 200 * time.Millisecond
	places.optimum = func(requests int, latency time.Duration) time.Duration {
		return time.Duration(requests/4) * (places.service + latency)
	}
	served := bounds{refused: 200, failed: 0, finished: 3} // refused 50 to 120
	for _, s := range []server{leaky, places} {
		s.refusesWith, s.profile = unavailable, true
		rates := []quotaRate{{1, 200 * time.Millisecond}, {11, 2200 * time.Millisecond}} // rate=5r/s, and burst=10 nodelay
		limits := served
		if s.name == places.name {
			rates, limits = []quotaRate{{4, time.Second}}, served.With(bounds{finished: 9.6})
		}
		rows.add(some, limits, []server{s}, []dialect{bare429}, rates...)
	}
	return rows
}
