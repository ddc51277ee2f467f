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
	c := &Concurrency{Policy: Policy{Quota: 2}}
	for i := range 1000 {
		require.True(t, c.Take(now, strconv.Itoa(i), 1).Allowed)
	}
	c.Take(now.Add(1000*time.Hour), "0", 0)
	require.Equal(t, 1000, c.taken.Len())
	for i := range 1000 {
		c.Release(now, strconv.Itoa(i), 1)
	}
	c.Take(now, "refused", 3)
	c.Release(now, "unknown", 1)
	require.Zero(t, c.taken.Len())
}
