package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/didip/tollbooth/v8"
	"github.com/didip/tollbooth/v8/limiter"
)

// tollbooths are set-ups of tollbooth, a token bucket.
func tollbooths() []server {
	rates := func(name string, rate float64, quota, burst, windows int) server {
		return server{
			name:  "tollbooth, " + name,
			from:  "github.com/didip/tollbooth/v8",
			setUp: fmt.Sprintf("`tollbooth.NewLimiter(%v, nil)`%s, `tollbooth.LimitHandler`", rate, bursts(burst)),
			wrong: "The limit is the rate per second, whatever the burst, so the remaining quota may exceed the limit. The reset is always 1 s. No `Retry-After`",
			quota: quota, window: time.Second, windows: windows,
			reports: true,
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
		rates("10 per second", 10, 10, 0, 15),
		rates("10 per second, burst 100", 10, 10, 100, 15),
		rates("1 per second, its default", 1, 1, 0, 60),
	}
}

func bursts(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", `SetBurst(%d)`", n)
}
