package bench_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gofri/go-github-ratelimit/v2/github_ratelimit/github_primary_ratelimit"
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

// An afterReset retries requests that go-github-ratelimit did not send, or that were refused, because the primary limit is
// used up. It waits until the time in the error. go-github-ratelimit may refuse once more at that very instant.
type afterReset struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a *afterReset) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := a.base.RoundTrip(req)
		reached, used := errors.AsType[*github_primary_ratelimit.RateLimitReachedError](err)
		if !used {
			return resp, err
		}
		if err := pause(req.Context(), time.Until(*reached.ResetTime)+time.Millisecond); err != nil {
			return nil, err
		}
	}
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
