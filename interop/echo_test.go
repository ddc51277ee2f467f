package interop_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"golang.org/x/time/rate"
)

// echoes are set-ups of echo's rate limiter, a token bucket that reports nothing.
func echoes() []server {
	rates := func(name string, quota, burst int) server {
		return server{
			name:  "echo, " + name,
			from:  "github.com/labstack/echo/v4",
			setUp: fmt.Sprintf("`middleware.RateLimiter(middleware.NewRateLimiterMemoryStoreWithConfig({Rate: %d, Burst: %d}))`; a burst of 0 means the rate", quota, burst),
			wrong: "It reports nothing, not even when to come back",
			quota: quota, window: time.Second, windows: 10,
			start: func(api http.Handler) (http.Handler, func(), error) {
				e := echo.New()
				e.Use(middleware.RateLimiter(middleware.NewRateLimiterMemoryStoreWithConfig(
					middleware.RateLimiterMemoryStoreConfig{Rate: rate.Limit(quota), Burst: burst},
				)))
				e.Any("/*", echo.WrapHandler(api))
				return e, nothing, nil
			},
		}
	}
	return []server{rates("20 per second", 20, 0), rates("10 per second, burst 30", 10, 30)}
}
