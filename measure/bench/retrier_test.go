package bench_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// A retrier is the usual remedy: after a refusal it waits for the Retry-After and sends the request again. Requests must
// have no body.
type retrier struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := r.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 31)
		if err != nil {
			return resp, nil //nolint:nilerr // without a number the refusal is the caller's
		}
		_, _ = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
		_ = resp.Body.Close()
		if err := pause(req.Context(), time.Duration(seconds)*time.Second); err != nil {
			return nil, err
		}
	}
}

// A limited sends no faster than its limiter allows.
type limited struct {
	base    http.RoundTripper
	limiter *rate.Limiter
}

// RoundTrip implements http.RoundTripper.
func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := l.limiter.Wait(req.Context()); err != nil {
		return nil, err
	}
	return l.base.RoundTrip(req)
}

// pause returns after d, or with the cause if ctx is done first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
