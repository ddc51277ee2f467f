package ratelimittest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestDialects(t *testing.T) {
	const ms = time.Millisecond
	one := []ratelimittest.Limit{
		{Policy: "default", Quota: 100, Window: time.Minute, Remaining: 50, Reset: 29001 * ms},
	}
	two := []ratelimittest.Limit{
		{Policy: "hour", Quota: 1000, Window: time.Hour, Remaining: 9, Reset: 1000 * time.Second},
		{Policy: "minute", Quota: 100, Window: time.Minute, Remaining: 9, Reset: 30 * time.Second},
		{Policy: "day", Quota: 5000, Window: 24 * time.Hour, Remaining: 10, Reset: 20 * time.Hour},
	}
	odd := []ratelimittest.Limit{
		{Policy: "a \"b\\c\"\nd\u00e9", Quota: 5, Window: 500 * ms, Remaining: 5, Reset: -1},
	}
	tests := []struct {
		name    string
		dialect ratelimittest.Dialect
		limits  []ratelimittest.Limit
		want    map[string]string
	}{
		{"draft-10", ratelimittest.Draft10, one, map[string]string{
			"RateLimit-Policy": `"default";q=100;w=60`,
			"RateLimit":        `"default";r=50;t=30`,
		}},
		{"draft-10 with several policies", ratelimittest.Draft10, two, map[string]string{
			"RateLimit-Policy": `"hour";q=1000;w=3600, "minute";q=100;w=60, "day";q=5000;w=86400`,
			"RateLimit":        `"hour";r=9;t=1000, "minute";r=9;t=30, "day";r=10;t=72000`,
		}},
		{"draft-10 with a name to quote, a short window and no reset", ratelimittest.Draft10, odd, map[string]string{
			"RateLimit-Policy": `"a \"b\\c\"d";q=5;w=1`,
			"RateLimit":        `"a \"b\\c\"d";r=5`,
		}},
		{"draft-10 with nothing to tell", ratelimittest.Draft10, nil, nil},
		{"trio", ratelimittest.Trio, one, map[string]string{
			"RateLimit-Policy":    "100;w=60",
			"RateLimit-Limit":     "100",
			"RateLimit-Remaining": "50",
			"RateLimit-Reset":     "30",
		}},
		{"trio tells all policies and the tightest limit", ratelimittest.Trio, two, map[string]string{
			"RateLimit-Policy":    "1000;w=3600, 100;w=60, 5000;w=86400",
			"RateLimit-Limit":     "1000",
			"RateLimit-Remaining": "9",
			"RateLimit-Reset":     "1000",
		}},
		{"trio without a reset", ratelimittest.Trio, odd, map[string]string{
			"RateLimit-Policy":    "5;w=1",
			"RateLimit-Limit":     "5",
			"RateLimit-Remaining": "5",
		}},
		{"trio with nothing to tell", ratelimittest.Trio, nil, nil},
		{"x-ratelimit, rounded up after the reset is added", ratelimittest.XRateLimit, one, map[string]string{
			"X-RateLimit-Limit":     "100",
			"X-RateLimit-Remaining": "50",
			"X-RateLimit-Reset":     "1893456030", // start is 1893456000, asked 0.9 s later
		}},
		{"x-ratelimit with nothing to tell", ratelimittest.XRateLimit, nil, nil},
		{"x-ratelimit with a delay", ratelimittest.XRateLimitDelta, one, map[string]string{
			"X-RateLimit-Limit":     "100",
			"X-RateLimit-Remaining": "50",
			"X-RateLimit-Reset":     "30",
		}},
		{"silent", ratelimittest.Silent, one, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, got := http.Header{}, http.Header{}
			for name, value := range tt.want {
				want.Set(name, value)
			}
			tt.dialect(got, start.Add(900*ms), ratelimittest.Decision{Allowed: true, Limits: tt.limits})
			require.Equal(t, want, got)
		})
	}
}

func TestRetryAfterSeconds(t *testing.T) {
	tests := []struct {
		name string
		wait time.Duration
		want string
	}{
		{"whole seconds", 3 * time.Second, "3"},
		{"rounded up", 3*time.Second + 1, "4"},
		{"less than one", 1, "1"},
		{"not known", 0, ""},
		{"negative", -1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := http.Header{}
			ratelimittest.RetryAfterSeconds(h, start, ratelimittest.Decision{RetryAfter: tt.wait})
			require.Equal(t, tt.want, h.Get("Retry-After"))
		})
	}
}
