package ratelimittest

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Limiters decide at the zero time.Time and before year 1 as at any other time.
func TestLimitersAtAnyTime(t *testing.T) {
	usual := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		at   time.Time
	}{
		{"at the zero time", time.Time{}},
		{"in the first window", time.Time{}.Add(time.Minute)},
		{"just before year 1", time.Time{}.Add(-time.Minute)},
		{"long before year 1", time.Date(-5000, time.January, 1, 0, 0, 0, 0, time.UTC)},
		{"in 1970", time.Unix(0, 0)},
		{"in the far future", time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)},
	}
	decisions := func(v variant, at time.Time) (ds []Decision) {
		l := v.make(Policy{Quota: 5, Window: time.Minute})
		for range 10 {
			_, ever := next(l, at, 2)
			require.True(t, ever)
			ds = append(ds, l.Take(at, "client", 2))
			at = at.Add(13 * time.Second)
		}
		return ds
	}
	for _, v := range variants() {
		for _, phase := range []time.Duration{0, 30 * time.Second} {
			want := decisions(v, usual.Add(phase))
			for _, tt := range tests {
				t.Run(v.name+" "+tt.name+" and "+phase.String(), func(t *testing.T) {
					require.Equal(t, want, decisions(v, tt.at.Add(phase)))
				})
			}
		}
	}
}

// With extreme quotas, windows and costs nothing is allowed without a quota, and no wait is negative.
func TestLimitersWithExtremeNumbers(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			for _, window := range []time.Duration{1, 290 * 365 * 24 * time.Hour, math.MaxInt64} {
				for _, quota := range []int64{-1, 0, 1, math.MaxInt64} {
					for _, cost := range []int64{1, math.MaxInt64} {
						t.Run(fmt.Sprintf("%d per %v, cost %d", quota, window, cost), func(t *testing.T) {
							v.testOverCenturies(t, Policy{Quota: quota, Window: window}, cost)
						})
					}
				}
			}
		})
	}
}

func (v variant) testOverCenturies(t *testing.T, p Policy, cost int64) {
	t.Helper()
	l := v.make(p)
	for _, year := range []int{2030, 2030, 1030, 2030, 2310, 2930, 2931, 2030} {
		now := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
		at, ever := next(l, now, cost)
		require.False(t, at.Before(now), year)
		d := l.Take(now, "client", cost)
		if year < 2930 { // in later years, differences overflow a time.Duration
			require.Equal(t, ever && at.Equal(now), d.Allowed, year)
		}
		require.False(t, d.Allowed && p.Quota <= 0, year)
		require.GreaterOrEqual(t, d.RetryAfter, time.Duration(0), year)
		for _, limit := range d.Limits {
			require.GreaterOrEqual(t, limit.Reset, time.Duration(-1), year)
			require.GreaterOrEqual(t, limit.Remaining, int64(0), year)
		}
	}
}

// A penalty keeps a client out even if the price of a unit is below a nanosecond.
func TestLinearPenaltyWithAPriceBelowANanosecond(t *testing.T) {
	now := time.Unix(0, 0)
	l := &Linear{Policy: Policy{Quota: 1000, Window: 100}, Penalty: 50}
	require.False(t, l.Take(now, "client", 1001).Allowed)
	d := l.Take(now, "client", 1)
	require.False(t, d.Allowed)
	require.Equal(t, time.Duration(50), d.RetryAfter)
	require.True(t, l.Take(now, "client", 0).Allowed, "cost 0 only reports")
	require.True(t, l.Take(now.Add(50), "client", 1).Allowed)
}
