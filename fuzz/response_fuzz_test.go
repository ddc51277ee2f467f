package fuzz

import (
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// hostileHeaders has headers that try to stop a client, to let it flood a server, to fill its memory, or
// to make it use old limits.
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
		"Retry-After-a: 99999999999\nRetry-After-b: 1\nX-RateLimit-Remaining-a: 5\nX-RateLimit-Limit-b: 0\nX-RateLimit-Reset-b: -1",
		"X-From-Cache: 1\nRetry-After: 9223372036854775807\nX-RateLimit-Reset-After: 1e9",
	}
}

// FuzzResponse reads a response with any status, bounds and profile of the caller's for its host.
func FuzzResponse(f *testing.F) {
	const now = 1772625600
	add := func(text string, status int, received int64, b validate.Bounds, unit, window, minWait int64, refused int) {
		f.Add(text, status, received, int64(b.MaxReset), b.MaxQuota, b.MaxRate, unit, window, minWait, refused)
	}
	narrow := validate.Bounds{MaxReset: 50 * time.Second, MaxQuota: 100, MaxRate: 5}
	for _, text := range responses(f) {
		add(text, http.StatusOK, now, validate.Bounds{}, 0, 0, 0, 0)
		add(text, http.StatusTooManyRequests, 0, narrow, 0, 0, 0, 0)
		add(text, http.StatusBadRequest, now, validate.Bounds{}, 0, int64(time.Hour), 1, http.StatusBadRequest)
	}
	for _, text := range hostileHeaders() {
		add(text, http.StatusForbidden, now, narrow, 0, 0, 0, 0)
		add("Host: example.com\n"+text, http.StatusOK, now, narrow, 0, 0, 0, http.StatusOK)
		add(text, http.StatusServiceUnavailable, math.MaxInt64, validate.Bounds{MaxReset: -1, MaxQuota: -1, MaxRate: -1}, 0, 0, 0, 0)
		add(text, http.StatusForbidden, math.MaxInt64, narrow, math.MaxInt64, math.MaxInt64, math.MaxInt64, http.StatusOK)
	}
	add("RateLimit: \"a\";r=9;t=9", http.StatusTooManyRequests, now, validate.Bounds{MaxReset: 1, MaxQuota: 1, MaxRate: math.NaN()}, 0, 0, 0, 0)
	f.Fuzz(func(t *testing.T, text string, status int, received, maxReset, maxQuota int64, maxRate float64, unit, window, minWait int64, refused int) {
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
		own := profiles(resp, unit, window, minWait, refused)

		got := validate.Response(resp, at, b, own...)
		require.Equal(t, sent, resp.Header, "the header was changed")
		require.Equal(t, got, validate.Response(resp, at, b, own...), "not the same again")
		checkReading(t, got, resolved(b))
		checkEvidence(t, resp.Header, got)
		for _, problem := range got.Problems {
			checkProblem(t, resp.Header, problem)
		}
		switch {
		case status == http.StatusTooManyRequests, status >= http.StatusBadRequest && own != nil && status == refused:
			require.NotEqual(t, validate.VerdictNone, got.Verdict)
		case status < http.StatusBadRequest:
			require.False(t, got.Verdict.IsRefusal() || got.WantsBody)
		}
		before := got.Verdict
		got.ReadBody([]byte(text))
		require.False(t, got.WantsBody)
		require.True(t, before == validate.VerdictNone || got.Verdict != validate.VerdictNone, "a refusal remains one")
		checkReading(t, got, resolved(b))
	})
}

// profiles returns a profile for the host of a response; none if there is no host, or nothing to document.
func profiles(resp *http.Response, unit, window, minWait int64, refused int) []validate.Profile {
	if resp.Request == nil || resp.Request.URL.Hostname() == "" || unit == 0 && window == 0 && minWait == 0 && refused == 0 {
		return nil
	}
	return []validate.Profile{{
		Host:        strings.TrimSuffix(resp.Request.URL.Hostname(), "."),
		ResetUnit:   time.Duration(unit),
		Windows:     []time.Duration{time.Duration(window), -time.Duration(window), time.Duration(window) / 2},
		Aligned:     unit%2 == 0,
		Statuses:    []int{refused},
		Signs:       []validate.Sign{{Statuses: []int{refused + 1}, Text: "RateLimit-Reason"}},
		MinWait:     time.Duration(minWait),
		PolicyField: "RateLimit-Reason",
	}}
}

// resolved applies the defaults that the documentation of Bounds states.
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
