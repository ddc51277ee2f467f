package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// The buckets cover all waits up to the default MaxWait.
func TestWaitBounds(t *testing.T) {
	bounds := WaitBounds()
	require.IsIncreasing(t, bounds)
	require.Positive(t, bounds[0], "no wait at all is in the first one")
	require.InDelta(t, headway.DefaultMaxWait.Seconds(), bounds[len(bounds)-1], (10 * time.Minute).Seconds())
}
