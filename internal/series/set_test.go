package series

import (
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/ratelimittest"
)

// Every kind of event is recorded.
func TestScenario(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tallied()
		var during Sum
		p := seriestest.Play(t, set, func() { during = *set.sum() })
		limits := map[Limit]headway.LimitState{{"default", "requests"}: p.State.Limits[0]}
		require.Equal(t, Sum{
			Partitions: 1, Queued: 2, Sending: p.State.Sending, Pace: p.State.Pace, Hold: p.Hold, Wait: p.Wait, Limits: limits,
		}, during)
		require.Greater(t, p.Hold, 40*time.Second)
		require.Equal(t, 2*time.Second, p.Wait.Truncate(time.Second))

		events := set.events(t, testPartition)
		waits := 0
		for _, cause := range []string{"hold", "quota", "pace"} { // whichever ends later
			event := `waited "default" ` + cause
			waits += events[event]
			delete(events, event)
		}
		require.Equal(t, 3, waits)
		require.Equal(t, map[string]int{
			"sent": 3, "resent": 1, "abandoned": 1, `throttled "" 429`: 1,
			`refused "default" deadline`: 1, "evicted idle": 1,
		}, events)
		waited := set.all[[2]string{"", testPartition}].waited
		require.Equal(t, 5*time.Second, waited[OutcomeAbandoned])
		require.Greater(t, waited[OutcomeResent], 40*time.Second, "the whole hold")
		require.Equal(t, p.Waited, waited[OutcomeSent]+waited[OutcomeResent]+waited[OutcomeAbandoned])
		require.Equal(t, map[string]int{"sent": 1, `throttled "" 503`: 1, `refused "" max_wait`: 1, "evicted idle": 1}, set.events(t, "https://slow.example.com"))
		require.Equal(t, map[string]int{"sent": 1, "ignored malformed": 1, "evicted idle": 1}, set.events(t, "https://odd.example.com"))
		require.Empty(t, set.Sums(), "all are forgotten")
	})
}

func TestRequestsInFlight(t *testing.T) {
	set := tallied()
	inFlight := 0
	server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inFlight = set.sum().InFlight
	})}
	require.NoError(t, seriestest.Get(t.Context(), seriestest.Instrumented(t, set, server), seriestest.URL))
	require.Equal(t, 1, inFlight)
	require.Zero(t, set.sum().InFlight)
}

func TestInstrumentErrors(t *testing.T) {
	set := tallied()
	require.Error(t, set.Instrument(nil, ""))
	transport := &headway.Transport{}
	require.NoError(t, set.Instrument(transport, "a"))
	trace := transport.Trace
	require.Error(t, set.Instrument(transport, "b"))
	require.Same(t, trace, transport.Trace)
	require.NoError(t, tallied().Instrument(transport, ""), "another set may record as well")
}

// Transports of one name share series, others do not.
func TestSeveralTransports(t *testing.T) {
	set := tallied()
	for i, name := range []string{"", "", "search", "search", "mail\n"} {
		transport := &headway.Transport{Base: seriestest.Answering(http.StatusOK)}
		require.NoError(t, set.Instrument(transport, name))
		for range i + 1 {
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
		}
	}
	sums := set.Sums()
	for name, want := range map[string]struct{ sent, partitions int }{"": {3, 2}, "search": {7, 2}, "mail\ufffd": {5, 1}} {
		one := set.all[[2]string{name, testPartition}]
		require.Equal(t, want.sent, one.events[OutcomeSent], name)
		require.Equal(t, want.partitions, sums[one].Partitions, name)
	}
	require.Len(t, sums, 3)
}

// A removed Transport is no longer recorded, and can be collected.
func TestRemove(t *testing.T) {
	set := tallied()
	set.Remove(&headway.Transport{})
	used := func() weak.Pointer[headway.Transport] {
		transport := seriestest.Instrumented(t, set, seriestest.Answering(http.StatusOK))
		require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
		return weak.Make(transport)
	}()
	runtime.GC()
	require.NotNil(t, used.Value())
	require.Len(t, set.Sums(), 1)

	set.Clear() // removes all
	require.NoError(t, seriestest.Get(t.Context(), used.Value(), seriestest.URL))
	require.Empty(t, set.Sums())
	require.Equal(t, 1, set.sent())
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, used.Value())
}

func TestConcurrency(t *testing.T) {
	set := tallied()
	set.MaxPartitions = 5
	sent := seriestest.Crowd(t, set, func() { _ = set.Sums() })
	require.Equal(t, sent, set.sent())
}
