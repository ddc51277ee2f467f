package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A dialect with room for one limit reports the tightest one, whatever the order.
func TestTheTightestLimitIsReported(t *testing.T) {
	requests := func(quota, remaining int64, reset time.Duration) ratelimittest.Limit {
		return ratelimittest.Limit{Quota: quota, Remaining: remaining, Reset: reset}
	}
	in := func(unit string, l ratelimittest.Limit) ratelimittest.Limit { l.Unit = unit; return l }
	const bytes, places = "content-bytes", "concurrent-requests"
	tests := []struct {
		name   string
		limits []ratelimittest.Limit
		want   string // the quota of the tightest limit
	}{
		{"fewest remaining, last", []ratelimittest.Limit{requests(10, 9, 60), requests(20, 8, 60), requests(30, 7, 1)}, "30"},
		{"fewest remaining, in the middle", []ratelimittest.Limit{requests(10, 9, 60), requests(20, 7, 1), requests(30, 8, 60)}, "20"},
		{"fewest remaining, though most of its quota", []ratelimittest.Limit{requests(1000, 20, 60), requests(10, 9, 1)}, "10"},
		{"the latest reset of equals", []ratelimittest.Limit{requests(10, 7, 1), requests(20, 7, 60), requests(30, 7, 2)}, "20"},
		{"the first of identical limits", []ratelimittest.Limit{requests(10, 7, 60), requests(20, 7, 60)}, "10"},
		{"many bytes, few of their quota", []ratelimittest.Limit{requests(100, 50, 60), in(bytes, requests(65535, 1000, 10))}, "65535"},
		{"few places, most of them", []ratelimittest.Limit{in(places, requests(8, 7, -1)), requests(100, 50, 60)}, "100"},
		{"two units, and the tightest limit of one", []ratelimittest.Limit{
			requests(1000, 20, 60), in(bytes, requests(65535, 9000, 10)), in("requests", requests(10, 9, 1)),
		}, "65535"},
		{"the later reset of equal shares", []ratelimittest.Limit{requests(10, 5, 1), in(bytes, requests(1000, 500, 2))}, "1000"},
		{"nothing left", []ratelimittest.Limit{in(bytes, requests(1000, 1, 60)), requests(10, 0, 1)}, "10"},
		{"no quota", []ratelimittest.Limit{in(bytes, requests(1000, 1, 60)), requests(0, 0, -1)}, "0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := written(delta, ratelimittest.Decision{Limits: tt.limits})
			require.Equal(t, tt.want, h.Get("X-RateLimit-Limit"))
		})
	}
}
