package interop_test

import (
	"net/http"
	"time"

	ululelimiter "github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	"github.com/ulule/limiter/v3/drivers/store/memory"
)

// ulules are set-ups of ulule/limiter, a fixed window that begins with the first request. Its store has a
// cleanup goroutine that only the garbage collector ends. Without CleanUpInterval there is no such goroutine,
// and expired entries are overwritten all the same.
func ulules() []server {
	rates := func(formatted string, quota int, window time.Duration, windows int) server {
		return server{
			name:  "ulule/limiter, " + formatted,
			from:  "github.com/ulule/limiter/v3",
			setUp: "`limiter.New(memory.NewStore(), limiter.NewRateFromFormatted(\"" + formatted + "\"))`, `stdlib.NewMiddleware`",
			wrong: "The reset is cut to the second, so it is up to 1 s early. No `Retry-After`",
			quota: quota, window: window, windows: windows,
			reports: true,
			start: func(api http.Handler) (http.Handler, func(), error) {
				rate, err := ululelimiter.NewRateFromFormatted(formatted)
				if err != nil {
					return nil, nil, err
				}
				store := memory.NewStoreWithOptions(ululelimiter.StoreOptions{Prefix: ululelimiter.DefaultPrefix})
				return stdlib.NewMiddleware(ululelimiter.New(store, rate)).Handler(api), nothing, nil
			},
		}
	}
	return []server{rates("100-M", 100, time.Minute, 3), rates("10-S", 10, time.Second, 15)}
}
