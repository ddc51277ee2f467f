package interop_test

import (
	"net/http"
	"time"

	"github.com/go-chi/httprate"
)

// httprates are go-chi/httprate, a sliding counter.
func httprates() []server {
	rates := func(quota int, window time.Duration, options ...httprate.Option) server {
		return server{
			name:   "httprate",
			module: "github.com/go-chi/httprate",
			quota:  quota, window: window, windows: 3,
			tells: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				options := append([]httprate.Option{httprate.WithKeyFuncs(httprate.KeyByIP)}, options...)
				return httprate.Limit(quota, window, options...)(api), nothing, nil
			},
		}
	}
	usual := rates(100, time.Minute)
	ietf := rates(100, time.Minute, httprate.WithResponseHeaders(httprate.ResponseHeaders{
		Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset", RetryAfter: "Retry-After",
	}))
	ietf.name += ", RateLimit-*"
	quick := rates(10, time.Second)
	quick.name, quick.windows = "httprate, 10 per second", 15
	return []server{usual, ietf, quick}
}
