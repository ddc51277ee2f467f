package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// When the window changes, the history still contains what was sent within the new window.
func TestHistoryIsRescaled(t *testing.T) {
	var h history
	now := Instant(24 * time.Hour)
	for range 10 {
		h.add(now, time.Minute, 1)
		now = now.Add(3 * time.Second)
	}
	require.InDelta(t, 10, h.within(now, time.Minute), 0.01)
	longer, shorter := h, h
	longer.add(now, 30*time.Minute, 0)
	require.InDelta(t, 10, longer.within(now, 30*time.Minute), 0.01)
	shorter.add(now, 15*time.Second, 0)
	require.InDelta(t, 5, shorter.within(now, 15*time.Second), 1.5, "what is older is forgotten")
}
