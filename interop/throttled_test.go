package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

// throttleds are set-ups of throttled. It is GCRA, so quota comes back continuously.
func throttleds() []server {
	rates := func(name string, rate throttled.Rate, quota, burst int, window time.Duration) server {
		return server{
			name:  "throttled, " + name,
			from:  "github.com/throttled/throttled/v2",
			setUp: fmt.Sprintf("`throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerMin(%d), MaxBurst: %d})`, `throttled.HTTPRateLimiterCtx`", quota, burst),
			wrong: "The limit is the burst plus one, not a quota per time. The reset is when all of it is back, though one request is back after each interval",
			quota: quota, window: window, windows: 3,
			reports: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				store, err := memstore.NewCtx(1 << 10)
				if err != nil {
					return nil, nil, err
				}
				limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: rate, MaxBurst: burst})
				if err != nil {
					return nil, nil, err
				}
				by := &throttled.VaryBy{RemoteAddr: true}
				return (&throttled.HTTPRateLimiterCtx{RateLimiter: limiter, VaryBy: by}).RateLimit(api), nothing, nil
			},
		}
	}
	small := rates("20 per minute, burst 5", throttled.PerMin(20), 20, 5, time.Minute)
	small.windows = 5
	return []server{small, rates("100 per minute, burst 99", throttled.PerMin(100), 100, 99, time.Minute)}
}
