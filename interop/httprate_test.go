package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-chi/httprate"
)

// httprates are set-ups of go-chi/httprate, a sliding counter.
func httprates() []server {
	rates := func(quota int, window time.Duration, options ...httprate.Option) server {
		return server{
			name:  "httprate",
			from:  "github.com/go-chi/httprate",
			setUp: fmt.Sprintf("`httprate.LimitBy(%d, %s, httprate.Key(\"*\"))`", quota, goDuration(window)),
			wrong: "`Retry-After` is the whole window on each refusal. The reported reset is when requests begin to fade from a sliding counter: all quota is back a window later",
			quota: quota, window: window, windows: 3,
			reports: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				return httprate.LimitBy(quota, window, httprate.Key("*"), options...)(api), nothing, nil
			},
		}
	}
	usual := rates(100, time.Minute)
	ietf := rates(100, time.Minute, httprate.WithResponseHeaders(httprate.ResponseHeaders{
		Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset", RetryAfter: "Retry-After",
	}))
	ietf.name += ", RateLimit-*"
	ietf.setUp = "the same, `httprate.WithResponseHeaders` with `RateLimit-Limit`, `-Remaining` and `-Reset`"
	ietf.wrong += ". `RateLimit-Reset` is a point in time; the drafts have seconds"
	quick := rates(10, time.Second)
	quick.name, quick.windows = "httprate, 10 per second", 15
	return []server{usual, ietf, quick}
}
