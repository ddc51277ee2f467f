package sdktest

import (
	"testing"

	"github.com/headway-go/headway/ratelimittest"
)

// Serve starts an API over real HTTP that limits by l, and reports that in d. It is closed at the end of the
// test. Its Handler has a Log, and fields to set before the first request: Next for the API's responses,
// Refuse and RetryAfter for the vendor's refusals. Serve does not work inside a synctest bubble. Use a
// ratelimittest.Transport there.
func Serve(tb testing.TB, l ratelimittest.Limiter, d ratelimittest.Dialect) *ratelimittest.Server {
	tb.Helper()
	srv := ratelimittest.NewServer(l, d)
	tb.Cleanup(srv.Close)
	return srv
}
