package ratelimittest_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func TestStructuredDialects(t *testing.T) {
	runGoldens(t, []golden{
		{"draft-10", ratelimittest.Draft10, one, []string{
			`RateLimit-Policy: "default";q=100;w=60`,
			`RateLimit: "default";r=50;t=30`,
		}},
		{"draft-10, refused", ratelimittest.Draft10, refusal, []string{
			`RateLimit-Policy: "default";q=100;w=60`,
			`RateLimit: "default";r=0;t=3`,
		}},
		{"draft-10, several policies", ratelimittest.Draft10, three, []string{
			`RateLimit-Policy: "hour";q=1000;w=3600, "minute";q=100;w=60, "day";q=5000;w=86400`,
			`RateLimit: "hour";r=9;t=1000, "minute";r=9;t=30, "day";r=10;t=72000`,
		}},
		{"draft-10, units and partition keys", ratelimittest.Draft10, units, []string{
			`RateLimit-Policy: "calls";q=60;w=60;pk=:YXBwLTE=:, "words";q=150000;w=60;qu="tokens";pk=:YXBwLTE=:`,
			`RateLimit: "calls";r=59;t=1;pk=:YXBwLTE=:, "words";r=149984;t=360;pk=:YXBwLTE=:`,
		}},
		{"draft-10, a name to quote, no window and no reset", ratelimittest.Draft10, bareLimit, []string{
			`RateLimit-Policy: "a \"b\\c\"?d??";q=5`,
			`RateLimit: "a \"b\\c\"?d??";r=5`,
		}},
		{"draft-10, more than 15 digits", ratelimittest.Draft10, huge, []string{
			`RateLimit-Policy: "huge";q=999999999999999;w=9223372037`,
			`RateLimit: "huge";r=999999999999999;t=9223372037`,
		}},
		{"draft-07", draft07, one, []string{
			`RateLimit-Policy: 100;w=60`,
			`RateLimit: limit=100, remaining=50, reset=30`,
		}},
		{"draft-07, refused", draft07, refusal, []string{
			`RateLimit-Policy: 100;w=60`,
			`RateLimit: limit=100, remaining=0, reset=3`,
		}},
		{"draft-07, all policies and the tightest limit", draft07, three, []string{
			`RateLimit-Policy: 1000;w=3600, 100;w=60, 5000;w=86400`,
			`RateLimit: limit=1000, remaining=9, reset=1000`,
		}},
		{"draft-07, no reset", draft07, bareLimit, nil},
		{"draft-07, the tightest limit of two of one quota", draft07, equalQuotas, []string{
			`RateLimit-Policy: 10;w=60, 20;w=3600`,
			`RateLimit: limit=10, remaining=3, reset=30`,
		}},
		{"draft-07, more than 15 digits", draft07, huge, []string{
			`RateLimit-Policy: 999999999999999;w=9223372037`,
			`RateLimit: limit=999999999999999, remaining=999999999999999, reset=9223372037`,
		}},
	})
}

// Two Handlers, one for requests and one for bytes, add a line each, and the client reads both limits.
func TestDraft10AddsToTheLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bytes := &ratelimittest.Handler{
			Limiter: &ratelimittest.Linear{Policy: ratelimittest.Policy{Name: "bytes", Unit: "content-bytes", Quota: 1 << 20, Window: time.Hour}},
			Cost:    func(*http.Request) int64 { return 1 << 10 },
		}
		requests := &ratelimittest.Handler{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "requests", Quota: 100, Window: time.Minute}},
			Next:    bytes,
		}
		resp, err := (&ratelimittest.Transport{Handler: requests}).RoundTrip(newRequest(t, "GET", "http://api.test/", nil))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, []string{`"requests";r=99;t=60`, `"bytes";r=1047552;t=3597`}, resp.Header.Values("RateLimit"))

		reading := validate.Response(resp, time.Now(), validate.Bounds{})
		require.Empty(t, reading.Problems)
		require.Equal(t, []limits.Reported{
			{Policy: "requests", Unit: "requests", Quota: 100, Remaining: 99, Window: time.Minute, Reset: time.Minute, Dialect: limits.DialectRateLimit},
			{Policy: "bytes", Unit: "content-bytes", Quota: 1 << 20, Remaining: 1<<20 - 1<<10, Window: time.Hour, Reset: 3597 * time.Second, Dialect: limits.DialectRateLimit},
		}, reading.Limits)
	})
}
