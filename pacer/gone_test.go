package pacer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// Others have sent five times the quota of a fixed window, so it was taken for a bucket. When they are gone, it is known for
// what it is, and used up. Readings that lack what a bucket gives back are not taken for a confirmation.
func TestWindowWhenOthersAreGone(t *testing.T) {
	const quota, window, leave = 6000, 60.0, 1200.0
	for _, way := range []reporting{reportDraft10, reportTrio} {
		rng := rand.New(rand.NewPCG(1, 5))
		s := &scene{rng: rng, kind: "window", quota: quota, window: window, reports: way, latency: 0.05}
		p := &play{scene: s, server: s.limiter(quota, window), offset: 6e7 + window*rng.Float64()}
		p.granted.quota, p.granted.window = quota, window
		next, served := 0.0, 0
		p.client = &busy{partition: pacer.New(&pacer.Config{Chance: rng.Float64}), workers: 16, latency: p.oneWay, clock: at}
		p.client.serve = func(now float64, e *exchange) {
			for ; next < min(now, leave); next += rng.ExpFloat64() / (5 * quota / window) {
				p.server.take(p.offset + next)
			}
			p.usual(now, e)
		}
		p.client.returned = func(_ float64, e *exchange) {
			if !e.answer.Refused {
				served++
			}
		}
		p.client.run(leave + 10*window)
		served = 0
		p.client.run(leave + 20*window)
		require.Greater(t, served, quota*95/10, "%v", way)
	}
}
