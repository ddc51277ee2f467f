package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInstantSaturates(t *testing.T) {
	const first, longest, shortest = Instant(math.MinInt64), time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	for _, row := range []struct {
		name string
		at   Instant
		by   time.Duration
		want Instant
	}{
		{"within the range", 10, -4, 6},
		{"nothing", Never, 0, Never},
		{"to the end", Never - 1, 1, Never},
		{"past the end", Never - 1, 2, Never},
		{"past the end by most", Never, longest, Never},
		{"past the beginning", first + 1, -2, first},
		{"past the beginning by most", first, shortest, first},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, row.at.Add(row.by)) })
	}

	require.Equal(t, time.Duration(-4), Instant(6).Sub(10))
	require.Equal(t, longest, Never.Sub(-1))
	require.Equal(t, shortest, first.Sub(1))
}

func TestScale(t *testing.T) {
	for _, row := range []struct {
		name string
		d    time.Duration
		by   float64
		want time.Duration
	}{
		{"half", time.Second, 0.5, 500 * time.Millisecond},
		{"too long", time.Hour, 1e18, math.MaxInt64},
		{"too short", -time.Hour, 1e18, math.MinInt64},
		{"infinitely long", 1, math.Inf(1), math.MaxInt64},
		{"zero times infinity", 0, math.Inf(1), 0},
		{"not a number", time.Second, math.NaN(), 0},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.want, scale(row.d, row.by)) })
	}
}

func TestIntervalOfARate(t *testing.T) {
	for _, row := range []struct {
		name string
		rate float64
		want time.Duration
	}{
		{"four per second", 4.0 / float64(time.Second), 250 * time.Millisecond},
		{"none", 0, 0},
		{"negative", -1, 0},
		{"not a number", math.NaN(), 0},
		{"infinite", math.Inf(1), 0},
		{"less than one in 292 years", 1e-300, math.MaxInt64},
	} {
		t.Run(row.name, func(t *testing.T) { require.InDelta(t, row.want, interval(row.rate), 1) })
	}
}
