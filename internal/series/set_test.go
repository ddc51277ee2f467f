package series

import (
	"net/http"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/ratelimittest"
)

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
