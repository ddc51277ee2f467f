package pacer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// One success among the refusals of a start measures no rate. The server refuses everything but one request
// for a minute, with Retry-After: 1, and has no limit from then on. Two minutes later several requests go each second.
func TestOneSuccessInAStormIsNoRate(t *testing.T) {
	for _, success := range []time.Duration{0, 5 * second, 17 * second, 30 * second, 43 * second, 55 * second} {
		t.Run(fmt.Sprint("after ", success), func(t *testing.T) {
			for seed := range uint64(5) {
				served, late := false, 0
				w := newWorld(seed, 50*time.Millisecond, func(e *exchange) {
					e.answer = ok()
					switch at := e.client.now; {
					case at < minute && (served || at < success):
						e.answer = refuses(ok(), second)
					case at < minute:
						served = true
					case at >= 170*second:
						late++
					}
				})
				w.join(pacer.Config{}, 16, 0)
				w.run(3 * minute)
				require.Greater(t, late, 10*5, "in the last ten seconds")
			}
		})
	}
}

// Without a reported time a refusal holds for at most a minute and a margin of a second, or 16 minutes after twenty
// minutes of nothing else. Clients come back within a
// second or, if successes have shown a rate, within some more minutes. After one success the next request goes.
func TestBare429sHoldAMinute(t *testing.T) {
	for _, row := range []struct {
		name   string
		before pacer.Answer // a success
		chance float64      // of another success
		back   time.Duration
	}{
		{"nothing reported", ok(), 0, second},
		{"nothing reported, a success in a thousand", ok(), 0.001, minute},
		{"nothing reported, a success in twenty", ok(), 0.05, 5 * minute},
		{"nothing reported, a success in three", ok(), 0.33, 15 * minute},
		{"an hour's quota of one", says(1, hour, 1, unknown), 0, hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			for seed := range uint64(5) {
				rng := rand.New(rand.NewPCG(seed, 0))
				d := drive(t, pacer.Config{})
				d.get(row.before)
				for range 500 {
					d.u = rng.Float64()
					d.advance(d.wait())
					if rng.Float64() < row.chance {
						d.get(ok())
					} else {
						d.get(bare429())
						require.LessOrEqual(t, d.held(), 16*minute+second)
					}
					require.LessOrEqual(t, d.wait(), 16*minute+second+row.back*11/10)
				}
			}
		})
	}
	d := drive(t, pacer.Config{})
	for range 500 {
		d.advance(d.wait())
		d.get(bare429())
	}
	d.advance(d.wait())
	d.get(ok())
	d.wantWait(0)
}

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
		"quotas of one": func(rng *rand.Rand) func() pacer.Answer {
			window := pick(rng, second, minute, hour, unknown)
			return func() pacer.Answer { return says(1, window, rng.Int64N(2), pick(rng, 0, second, window)) }
		},
		"quotas that fall": func(rng *rand.Rand) func() pacer.Answer {
			quota, window := int64(1000), pick(rng, second, minute, hour, unknown)
			return func() pacer.Answer {
				quota = max(1, quota*3/4)
				return says(quota, window, rng.Int64N(quota+1), time.Duration(rng.Int64N(int64(max(window, second)))))
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
			for seed := range uint64(500) {
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

// State changes no plan: of two partitions with the same events, the state of one is queried again and again.
func TestLookingChangesNothing(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		cfg := pick(rng, pacer.Config{}, even, pacer.Config{Measured: true})
		seen, unseen := drive(t, cfg), drive(t, cfg)
		if rng.IntN(4) == 0 {
			seen.p.AwaitParts()
			unseen.p.AwaitParts()
		}
		look := func() {
			for range 1 + rng.IntN(3) {
				cost := via(uint8(rng.IntN(3)))
				seen.p.State(seen.now)
				seen.usage()
				seen.p.Plan(seen.now, rng.Int64N(5), &cost)
				seen.p.Uses(&cost)
				seen.p.Held(seen.now)
				seen.p.Idle(seen.now)
				seen.p.PartMayGrow()
			}
		}
		window, quota, left := pick(rng, 10*second, minute), pick[int64](rng, 10, 60), int64(10)
		for step := range 100 {
			pause := time.Duration(rng.Int64N(int64(pick(rng, second, 10*second, 2*minute))))
			for range 1 + rng.IntN(4) { // time passes for both, but only one is queried meanwhile
				seen.advance(pause / 4)
				look()
			}
			seen.now = unseen.now.Add(pause)
			unseen.advance(pause)
			route, u := uint8(rng.IntN(3)), rng.Float64()
			a := ok()
			if rng.IntN(4) > 0 {
				left = pick(rng, max(left-1, 0), rng.Int64N(quota+1))
				a = says(quota, pick(rng, window, unknown), left, time.Duration(rng.Int64N(int64(window))).Truncate(second))
			}
			if rng.IntN(6) == 0 {
				a = refuses(a, pick(rng, unknown, 0, 5*second))
			}
			for _, d := range []*driver{seen, unseen} {
				d.u = u
				d.getAs(via(route), a)
			}
			look()
			for _, route := range []uint8{0, 1, 2} {
				cost := via(route)
				require.Equal(t, unseen.p.Plan(unseen.now, 0, &cost), seen.p.Plan(seen.now, 0, &cost), "seed %d, step %d, route %d", seed, step, route)
			}
			require.Equal(t, unseen.state(), seen.state(), "seed %d, step %d", seed, step)
			require.Equal(t, unseen.usage(), seen.usage(), "seed %d, step %d", seed, step)
		}
	}
}

// A client goes on trying if a quota of one per minute is only ever reported as used up.
func TestNothingIsEverLeft(t *testing.T) {
	d := drive(t, pacer.Config{})
	says := func(reset time.Duration) pacer.Answer { return says(unknown, unknown, 0, reset) }
	for _, a := range []pacer.Answer{
		refuses(says(0), minute), says(0), refuses(says(second), minute), says(0), refuses(says(38*second), second), says(0),
	} {
		for range 10 {
			d.advance(d.wait())
		}
		d.wantWait(0)
		d.get(a)
	}
	d.advance(10 * minute)
	d.wantWait(0)
}
