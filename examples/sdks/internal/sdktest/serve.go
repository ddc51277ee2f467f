package sdktest

import (
	"testing"

	"github.com/headway-go/headway/ratelimittest"
)

// Serve starts an API over real HTTP that limits as l does, says so in d, and is closed
// when the test ends. Its Handler has a Log, and fields to be set before the first request:
// Next for what the API answers, Refuse and RetryAfter for how the vendor refuses. It does
// not work inside a bubble of testing/synctest; there a ratelimittest.Transport does.
func Serve(tb testing.TB, l ratelimittest.Limiter, d ratelimittest.Dialect) *ratelimittest.Server {
	tb.Helper()
	srv := ratelimittest.NewServer(l, d)
	tb.Cleanup(srv.Close)
	return srv
}
