package main

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A retrier handles 429 Too Many Requests as most clients do: it sends at once, and after a refusal waits for
// Retry-After and sends again. Each request waits on its own. Only requests without a body are sent again.
type retrier struct {
	base http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (r *retrier) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := r.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests || req.Body != nil {
			return resp, err
		}
		wait, ok := retryAfter(resp.Header, time.Now())
		if !ok {
			return resp, nil
		}
		_, _ = io.Copy(io.Discard, resp.Body) // lets the connection be used again
		_ = resp.Body.Close()
		if err := pause(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// retryAfter parses Retry-After (RFC 9110 §10.2.3): seconds or a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0), true
	}
	return 0, false
}

// pause returns nil after d, or the context's error if ctx ends first.
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
