package limit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A refusal at the instant of the last reading, such as a policy that one response reports twice, leaves the guess a
// number.
func TestRefusalAtTheSameInstant(t *testing.T) {
	l := New(50)
	l.Quota, l.Window, l.Left, l.Seen, l.Units, l.Mark = 1, 37, 1, 100, 2, 2
	l.Length = &length{Watched: 50, Refill: refill{Begun: start{90, 0, 2}, Full: start{100, 1, 2}}}
	l.Belief.Believed = asCounter
	l.measureRefill(&report{Reading: &Reading{Sent: 90, Seen: 100, Reset: -1, Wait: -1, Units: 2, Refused: true}})
	require.InDelta(t, 37, l.Window, 37)
}
