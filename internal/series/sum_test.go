package series

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// If users have separate quotas, the Sum has the one with the least remaining.
func TestSumOfCredentials(t *testing.T) {
	server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("RateLimit-Policy", `"day";q=`+req.Header.Get("Quota")+`;w=86400`)
		w.Header().Set("RateLimit", `"day";r=`+req.Header.Get("Remaining")+`;t=86400`)
	})}
	set := tallied()
	transport := seriestest.Instrumented(t, set, server)
	for user, told := range [][2]string{{"60", "50"}, {"5000", "100"}, {"60", "30"}} {
		require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL,
			"Authorization", fmt.Sprintf("Bearer %d", user), "Quota", told[0], "Remaining", told[1]))
	}
	sum := set.sum()
	require.Equal(t, 3, sum.Partitions)
	limit := sum.Limits[Limit{"day", "requests"}]
	require.EqualValues(t, 5000, limit.Quota)
	require.EqualValues(t, 100, limit.Remaining)
	slowest := 1.0
	for _, p := range transport.State() {
		slowest = min(slowest, p.Pace)
	}
	require.InDelta(t, slowest, sum.Pace, slowest/100)
}

// What was restored and not used yet makes no series, as its name is not known.
func TestRestoredPartitionsAreLeftOut(t *testing.T) {
	server := &ratelimittest.Transport{Handler: &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(9, time.Hour)}}}
	earlier := &headway.Transport{Base: server, SnapshotKey: []byte("sixteen bytes or more")}
	require.NoError(t, seriestest.Get(t.Context(), earlier, seriestest.URL))
	snapshot, err := earlier.Snapshot()
	require.NoError(t, err)

	set := tallied()
	transport := seriestest.Instrumented(t, set, server)
	transport.SnapshotKey = earlier.SnapshotKey
	require.NoError(t, transport.Restore(snapshot))
	require.Len(t, transport.State(), 1)
	require.Empty(t, set.Sums())
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	require.Equal(t, 1, set.sum().Partitions)
}

// The Sum includes the hold of a single limit.
func TestHoldOfALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("RateLimit-Policy", `"daily";q=100;w=86400, "tokens";q=100;w=3600;qu="tokens"`)
			w.Header().Set("RateLimit", `"daily";r=99;t=80000, "tokens";r=99;t=3000`)
			w.Header().Set("Retry-After", "100")
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["tokens"]}`)
		})}
		set := tallied()
		transport := seriestest.Instrumented(t, set, server)
		transport.MaxRetries = -1
		require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
		state := transport.State()[0]
		require.Zero(t, state.HeldUntil)
		held := time.Duration(0)
		for _, limit := range state.Limits {
			held = max(held, time.Until(limit.HeldUntil))
		}
		require.GreaterOrEqual(t, held, 100*time.Second)
		require.Equal(t, held, set.sum().Hold)
	})
}

// Each limit is scarcer than all that follow, in any order of adding.
func TestScarcer(t *testing.T) {
	all := []headway.LimitState{
		{Known: limits.Known{Quota: 5000, Remaining: 0}},
		{Known: limits.Known{Quota: 60, Remaining: 0}},
		{Known: limits.Known{Quota: -1, Remaining: 0}},
		{Known: limits.Known{Quota: 5000, Remaining: 100}},
		{Known: limits.Known{Quota: 60, Remaining: 30}},
		{Known: limits.Known{Quota: 600, Remaining: 300}},
		{Known: limits.Known{Quota: 0, Remaining: 1}},
		{Known: limits.Known{Quota: -1, Remaining: 1}},
		{Known: limits.Known{Quota: 60, Remaining: 60}},
		{Known: limits.Known{Quota: 60, Remaining: -1}},
		{Known: limits.Known{Quota: -1, Remaining: -1}},
	}
	for i := range all {
		for j := range all {
			require.Equal(t, i < j, scarcer(&all[i], &all[j]), "%+v and %+v", all[i], all[j])
		}
	}
}
