package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Who asked for as much as a share is to grow to would race the others for the last
// units of a window.
func TestShareThatWasMeasuredSuffices(t *testing.T) {
	l := limit{quota: 60, share: share{own: 1, total: 8}}
	require.Greater(t, 7*l.share.value(), 1.0)
	require.True(t, l.suffices(8))
	require.False(t, l.suffices(7))
	require.True(t, (&limit{}).suffices(1), "of a lone client")
}
