package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// Within one window no request goes earlier than planned behind others, whatever burst they may send. So none is refused
// that could have gone in time.
func TestBehindOthersIsNoLaterThanReality(t *testing.T) {
	burst, measured := pacer.Config{Jitter: -1}, pacer.Config{Jitter: -1, Measured: true}
	hourly := func(d *driver) {
		answer := several(named("second", 10, second, 9, second), named("hour", 5000, hour, 4990, hour))
		d.get(answer)
		d.get(answer)
		d.advance(10 * minute)
	}
	for _, row := range []struct {
		name    string
		cfg     pacer.Config
		prepare func(*driver)
		within  time.Duration // of the last one's start
	}{
		{"an idle client", burst, func(*driver) {}, 2 * second},
		{"an idle client, measured", measured, func(*driver) {}, 0},
		{"even", even, func(*driver) {}, 2 * second},
		{"a busy client", burst, func(d *driver) { d.crowd(15) }, 2 * second},
		{"a small and a large limit", burst, hourly, second},
		{"a small and a large limit, evenly", even, hourly, second},
		{"a small and a large limit, measured", measured, hourly, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			for ahead := range int64(40) {
				d := idled(t, row.cfg)
				row.prepare(d)
				planned := max(d.now, d.p.Plan(d.now, ahead, &one).At)
				for range ahead {
					d.now = max(d.now, d.plan().At)
					d.send(1)
				}
				late := max(d.now, d.plan().At).Sub(planned)
				require.GreaterOrEqual(t, late, -time.Millisecond, ahead)
				if row.within > 0 {
					require.LessOrEqual(t, late, row.within, ahead)
				}
			}
		})
	}
}
