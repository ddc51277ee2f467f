package validate_test

import (
	"math"
	"testing"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

func TestBounds(t *testing.T) {
	const (
		none = -1
		day  = 24 * time.Hour
	)
	far := []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 86400"}
	trap := []string{`RateLimit-Policy: "a";q=10000;w=1000`, `RateLimit: "a";r=10000;t=10`}
	hostile := []string{`RateLimit-Policy: "a";q=999999999999999;w=999999999999999`, `RateLimit: "a";r=999999999999999;t=0`}
	run(t, []row{
		{
			name: "MaxReset", header: far, bounds: validate.Bounds{MaxReset: time.Hour},
			limits: limitList(limit(unknown, 5, unknown, time.Hour)), problems: []string{"X-RateLimit-Reset: longer than MaxReset, clamped"},
		},
		{
			name: "MaxReset of a Retry-After", status: 429, header: []string{"Retry-After: 86400"}, bounds: validate.Bounds{MaxReset: time.Hour},
			hasWait: true, wait: time.Hour, refused: true, problems: []string{"Retry-After: longer than MaxReset, clamped"},
		},
		{
			name: "a window that grants one unit in a year", header: []string{`RateLimit-Policy: "a";q=1;w=31536000`},
			limits:   limitList(named("a", limit(1, unknown, validate.DefaultMaxReset, unknown))),
			problems: []string{"RateLimit-Policy: longer than MaxReset, clamped"},
		},
		{
			name: "MaxQuota", header: []string{"X-RateLimit-Limit: 500", "X-RateLimit-Remaining: 499"}, bounds: validate.Bounds{MaxQuota: 100},
			limits:   limitList(limit(100, 100, unknown, unknown)),
			problems: []string{"X-RateLimit-Limit: more than MaxQuota, clamped", "X-RateLimit-Remaining: more than MaxQuota, clamped"},
		},
		{name: "the draft's own trap is for the pacer", header: trap, limits: limitList(named("a", limit(10000, 10000, 1000*s, 10*s)))},
		{
			name: "MaxRate", header: trap, bounds: validate.Bounds{MaxRate: 5},
			limits:   limitList(named("a", limit(5000, 50, 1000*s, 10*s))),
			problems: []string{"RateLimit: faster than MaxRate, clamped", "RateLimit-Policy: faster than MaxRate, clamped"},
		},
		{
			name: "MaxRate, reset now counts as a second", header: []string{"X-RateLimit-Remaining: 400", "X-RateLimit-Reset: 0"}, bounds: validate.Bounds{MaxRate: 5},
			limits: limitList(limit(unknown, 5, unknown, 0)), problems: []string{"X-RateLimit-Remaining: faster than MaxRate, clamped"},
		},
		{
			name: "MaxRate, no reset but a window", header: []string{`RateLimit-Policy: "a";q=100;w=20`, `RateLimit: "a";r=300`}, bounds: validate.Bounds{MaxRate: 5},
			limits: limitList(named("a", limit(100, 100, 20*s, unknown))), problems: []string{"RateLimit: faster than MaxRate, clamped"},
		},
		{
			name: "MaxRate leaves one unit", header: []string{"X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 3"}, bounds: validate.Bounds{MaxRate: 0.01},
			limits: limitList(limit(unknown, 1, unknown, 3*s)), problems: []string{"X-RateLimit-Remaining: faster than MaxRate, clamped"},
		},
		{
			name: "MaxRate is about requests", header: []string{`RateLimit-Policy: "a";q=1000000000;w=1;qu="content-bytes"`, `RateLimit: "a";r=900000000;t=1`},
			limits: limitList(named("a", withUnit(limits.ContentBytes, limit(1e9, 9e8, s, s)))),
		},
		{
			name: "MaxRate is no number", header: []string{"X-RateLimit-Remaining: 400000", "X-RateLimit-Reset: 1"}, bounds: validate.Bounds{MaxRate: math.NaN()},
			limits: limitList(limit(unknown, validate.DefaultMaxRate, unknown, s)), problems: []string{"X-RateLimit-Remaining: faster than MaxRate, clamped"},
		},
		{
			name:   "MaxRate, units in one family, the reset in another",
			header: []string{"RateLimit-Limit: 900", "RateLimit-Remaining: 800", "X-RateLimit-Limit: 900", "X-RateLimit-Reset: 2"}, bounds: validate.Bounds{MaxRate: 5},
			limits: limitList(limit(900, 10, unknown, 2*s)), problems: []string{"X-RateLimit-Limit: faster than MaxRate, clamped"},
		},
		{
			name: "no bounds", header: hostile, bounds: validate.Bounds{MaxReset: none, MaxQuota: none, MaxRate: none},
			limits: limitList(named("a", limit(999999999999999, 999999999999999, math.MaxInt64, 0))),
		},
		{
			name: "no bounds, numbers saturate", status: 429, bounds: validate.Bounds{MaxReset: none, MaxQuota: none, MaxRate: none},
			header: []string{
				"Retry-After: 9223372036854775807", "X-RateLimit-Limit: 9223372036854775807",
				"X-RateLimit-Remaining: 99999999999999999999999", "X-RateLimit-Reset-After: 9223372037",
			},
			limits:  limitList(limit(math.MaxInt64, math.MaxInt64, unknown, math.MaxInt64)),
			hasWait: true, wait: math.MaxInt64, refused: true,
		},
	})
}
