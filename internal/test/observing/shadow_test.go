package observing

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// waits is a slog.Handler that collects the waits that a Transport logs.
func waits(all *[]time.Duration) slog.Handler {
	return kit.HandlerFunc(func(r slog.Record) {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "wait" {
				*all = append(*all, a.Value.Duration())
			}
			return true
		})
	})
}

// Shadow mode reports by how much the client exceeds the limit. At three times the limit the reported delay is at most a
// window, even after a long time.
func TestShadowMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []time.Duration
		transport := &headway.Transport{Shadow: true, Logger: slog.New(waits(&told)), Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			return kit.Respond(req, http.StatusOK, "RateLimit", `"a";r=60;t=60`, "RateLimit-Policy", `"a";q=60;w=60`), nil
		})}
		for range 1800 {
			kit.Prime(t, transport)
			time.Sleep(time.Second / 3)
		}
		last := told[len(told)-1]
		require.GreaterOrEqual(t, last, 45*time.Second)
		require.LessOrEqual(t, last, 70*time.Second)
	})
}

// In shadow mode the Transport decides as usual, but delays, refuses and resends nothing.
func TestShadowDelaysRefusesAndResendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.UsedUp(), kit.Status(429, "Retry-After", "60"))
		transport := &headway.Transport{Base: base, Shadow: true, MaxWait: -1, Ceiling: rate.NewLimiter(0, 0)}
		start := time.Now()
		var clients sync.WaitGroup
		for i := range 20 {
			clients.Go(func() {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if i%2 == 1 { // these requests would be refused, the others would wait
					ctx, cancel = context.WithTimeout(ctx, time.Second)
				}
				defer cancel()
				if err := kit.Fetch(ctx, transport, kit.URL); err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
		require.Zero(t, time.Since(start))
		require.Equal(t, 20, base.Sent())
		state := transport.State()[0]
		require.GreaterOrEqual(t, state.HeldUntil.Sub(start), time.Minute, "it decides all the same")
		require.Zero(t, state.InFlight)
	})
}
