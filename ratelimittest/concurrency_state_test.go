package ratelimittest

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// State exists for exactly the clients with requests in flight, however long the requests take.
func TestConcurrencyKeepsStateOfRequestsInFlight(t *testing.T) {
	now := time.Unix(0, 0)
	c := NewConcurrency(2)
	for i := range 1000 {
		require.True(t, c.Take(now, strconv.Itoa(i), 1).Allowed)
	}
	c.Take(now.Add(1000*time.Hour), "0", 0)
	require.Len(t, c.taken.byClient, 1000)
	for i := range 1000 {
		c.Release(now, strconv.Itoa(i), 1)
	}
	c.Take(now, "refused", 3)
	c.Release(now, "unknown", 1)
	require.Empty(t, c.taken.byClient)
	require.Zero(t, c.taken.byAge.Len())
}
