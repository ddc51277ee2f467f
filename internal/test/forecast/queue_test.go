package forecast

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// The requests that wait already count, also for the Ceiling. State says the same of them.
func TestBehindOthers(t *testing.T) {
	for name, test := range map[string]struct {
		ceiling *rate.Limiter
		want    headway.Forecast
	}{
		"a quota":   {nil, headway.Forecast{Cause: headway.CausePace, Policy: "default", Share: 1, Certainty: headway.CertaintyKnown}},
		"a Ceiling": {rate.NewLimiter(rate.Every(10*time.Second), 1), headway.Forecast{Cause: headway.CauseCeiling, Certainty: headway.CertaintyKnown}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(6, time.Minute)}}
				transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: server}, Ceiling: test.ceiling, Burst: -1, Jitter: -1}
				kit.Prime(t, transport)
				ctx, stop := context.WithCancel(t.Context())
				var waiting sync.WaitGroup
				for range 12 {
					waiting.Go(func() { _ = kit.Fetch(ctx, transport, kit.URL) })
				}
				synctest.Wait()
				f := transport.Forecast(kit.NewRequest(t, kit.URL), 18)
				require.InDelta(t, 130, f.First.Sub(f.At).Seconds(), 12, "behind twelve, one each 10 s")
				require.InDelta(t, 300, f.Last.Sub(f.At).Seconds(), 12)
				require.InDelta(t, 120, transport.State()[0].Last.Sub(f.At).Seconds(), 12)
				f.At, f.First, f.Last, f.Requests = time.Time{}, time.Time{}, time.Time{}, 0
				require.Equal(t, test.want, f)
				stop()
				waiting.Wait()
			})
		})
	}
}
