package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	sec := func(n int64) Instant { return Instant(n * int64(time.Second)) }
	s := span{lo: sec(10), hi: sec(12)}

	require.False(t, span{}.known())
	require.True(t, s.known())
	require.Equal(t, sec(11), s.mid())
	require.Equal(t, span{lo: sec(15), hi: sec(17)}, s.shift(5*time.Second))
	require.Equal(t, span{lo: sec(9), hi: sec(13)}, s.widen(time.Second))

	require.Equal(t, span{lo: sec(11), hi: sec(12)}, s.and(span{lo: sec(11), hi: sec(20)}))
	require.False(t, s.meets(span{lo: sec(12), hi: sec(13)}), "an open and a closed end do not meet")
	require.Equal(t, s, s.and(span{lo: sec(12), hi: sec(13)}), "spans that exclude each other: the first stays")
}

func TestResetSpan(t *testing.T) {
	sent, now := Instant(100*time.Second), Instant(102*time.Second)
	for _, row := range []struct {
		name  string
		reset time.Duration
		want  span
	}{
		{"unknown", Unknown, span{}},
		{"whole seconds, rounded up", 5 * time.Second, span{Instant(104 * time.Second), Instant(107 * time.Second)}},
		{"now", 0, span{Instant(99 * time.Second), Instant(102 * time.Second)}},
		{"beyond the range", 1<<63 - 1, span{Never - Instant(time.Second) + sent, Never}},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := resetSpan(now, sent, row.reset)
			if row.name == "beyond the range" {
				require.Equal(t, Never, got.hi)
				require.LessOrEqual(t, got.lo, got.hi)
				return
			}
			require.Equal(t, row.want, got)
		})
	}
}
