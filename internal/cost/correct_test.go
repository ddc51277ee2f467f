package cost

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A request of one request and ten tokens was answered at 100 s, and its real cost is reported at 130 s.
func TestCorrect(t *testing.T) {
	const tokens, second = limits.Unit("tokens"), pacer.Instant(time.Second)
	of := func(remaining int64, window time.Duration, reported, end pacer.Instant) pacer.LimitState {
		var l pacer.LimitState
		l.Unit, l.Remaining, l.Window, l.ReportedAt, l.LatestEnd = tokens, remaining, window, reported*second, end*second
		return l
	}
	open := of(50, time.Hour, 90, 3600)
	for _, row := range []struct {
		name  string
		limit pacer.LimitState
		real  map[limits.Unit]int64
		want  int64 // tokens
		wrong bool
	}{
		{"less", open, map[limits.Unit]int64{tokens: 4}, 4, true},
		{"more", open, map[limits.Unit]int64{tokens: 40}, 40, true},
		{"unknown", open, map[limits.Unit]int64{tokens: -1}, 10, false},
		{"another unit", open, map[limits.Unit]int64{"points": 4}, 10, false},
		{"too much to count", open, map[limits.Unit]int64{tokens: 1 << 62}, pacer.MostCost, true},
		{"what remains was reported since", of(50, time.Hour, 110, 3600), map[limits.Unit]int64{tokens: 4}, 0, false},
		{"what remains is unknown", of(limits.Unknown, time.Hour, 110, 3600), map[limits.Unit]int64{tokens: 4}, 4, true},
		{"less, in a window that has ended", of(50, 20*time.Second, 90, 140), map[limits.Unit]int64{tokens: 4}, 10, false},
		{"more, in a window that has ended", of(50, 20*time.Second, 90, 140), map[limits.Unit]int64{tokens: 40}, 40, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			since := NewProgress(130*second, 100*second, []pacer.LimitState{row.limit})
			reserved := pacer.Cost{Requests: 1, Others: &[pacer.MaxOthers]int64{10}, Key: "a2V5"}
			c, wrong := Correct(&reserved, []limits.Unit{tokens}, row.real, since)
			require.Equal(t, row.want, c.Others[0])
			require.Equal(t, row.wrong, wrong)
			require.Zero(t, c.Requests, "no limit counts requests")
			require.Equal(t, "a2V5", c.Key)
			require.EqualValues(t, 10, reserved.Others[0])
		})
	}
}
