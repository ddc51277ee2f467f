package fuzz

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// hostileHeaders are meant to mislead: a client that is to stop, to flood, to
// keep much, or to believe old news.
func hostileHeaders() []string {
	return []string{
		"RateLimit-Policy: \"a\";q=999999999999999;w=1\nRateLimit: \"a\";r=999999999999999;t=0",
		"RateLimit-Policy: \"a\";q=1;w=999999999999999\nRateLimit: \"a\";r=0;t=999999999999999",
		"RateLimit: \"a\";r=1, \"a\";r=2, \"a\";r=0;t=9\nRateLimit-Policy: \"a\";q=1;w=1, \"a\";q=2;w=2;qu=\"points\"",
		"RateLimit-Policy: 1;w=1, 1;w=2, 2;w=1\nRateLimit-Limit: 1, 1;w=3, 5;w=5\nRateLimit-Remaining: -1",
		"X-RateLimit-Limit: 0\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 0\nX-Rate-Limit-Limit: 0",
		"Date: Mon, 01 Jan 0001 00:00:00 GMT\nX-RateLimit-Reset: 99999999999\nRetry-After: 9999-12-31T23:59:59Z",
		"Date: Fri, 31 Dec 9999 23:59:59 GMT\nAge: 99999999999999\nRetry-After: 1772625630",
		"RateLimit-Name: a\nRateLimit-Remaining: 1\nX-RateLimit-Name: a\nX-RateLimit-Remaining: 2\nX-Rate-Limit-Name: a\nX-Rate-Limit-Remaining: 3",
		"X-From-Cache: 1\nRetry-After: 9223372036854775807\nX-RateLimit-Reset-After: 1e9",
	}
}

func FuzzValidateResponse(f *testing.F) {
	const now = 1772625600
	addResponse := func(text string, status int, received int64) {
		f.Add(text, status, received, int64(0), int64(0), 0.0)
		f.Add(text, status, received, int64(time.Minute), int64(100), 5.0)
	}
	for _, text := range responses(f) {
		addResponse(text, http.StatusOK, now)
		addResponse(text, http.StatusTooManyRequests, 0)
	}
	for _, text := range hostileHeaders() {
		addResponse(text, http.StatusForbidden, now)
		f.Add(text, http.StatusServiceUnavailable, int64(math.MaxInt64), int64(-1), int64(-1), -1.0)
	}
	f.Add("RateLimit: \"a\";r=9;t=9", 429, int64(now), int64(1), int64(1), math.NaN())
	f.Fuzz(func(t *testing.T, text string, status int, received, maxReset, maxQuota int64, maxRate float64) {
		resp := &http.Response{StatusCode: status, Header: header(text)}
		if u, err := url.Parse("https://" + resp.Header.Get("Host")); err == nil {
			resp.Request = &http.Request{URL: u}
		}
		sent := resp.Header.Clone()
		at := time.Time{}
		if received != 0 {
			at = time.Unix(received, 0)
		}
		b := validate.Bounds{MaxReset: time.Duration(maxReset), MaxQuota: maxQuota, MaxRate: maxRate}

		got := validate.Response(resp, at, b)
		require.Equal(t, sent, resp.Header, "the header was changed")
		require.Equal(t, got, validate.Response(resp, at, b), "not the same again")
		checkReading(t, resp, got, resolved(b))
	})
}

// resolved says the documentation of Bounds once more.
func resolved(b validate.Bounds) validate.Bounds {
	if b.MaxReset == 0 {
		b.MaxReset = validate.DefaultMaxReset
	}
	if b.MaxReset < 0 {
		b.MaxReset = math.MaxInt64
	}
	if b.MaxQuota == 0 {
		b.MaxQuota = validate.DefaultMaxQuota
	}
	if b.MaxQuota < 0 {
		b.MaxQuota = math.MaxInt64
	}
	if b.MaxRate == 0 || math.IsNaN(b.MaxRate) {
		b.MaxRate = validate.DefaultMaxRate
	}
	if b.MaxRate < 0 {
		b.MaxRate = math.Inf(1)
	}
	return b
}

