package sim

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

var start = time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)

func TestDialects(t *testing.T) {
	short := ratelimittest.Limit{Policy: "short", Quota: 3, Window: time.Second, Reset: 300 * time.Millisecond}
	long := ratelimittest.Limit{Policy: "long", Quota: 100, Window: time.Minute, Remaining: 7, Reset: 42 * time.Second}
	used := long
	used.Remaining = 0
	for _, row := range []struct {
		name     string
		dialect  ratelimittest.Dialect
		decision ratelimittest.Decision
		want     []string
	}{
		{"throttlers", Throttlers, ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{short, long}}, []string{
			"X-RateLimit-Limit-Short: 3", "X-RateLimit-Remaining-Short: 0", "X-RateLimit-Reset-Short: 1",
			"X-RateLimit-Limit-Long: 100", "X-RateLimit-Remaining-Long: 7", "X-RateLimit-Reset-Long: 42",
		}},
		{"refused by one throttler", Throttlers, ratelimittest.Decision{RetryAfter: 300 * time.Millisecond, Limits: []ratelimittest.Limit{short, long}}, []string{
			"Retry-After-Short: 1", "X-RateLimit-Limit-Long: 100", "X-RateLimit-Remaining-Long: 7", "X-RateLimit-Reset-Long: 42",
		}},
		{"refused by both", Throttlers, ratelimittest.Decision{RetryAfter: 42 * time.Second, Limits: []ratelimittest.Limit{short, used}}, []string{"Retry-After-Short: 1", "Retry-After-Long: 42"}},
		{"a reset that is later than the next unit", Throttlers, ratelimittest.Decision{RetryAfter: 2 * time.Second, Limits: []ratelimittest.Limit{used}}, []string{"Retry-After-Long: 2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			want, got := http.Header{}, http.Header{}
			for _, line := range row.want {
				name, value, _ := strings.Cut(line, ": ")
				want.Add(name, value)
			}
			row.dialect(got, start, row.decision)
			require.Equal(t, want, got)
		})
	}
}

func TestPushBack(t *testing.T) {
	l := PushBack(&ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)}, start, start.Add(20*time.Second))
	require.True(t, l.Take(start.Add(-1), "client", 1).Allowed)
	d := l.Take(start, "client", 1)
	require.False(t, d.Allowed)
	require.Equal(t, 20*time.Second, d.RetryAfter)
	require.Positive(t, d.Limits[0].Remaining)
	require.True(t, l.Take(start.Add(20*time.Second), "client", 100).Allowed, "nothing was taken")
	require.True(t, Fresh(l).Take(start.Add(20*time.Second), "client", 100).Allowed)
}

// Requests are made at their times, whatever happens to others, and those after the end fail.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &ratelimittest.Transport{Latency: 10 * time.Second}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://api.test/", http.NoBody)
		require.NoError(t, err)
		begun := time.Now()
		s := Schedule{0, time.Second, time.Second, 3 * time.Second}
		for i, o := range s.Send(client, req) {
			at := begun.Add(s[i])
			require.Equal(t, ratelimittest.Outcome{Start: at, End: at.Add(10 * time.Second), Status: http.StatusOK}, o)
		}
		require.Equal(t, 13*time.Second, time.Since(begun))
	})
}

func TestPoisson(t *testing.T) {
	const n = 10_000
	s := Poisson(rand.New(rand.NewPCG(1, 2)), n, time.Second)
	a := make(ratelimittest.Arrivals, n)
	for i, at := range s {
		a[i].Time = start.Add(at)
	}
	require.InDelta(t, n, s[n-1].Seconds(), 0.03*n, "one every second on average")
	require.InDelta(t, 1, a.GapCV(), 0.03, "independent of each other")
	require.Empty(t, Poisson(rand.New(rand.NewPCG(1, 2)), -1, time.Second))
}
