package pacer_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// Whatever a server reports, no wait is longer than two windows plus the longest reported time and some minutes. A rate
// that was learned from refusals may wait for an hour.
func TestNoWaitIsLongerThanReported(t *testing.T) {
	for name, lie := range map[string]func(rng *rand.Rand) func() pacer.Answer{
		"nothing is ever left, and a little later there is": func(rng *rand.Rand) func() pacer.Answer {
			quota, window := pick[int64](rng, 1, 5, 1000, unknown), pick(rng, second, minute, hour, unknown)
			return func() pacer.Answer {
				return says(quota, window, pick(rng, 0, 0, 0, 1, quota), pick(rng, 0, second, 5*second))
			}
		},
		"anything": func(rng *rand.Rand) func() pacer.Answer {
			return func() pacer.Answer {
				return says(pick[int64](rng, 1, 2, 60, 1000, unknown), pick(rng, second, minute, hour, unknown),
					pick[int64](rng, 0, 1, 5, 1000), pick(rng, 0, second, minute, hour, unknown))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(150) {
				rng := rand.New(rand.NewPCG(seed, 0))
				d, answer := drive(t, pick(rng, pacer.Config{}, even)), lie(rng)
				var window, reported time.Duration
				for step := range 60 {
					d.advance(time.Duration(max(0, rng.Int64N(int64(hour))-int64(40*minute))))
					for range 3 { // as planned; a plan may change when its time has come
						most := 2*window + reported + 4*minute // a window until it ends, and one for the pace after that
						if d.plan().Cause == pacer.CauseTrial {
							most = max(most, hour)
						}
						require.LessOrEqual(t, d.wait(), most, "seed %d, step %d, %+v", seed, step, d.plan())
						d.advance(d.wait())
					}
					d.u = rng.Float64()
					ticket := d.send(1)
					d.advance(time.Duration(rng.Int64N(int64(second))))
					a := answer()
					if rng.IntN(4) == 0 {
						a = refuses(a, pick(rng, unknown, 0, second, 10*second))
					}
					reported, window = max(reported, a.RetryAfter, a.Limits[0].Reset), max(window, a.Limits[0].Window)
					if a.Limits[0].Window < 0 {
						window = max(window, hour) // the longest guess
					}
					d.answer(ticket, a)
				}
			}
		})
	}
}

// pick returns a random element.
func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

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
