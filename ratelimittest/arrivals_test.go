package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// arrivals returns allowed requests at the given seconds after start.
func arrivals(seconds ...float64) ratelimittest.Arrivals {
	a := make(ratelimittest.Arrivals, len(seconds))
	for i, s := range seconds {
		a[i] = ratelimittest.Arrival{Time: start.Add(time.Duration(s * float64(time.Second))), Cost: 1, Allowed: true}
	}
	return a
}

func TestBusiest(t *testing.T) {
	tests := []struct {
		name  string
		a     ratelimittest.Arrivals
		width time.Duration
		want  int
	}{
		{"none", nil, time.Second, 0},
		{"the end of an interval is excluded", arrivals(0, 1, 2, 3), time.Second, 1},
		{"an interval may begin anywhere", arrivals(0, 0.9, 1.0, 1.5, 1.8, 2.5), time.Second, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, tt.a.Busiest(tt.width))
		})
	}
}

func TestSlices(t *testing.T) {
	a := arrivals(0, 1, 1.9, 2, 5)
	require.Equal(t, []int{1, 2, 1, 0, 0, 1}, a.Slices(start, time.Second))
	require.Equal(t, []int{3, 0, 1}, a.Slices(start.Add(time.Second), 2*time.Second))
	require.Empty(t, ratelimittest.Arrivals(nil).Slices(start, time.Second))
	require.Nil(t, a.Slices(start, 0))
	require.Nil(t, a.Slices(time.Time{}, time.Second), "too many to keep")
	require.Nil(t, a.Slices(start, -time.Second))
}

func TestGapCV(t *testing.T) {
	tests := []struct {
		name string
		a    ratelimittest.Arrivals
		want float64
	}{
		{"even", arrivals(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 0},
		// The middle of 10 s is [1, 9]: the gaps 1, 3, 1, 3 have mean 2 and deviation 1.
		{"short and long", arrivals(0, 1, 2, 5, 6, 9, 10), 0.5},
		// The burst is in the first tenth, and the last request but one in the last.
		{"first and last tenth do not count", arrivals(0, 0, 0, 0.3, 1, 3, 5, 7, 9, 9.1, 10), 0},
		{"all at once", arrivals(1, 1, 1, 1), math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.a.GapCV()
			if math.IsNaN(tt.want) {
				require.True(t, math.IsNaN(got), "%v", got)
				return
			}
			require.InDelta(t, tt.want, got, 1e-9)
		})
	}
}

func TestJain(t *testing.T) {
	of := func(client string, allowed, refused int) ratelimittest.Arrivals {
		a := make(ratelimittest.Arrivals, allowed+refused)
		for i := range a {
			a[i] = ratelimittest.Arrival{Client: client, Allowed: i < allowed}
		}
		return a
	}
	tests := []struct {
		name string
		a    ratelimittest.Arrivals
		want float64
	}{
		{"equal shares", append(of("a", 5, 1), of("b", 5, 9)...), 1},
		{"4 and 2", append(of("a", 4, 0), of("b", 2, 0)...), 36.0 / 40}, // 6² / (2 × (16 + 4))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			byClient := func(x ratelimittest.Arrival) string { return x.Client }
			require.InDelta(t, tt.want, tt.a.Jain(byClient), 1e-9)
		})
	}
	none := of("a", 0, 3).Jain(func(ratelimittest.Arrival) string { return "" })
	require.True(t, math.IsNaN(none), "%v", none)
}

func TestArrivals(t *testing.T) {
	at := func(s int, client string, allowed bool) ratelimittest.Arrival {
		return ratelimittest.Arrival{Time: start.Add(time.Duration(s) * time.Second), Client: client, Allowed: allowed}
	}
	a := ratelimittest.Arrivals{at(0, "a", true), at(1, "b", false), at(2, "a", false), at(3, "b", true)}
	require.Equal(t, ratelimittest.Arrivals{a[0], a[3]}, a.Allowed())
	require.Equal(t, ratelimittest.Arrivals{a[1], a[2]}, a.Refused())
	require.Equal(t, ratelimittest.Arrivals{a[0], a[2]}, a.Of("a"))
	require.Equal(t, ratelimittest.Arrivals{a[1], a[2]}, a.Between(a[1].Time, a[3].Time))
	require.Empty(t, a.Of("c"))
}
