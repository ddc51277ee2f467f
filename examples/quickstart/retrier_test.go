package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		value string
		wait  time.Duration
		ok    bool
	}{
		"seconds":      {"5", 5 * time.Second, true},
		"date":         {"Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second, true},
		"absent":       {"", 0, false},
		"not a number": {"soon", 0, false},
		"too far":      {"9223372037", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			wait, ok := retryAfter(http.Header{"Retry-After": {c.value}}, now)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.wait, wait)
		})
	}
}

// limited returns a retrier in front of a server that allows one request per window.
func limited(retryAfter ratelimittest.Dialect) (*retrier, *ratelimittest.Handler) {
	h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, window)}, Dialect: ratelimittest.Draft10}
	h.RetryAfter = retryAfter
	return &retrier{&ratelimittest.Transport{Handler: h}}, h
}

func get(t *testing.T, client http.RoundTripper, body io.Reader) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://server.test/", body)
	require.NoError(t, err)
	resp, err := client.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode, nil
}

func TestRetrierWaitsForRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := limited(nil)
		begun := time.Now()
		for range 2 {
			status, err := get(t, client, nil)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
		}
		require.Equal(t, window, time.Since(begun))
		require.Len(t, server.Arrivals().Refused(), 1)
	})
}

func TestRetrierHandsBackWhatItCannotResend(t *testing.T) {
	for name, c := range map[string]struct {
		retryAfter ratelimittest.Dialect
		body       io.Reader
	}{
		"no Retry-After": {ratelimittest.Silent, nil},
		"a body":         {nil, strings.NewReader("read once")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, _ := limited(c.retryAfter)
				_, err := get(t, client, nil)
				require.NoError(t, err)
				status, err := get(t, client, c.body)
				require.NoError(t, err)
				require.Equal(t, http.StatusTooManyRequests, status)
			})
		})
	}
}
