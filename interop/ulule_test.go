package interop_test

import (
	"net/http"
	"time"

	ululelimiter "github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	"github.com/ulule/limiter/v3/drivers/store/memory"
)

// ulules are ulule/limiter, a fixed window that the first request opens. Its store has a goroutine that clears up and
// is ended by the garbage collector alone. Without CleanUpInterval there is none, and what has expired is written over
// all the same.
func ulules() []server {
	rates := func(formatted string, quota int, window time.Duration, windows int) server {
		return server{
			name:  "ulule/limiter, " + formatted,
			from:  "github.com/ulule/limiter/v3",
			setUp: "`limiter.New(memory.NewStore(), limiter.NewRateFromFormatted(\"" + formatted + "\"))`, `stdlib.NewMiddleware`",
			wrong: "The reset is cut to the second, so up to 1 s early; no `Retry-After`",
			quota: quota, window: window, windows: windows,
			tells: true,
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
