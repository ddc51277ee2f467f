package fleet

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStoreClockJumpsInAHold sets the store's clock back by an hour while one member is in a hold of ten
// seconds, which it has reported by the old clock.
func TestStoreClockJumpsInAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		b.ClockTTL(false)
		service := newService(6000)
		var refuse atomic.Bool
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refuse.Swap(false) {
				w.Header().Set("Retry-After", "10")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			service.ServeHTTP(w, r)
		})
		users := []*lossUser{newLossUser(t, b, handler), newLossUser(t, b, handler)}
		require.Positive(t, send(t, 10, 2*time.Second, users...))
		refuse.Store(true)
		b.shift.Store(int64(-time.Hour))
		held := make(chan time.Duration)
		go func() {
			begun := time.Now()
			_, _ = get(context.WithoutCancel(t.Context()), users[0]) // the Transport sends it again
			held <- time.Since(begun)
		}()
		synctest.Wait()
		send(t, 10, 12*time.Second, users[1]) // not an hour
		took := <-held
		require.GreaterOrEqual(t, took, 10*time.Second)
		require.LessOrEqual(t, took, 12*time.Second)
		require.Positive(t, send(t, 10, 2*time.Second, users...))
	})
}
