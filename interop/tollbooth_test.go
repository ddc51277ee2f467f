package interop_test

import (
	"net/http"
	"time"

	"github.com/didip/tollbooth/v8"
	"github.com/didip/tollbooth/v8/limiter"
)

// tollbooths are tollbooth, a token bucket.
func tollbooths() []server {
	rates := func(name string, rate float64, quota, burst int, window time.Duration) server {
		return server{
			name:   "tollbooth, " + name,
			module: "github.com/didip/tollbooth/v8",
			quota:  quota, window: window, windows: 15,
			tells: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				l := tollbooth.NewLimiter(rate, nil)
				l.SetIPLookup(limiter.IPLookup{Name: "RemoteAddr"})
				if burst > 0 {
					l.SetBurst(burst)
				}
				return tollbooth.LimitHandler(l, api), nothing, nil
			},
		}
	}
	return []server{
		rates("10 per second", 10, 10, 0, time.Second),
		rates("10 per second, burst 100", 10, 10, 100, time.Second),
		rates("1 per second, its default", 1, 1, 0, time.Second),
	}
}
