package limits_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

func TestShortName(t *testing.T) {
	for _, name := range []string{"", "default", strings.Repeat("a", 64)} {
		require.Equal(t, name, limits.ShortName(name))
	}
	for head := range 40 { // so that the cut falls at each place within a rune
		long := strings.Repeat("x", head) + strings.Repeat("€", 30)
		short := limits.ShortName(long)
		require.LessOrEqual(t, len(short), 64)
		require.True(t, utf8.ValidString(short), "%q", short)
		require.True(t, strings.HasPrefix(long, short[:len(short)-32]))
		require.GreaterOrEqual(t, len(short), 62)
		require.NotEqual(t, short, limits.ShortName(long+"x"))
		require.Equal(t, short, limits.ShortName(short))
	}
	require.Len(t, limits.ShortName(strings.Repeat("\x80", 100)), 61, "of what is no UTF-8 nothing more is cut")
	require.Zero(t, testing.AllocsPerRun(10, func() { limits.ShortName("default") }))
}
