package fuzz

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

func FuzzHeader(f *testing.F) {
	addHeaders(f)
	f.Add("X-RateLimit-Max: a\nX-RateLimit-Limit: b\nx-ratelimit-max: c\nx-ratelimit-limit: d")
	f.Fuzz(func(t *testing.T, response string) {
		h := header(response)
		got := parse.Header(h)
		require.Equal(t, got, parse.Header(h), "whatever the order of the map")
		checkFields(t, h, got)
		checkCase(t, h)
		checkWords(t, h)
		checkDropped(t, h, got)
		checkFieldByField(t, h, got)
	})
}

// checkFieldByField checks that Header agrees with the functions for single fields, under other spellings
// of the names too.
func checkFieldByField(t *testing.T, h http.Header, got parse.Fields) {
	t.Helper()
	if lines := h["Ratelimit"]; lines != nil {
		list, err := parse.RateLimit(lines)
		require.Equal(t, list, got.RateLimit)
		require.Equal(t, list, parse.Header(http.Header{"ratelimit": lines}).RateLimit)
		checkReported(t, got, "RateLimit", err)
	}
	if lines := h["Ratelimit-Policy"]; lines != nil {
		list, err := parse.RateLimitPolicy(lines)
		require.Equal(t, list, got.Policy)
		checkReported(t, got, "RateLimit-Policy", err)
	}
	if lines := h["Retry-After"]; lines != nil {
		w, err := parse.RetryAfter(lines)
		require.Equal(t, w, got.RetryAfter)
		require.Equal(t, w, parse.Header(http.Header{"RETRY-AFTER": lines}).RetryAfter)
		checkReported(t, got, "Retry-After", err)
	}
	if lines := h["X-Ratelimit-Remaining"]; lines != nil {
		n, err := parse.Remaining(lines)
		if got.XRateLimit.HasRemaining {
			require.Equal(t, n, got.XRateLimit.Remaining)
		} else if len(got.Named) == 0 { // else 0, 0 may be what remains of two limits
			require.Error(t, err)
		}
		if len(got.Named) > 0 {
			return
		}
		require.Equal(t, got.XRateLimit.HasRemaining, parse.Header(http.Header{"X-Rate-Limit-Remaining": lines}).XDashed.HasRemaining)
		require.Equal(t, got.XRateLimit.HasRemaining, parse.Header(http.Header{"RateLimit-Remaining": lines}).Trio.HasRemaining)
	}
}

func checkReported(t *testing.T, got parse.Fields, field string, err error) {
	t.Helper()
	reported := false
	for _, p := range got.Problems {
		reported = reported || p.Field == field
	}
	require.Equal(t, err != nil, reported, "%s: %v", field, err)
}
