package ratelimittest_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// Dialects of other servers, written with Fields.
var (
	draft07 = ratelimittest.Fields("RateLimit-Policy: {policies}", "RateLimit: limit={limit}, remaining={remaining}, reset={reset}")
	inLimit = ratelimittest.Fields("RateLimit-Limit: {limit}, {policies}", "RateLimit-Remaining: {remaining}", "RateLimit-Reset: {reset}")
	epoch   = ratelimittest.Fields("RateLimit-Limit: {limit}", "RateLimit-Remaining: {remaining}", "RateLimit-Reset: {unix}")
	delta   = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}")
	millis  = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {unix-ms}")
	rfc3339 = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {rfc3339}")
	counts  = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}")
	byUnit  = ratelimittest.Fields("X-RateLimit-Limit-{unit}: {limit}", "X-RateLimit-Remaining-{unit}: {remaining}", "X-RateLimit-Reset-{unit}: {duration}")

	retryAfter     = ratelimittest.Fields("Retry-After: {retry-after}")
	retryAfterDate = ratelimittest.Fields("Retry-After: {retry-date}")
)

// lowerQuota returns a quota that is lower in [from, until), or from then on if until is zero.
func lowerQuota(quota, lower int64, from, until time.Time) func(time.Time) int64 {
	return func(now time.Time) int64 {
		if now.Before(from) || !until.IsZero() && !now.Before(until) {
			return quota
		}
		return lower
	}
}

// A releaser is a limit on requests in flight.
type releaser interface {
	ratelimittest.Limiter
	Release(now time.Time, client string, cost int64)
}

// An open is a workload of n calls at once, each on its own goroutine.
type open int

func (n open) Do(ctx context.Context, call func(context.Context) (int, error)) []ratelimittest.Outcome {
	return ratelimittest.Batch{Requests: int(n), Workers: int(n)}.Do(ctx, call)
}

func newRequest(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	require.NoError(t, err)
	return req
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
