package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// TestTraffic measures, in virtual time, the load of a fleet on its store: about one command per second for
// each process and partition, plus a few for divisions, regardless of the number of requests.
func TestTraffic(t *testing.T) {
	const window, to = time.Minute, 3 * time.Minute
	var table strings.Builder
	measure := func(n int, quota int64) float64 {
		all := slices.Repeat([]process{{to: to}}, n)
		s := scenario{algorithm: fixed, quota: quota, window: window, from: window, to: to, processes: all}
		f := s.run(t, 0)
		_, _ = fmt.Fprintf(&table, "%4d processes, %6.0f requests/s: %5.1f commands/s\n", n, float64(quota)/window.Seconds(), f.commands*float64(n))
		return f.commands
	}
	for _, n := range []int{1, 8, 64} {
		if kit.Raced && n > 1 {
			break
		}
		few := measure(n, int64(n)*15)
		many := measure(n, int64(n)*1500)
		require.LessOrEqual(t, many, 1.2*few, "a hundred times as many requests")
		require.LessOrEqual(t, few, 1.1+4/float64(n), "one renewal a second, and four agreements")
	}
	t.Logf("\n%s", table.String())
}
