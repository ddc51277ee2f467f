package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestClaiming(t *testing.T) {
	const limit = "X-RateLimit-Limit: 100"
	claim := func(change func(*ratelimittest.Limit)) ratelimittest.Dialect {
		return ratelimittest.Claiming(ratelimittest.XRateLimitDelta, change)
	}
	more := claim(func(l *ratelimittest.Limit) { l.Remaining += 5 })
	constant := claim(func(l *ratelimittest.Limit) { l.Reset = time.Second })
	negative := claim(func(l *ratelimittest.Limit) { l.Remaining = -1 })
	zero := claim(func(l *ratelimittest.Limit) { *l = ratelimittest.Limit{} })
	runGoldens(t, []golden{
		{"more than there is", more, one, []string{limit, "X-RateLimit-Remaining: 55", "X-RateLimit-Reset: 30"}},
		{"more than there is, refused", more, refusal, []string{limit, "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 3"}},
		{"a constant reset", constant, one, []string{limit, "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1"}},
		{"negative", negative, one, []string{limit, "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30"}},
		{"all zero", zero, one, []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"}},
		{"all limits", ratelimittest.Claiming(ratelimittest.Draft10, func(l *ratelimittest.Limit) { l.Remaining *= 2 }), three, []string{
			`RateLimit-Policy: "hour";q=1000;w=3600, "minute";q=100;w=60, "day";q=5000;w=86400`,
			`RateLimit: "hour";r=18;t=1000, "minute";r=18;t=30, "day";r=20;t=72000`,
		}},
		{"no limits", more, nothing, nil},
	})
	require.EqualValues(t, 50, one.Limits[0].Remaining, "the limiter's own numbers")
	require.Equal(t, 29001*ms, one.Limits[0].Reset)
}

func TestInTrailer(t *testing.T) {
	runGoldens(t, []golden{
		{"X-RateLimit", ratelimittest.InTrailer(ratelimittest.XRateLimitDelta), one, []string{
			"Trailer:X-Ratelimit-Limit: 100", "Trailer:X-Ratelimit-Remaining: 50", "Trailer:X-Ratelimit-Reset: 30",
		}},
		{"no limits", ratelimittest.InTrailer(ratelimittest.Draft10), nothing, nil},
	})
}

func TestRenaming(t *testing.T) {
	d := ratelimittest.Renaming(ratelimittest.Draft10)
	runGoldens(t, []golden{
		{"first", d, one, []string{`RateLimit-Policy: "default 1";q=100;w=60`, `RateLimit: "default 1";r=50;t=30`}},
		{"second", d, refusal, []string{`RateLimit-Policy: "default 2";q=100;w=60`, `RateLimit: "default 2";r=0;t=3`}},
	})
	require.Equal(t, "default", one.Limits[0].Policy, "the limiter's own name")
}