func checkReading(t *testing.T, resp *http.Response, r validate.Reading, b validate.Bounds) {
	t.Helper()
	checkRange(t, r.RetryAfter, max(b.MaxReset, time.Minute), "RetryAfter") // no profile has more than a minute
	seen := map[[2]string]bool{}
	for _, l := range r.Limits {
		checkLimit(t, l, b)
		name := [2]string{l.Policy, l.PartitionKey}
		require.False(t, seen[name], "two limits of one name: %+v", r.Limits)
		seen[name] = true
	}
	require.LessOrEqual(t, len(r.Limits), 5*validate.MaxLimits+3)
	for _, p := range r.Problems {
		checkProblem(t, resp.Header, p)
	}
	hasProfile := resp.Header.Get("Host") != ""
	switch status := resp.StatusCode; status {
	case http.StatusTooManyRequests:
		require.True(t, r.Throttled)
	case http.StatusServiceUnavailable:
		require.Equal(t, r.RetryAfter != validate.Unknown, r.Throttled)
	case http.StatusForbidden:
		if r.Throttled && !hasProfile {
			exhausted := func(l validate.Limit) bool { return l.Remaining == 0 }
			require.True(t, r.RetryAfter > 0 || slices.ContainsFunc(r.Limits, exhausted), "403 without proof")
		}
	default:
		require.False(t, r.Throttled && (!hasProfile || status < http.StatusBadRequest))
	}
}

func checkLimit(t *testing.T, l validate.Limit, b validate.Bounds) {
	t.Helper()
	require.NotEmpty(t, l.Unit)
	require.True(t, l.Quota >= 0 || l.Remaining >= 0 || l.Reset >= 0, "%+v tells nothing", l)
	checkRange(t, l.Quota, b.MaxQuota, "Quota")
	checkRange(t, l.Remaining, b.MaxQuota, "Remaining")
	checkRange(t, l.Reset, b.MaxReset, "Reset")
	checkRange(t, l.Window, math.MaxInt64, "Window")
	require.NotZero(t, l.Window)
	units := float64(max(l.Quota, l.Remaining, 1))
	if b.MaxRate*b.MaxReset.Seconds() >= 2 { // else the bounds contradict each other
		require.LessOrEqual(t, float64(l.Window)/units, float64(b.MaxReset)*2, "interval of %+v", l)
	}
	if l.Unit != parse.Requests {
		return
	}
	if l.Window > 0 {
		checkRate(t, l.Quota, l.Window, b.MaxRate)
	}
	if l.Reset >= 0 {
		checkRate(t, l.Remaining, max(l.Reset, time.Second), b.MaxRate)
	} else if l.Window > 0 {
		checkRate(t, l.Remaining, max(l.Window, time.Second), b.MaxRate)
	}
}

func checkRange[T int64 | time.Duration](t *testing.T, v, most T, what string) {
	t.Helper()
	require.True(t, v == validate.Unknown || 0 <= v && v <= most, "%s = %d, at most %d", what, v, most)
}

func checkRate(t *testing.T, n int64, d time.Duration, most float64) {
	t.Helper()
	if n > 1 {
		require.LessOrEqual(t, float64(n), most*d.Seconds()*(1+1e-9), "more than MaxRate: %d in %v", n, d)
	}
}

// checkProblem makes sure that a problem is made of constants and the name of a
// field only, so that no header value can be in it.
func checkProblem(t *testing.T, h http.Header, p *validate.Problem) {
	t.Helper()
	isSent := slices.ContainsFunc(slices.Collect(maps.Keys(h)), func(name string) bool { return strings.EqualFold(name, p.Field) })
	if !isSent {
		require.Contains(t, fieldNames(), p.Field)
	}
	require.Contains(t, reasons(), p.Reason)
	text := "validate: " + p.Field + ": " + string(p.Reason)
	if p.Reason == validate.Malformed {
		var e *parse.Error
		require.ErrorAs(t, p, &e)
		require.Equal(t, p.Field, e.Field)
		require.True(t, slices.ContainsFunc(parseErrors(), func(err error) bool { return errors.Is(p, err) }))
		text += ": " + e.Err.Error()
	}
	require.EqualError(t, p, text)
}

func fieldNames() []string {
	names := []string{"Age", "X-From-Cache", "Retry-After", "RateLimit", "RateLimit-Policy"}
	for _, prefix := range []string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-"} {
		for _, part := range []string{
			"Limit", "Remaining", "Used", "Reset", "Reset-After",
			"Bucket", "Resource", "Name", "Policy", "Scope", "Global",
		} {
			names = append(names, prefix+part)
		}
	}
	return names
}

func reasons() []validate.Reason {
	return []validate.Reason{
		validate.Malformed, validate.Cached, validate.TooLong, validate.TooMany, validate.TooFast,
		validate.NoClock, validate.Placeholder, validate.Ambiguous, validate.Repeated, validate.Crowded,
	}
}

func parseErrors() []error {
	return []error{
		parse.ErrSyntax, parse.ErrTruncated, parse.ErrDigits, parse.ErrType, parse.ErrRange, parse.ErrMissing,
		parse.ErrEmpty, parse.ErrNumber, parse.ErrTime, parse.ErrConflict, parse.ErrTooLong, parse.ErrTooMany,
	}
}
