package interop_test

import (
	"context"
	"net/http"
	"time"

	"github.com/sethvargo/go-limiter/httplimit"
	"github.com/sethvargo/go-limiter/memorystore"
)

// sethvargos are set-ups of sethvargo/go-limiter. A window begins with a client's first request. It reads the
// time from the runtime instead of package time, so it needs real time.
func sethvargos() []server {
	const quota, window = 40, 2 * time.Second
	return []server{{
		name:  "sethvargo/go-limiter",
		from:  "github.com/sethvargo/go-limiter",
		setUp: "`memorystore.New(&memorystore.Config{Tokens: 40, Interval: 2 * time.Second})`, `httplimit.NewMiddleware(store, httplimit.IPKeyFunc())`",
		wrong: "Its dates end in UTC, so they are no HTTP dates, and are cut to the second. So the reset and `Retry-After` are up to 1 s early, which is half of the window",
		quota: quota, window: window, windows: 3,
		reports: true, asksRuntime: true,
		start: func(api http.Handler) (http.Handler, func(), error) {
			store, err := memorystore.New(&memorystore.Config{Tokens: quota, Interval: window})
			if err != nil {
				return nil, nil, err
			}
			middleware, err := httplimit.NewMiddleware(store, httplimit.IPKeyFunc())
			if err != nil {
				return nil, nil, err
			}
			return middleware.Handle(api), func() { _ = store.Close(context.Background()) }, nil
		},
	}}
}
