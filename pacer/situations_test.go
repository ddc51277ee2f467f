package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// Situations whose outcome a reader of the package's comment (doc.go) can predict.
func TestSituations(t *testing.T) {
	for _, situation := range []struct {
		name string
		run  func(d *driver)
	}{
		{"1. The first answer ever tells q = 100, w = 60 s, r = 99, t = 60. The next one r = 98. How many may go after each?", func(d *driver) {
			d.get(says(100, minute, 99, minute))
			require.Equal(d.t, 1, d.burst())
			second := drive(d.t, pacer.Config{})
			second.get(says(100, minute, 99, minute))
			second.get(says(100, minute, 98, minute))
			require.InDelta(d.t, 10, second.burst(), 1)
		}},
		{"2. A window of 100 per 60 s, 40 left, 30 s to go, nobody else: how long between two requests?", func(d *driver) {
			d.get(says(100, minute, 40, 30*second))
			require.InDelta(d.t, 0.71, 1/d.limit().Rate, 0.01)
		}},
		{"3. The same window, nothing left, 20 s to go: when does the next request go?", func(d *driver) {
			d.get(says(100, minute, 1, 20*second))
			d.get(says(100, minute, 0, 20*second))
			d.wantWaitWithin(20*second, 22*second)
		}},
		{"4. A token bucket of 100 that gives two units back each second, 10 are there: how many requests per second?", func(d *driver) {
			bucket := &ratelimittest.Linear{Policy: ratelimittest.Per(100, 50*second)}
			known := inBursts(d.t, bucket, 20, 10*second)
			for known.limit().Remaining > 10 {
				known.get(of(bucket, draft10)(known.now))
			}
			require.InDelta(d.t, 2.2, known.limit().Rate, 0.2)
		}},
		{"5. A window of 100 per 60 s. While this client sent 20 units, r fell by 80: what share of the pace does it take?", func(d *driver) {
			d.beside(3, 100, 20)
			require.InDelta(d.t, 0.29, d.limit().Share, 0.06)
		}},
		{"6. The others leave, and this client uses 20 units of each window as before, then all it may: what is its share after five more windows?", func(d *driver) {
			d.beside(3, 100, 20)
			for range 5 {
				d.now = d.limit().LatestEnd + 1
				d.beside(0, 100, 80)
			}
			require.InDelta(d.t, 1, d.limit().Share, 0.05)
		}},
		{"7. A refusal with Retry-After: 5, of a window of 60 per 60 s: when may the next request go, at the earliest and the latest?", func(d *driver) {
			d.get(says(60, minute, 30, 30*second))
			d.get(refuses(says(60, minute, 29, 30*second), 5*second))
			d.wantWaitWithin(5*second, 7*second)
		}},
		{"8. Bare 429s in a row from a server that reported nothing before: how long are the first four holds, and the tenth?", func(d *driver) {
			for _, want := range []time.Duration{second / 4, second / 2, second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, minute, minute} {
				d.get(bare429())
				require.Equal(d.t, want, d.held().Round(time.Millisecond))
				d.wantWaitWithin(want, want+min(second, want/2))
				d.advance(d.wait())
			}
		}},
		{"9. A server tells nothing and answers all: how many may be in flight at first, after one answer, after two?", func(d *driver) {
			require.Equal(d.t, int64(1), d.state().Places)
			d.get(ok())
			require.Equal(d.t, int64(3), d.state().Places)
			d.get(ok())
			require.Equal(d.t, int64(5), d.state().Places)
		}},
		{"10. Nine are in flight and two of them get a 503: how many may be in flight then? If all nine get one? After 30 s of use?", func(d *driver) {
			for range 9 {
				d.get(ok())
			}
			in := d.occupy(9)
			d.answer(in[8], overloaded(0))
			d.answer(in[7], overloaded(0))
			require.Equal(d.t, int64(7), d.state().Places)
			for _, ticket := range in[:7] {
				d.answer(ticket, overloaded(0))
			}
			require.Equal(d.t, int64(4), d.state().Places)
			d.advance(d.wait())
			d.crowd(4)
			d.advance(30 * second)
			require.InDelta(d.t, 8, d.state().Places, 1)
		}},
		{"11. A server tells nothing. 57 successes within 60 s, hold included, then a refusal: at which pace does the client go on? Much later, if nothing is refused?", func(d *driver) {
			known := tried(d.t, 57, second/2, 31500*time.Millisecond)
			require.InDelta(d.t, 0.97, known.state().Trial, 0.01)
			known.goOn(known.since()+4*minute, ok)
			require.Greater(d.t, known.state().Trial, 2*0.97, "a rate stands for 120 s, and doubles half as long after")
		}},
		{"12. Everything known to limit /search is used up for an hour. The first request to /items comes: when does it go? And a request to /search?", func(d *driver) {
			d.getAs(pacer.Cost{Requests: 1, Route: 1}, several(named("search", 10, hour, 1, hour)))
			d.getAs(pacer.Cost{Requests: 1, Route: 1}, several(named("search", 10, hour, 0, hour)))
			require.Zero(d.t, d.waitAs(pacer.Cost{Requests: 1, Route: 2}))
			require.InDelta(d.t, 3601, d.waitAs(pacer.Cost{Requests: 1, Route: 1}).Seconds(), 2,
				"its window is reported, and trusted; nobody has seen it end, so the request goes a second later")
		}},
		{"13. A refusal says that nothing is left, and that the reset is two hours away. Every second look is refused as well: when do they go?", func(d *driver) {
			d.get(says(10, unknown, 1, 2*hour))
			for _, want := range []time.Duration{minute, 2 * minute, 4 * minute, 8 * minute} {
				d.get(refuses(says(10, unknown, 0, 2*hour-d.since()), unknown))
				require.InDelta(d.t, want.Seconds(), d.wait().Seconds(), 1)
				d.advance(d.wait())
			}
		}},
		{"14. Requests need 1,000 tokens each of 60,000 a minute, and 40,000 are left with the minute to go: how many seconds between two?", func(d *driver) {
			tokens := drive(d.t, even)
			for left := int64(59_000); left >= 40_000; left -= 1000 {
				tokens.get(several(limits.Reported{Policy: "tokens", Unit: "tokens", Quota: 60_000, Window: minute, Remaining: left, Reset: minute}))
			}
			require.InDelta(d.t, 60.0/40, 1000/tokens.limit().Rate, 0.05)
		}},
	} {
		t.Run(situation.name, func(t *testing.T) { situation.run(drive(t, pacer.Config{})) })
	}
}
