package pacing

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// Requests that go one after the other go at the same times with the same seed, and at other times with
// another seed.
func TestChanceIsRepeatedByItsSeed(t *testing.T) {
	sent := func(run int) (at []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)}, Dialect: ratelimittest.Draft10}
			transport := kit.SeededBy(kit.Chance(t, t.Name(), run), &headway.Transport{
				Base: &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond},
			})
			ratelimittest.Batch{Requests: 100}.Send(&http.Client{Transport: transport}, kit.NewRequest(t, kit.URL))
			for _, a := range server.Arrivals() {
				at = append(at, a.Time.Sub(begun))
			}
		})
		return at
	}
	first := sent(0)
	require.Len(t, first, 100)
	require.Equal(t, first, sent(0))
	require.NotEqual(t, first, sent(1))
}
