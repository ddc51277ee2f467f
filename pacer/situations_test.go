package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// Twelve situations whose outcome a reader of the package's comment (doc.go) can predict.
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
			require.InDelta(d.t, 0.73, 1/d.limit().Rate, 0.03)
		}},
		{"3. The same window, nothing left, 20 s to go: when does the next request go?", func(d *driver) {
			d.get(says(100, minute, 1, 20*second))
			d.get(says(100, minute, 0, 20*second))
			d.wantWaitWithin(20*second, 22*second)
		}},
		{"4. A token bucket of 100 that gives two units back each second, 10 are there: how many requests per second?", func(d *driver) {
			bucket := ratelimittest.NewLinear(100, 50*second)
			known := inBursts(d.t, bucket, 20, 10*second)
			for known.limit().Remaining > 10 {
				known.get(of(bucket)(known.now))
			}
			require.InDelta(d.t, 2.2, known.limit().Rate, 0.2)
		}},
		{"5. A window of 100 per 60 s. While this client sent 20 units, r fell by 80: what share of the pace does it take?", func(d *driver) {
			d.beside(3, 100, 20)
			require.InDelta(d.t, 0.29, d.limit().Share, 0.06)
		}},
		{"6. A refusal with Retry-After: 5, of a window of 60 per 60 s: when may the next request go, at the earliest and the latest?", func(d *driver) {
			d.get(says(60, minute, 30, 30*second))
			d.get(refuses(says(60, minute, 29, 30*second), 5*second))
			d.wantWaitWithin(5*second, 7*second)
		}},
		{"7. Four bare 429s in a row from a server that told nothing before: how long is each hold?", func(d *driver) {
			for _, want := range []time.Duration{second / 4, second / 2, second, 2 * second} {
				d.get(bare429())
				require.GreaterOrEqual(d.t, d.held(), want)
				require.LessOrEqual(d.t, d.held(), want+second, "with the slack")
				d.advance(d.wait())
			}
		}},
		{"8. A server tells nothing and answers all: how many may be in flight at first, after one answer, after two?", func(d *driver) {
			require.Equal(d.t, int64(1), d.state().Places)
			d.get(ok())
			require.Equal(d.t, int64(3), d.state().Places)
			d.get(ok())
			require.Equal(d.t, int64(5), d.state().Places)
		}},
		{"9. Nine are in flight and two of them get a 503: how many may be in flight then? And if all nine get one?", func(d *driver) {
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
		}},
		{"10. A server tells nothing. 57 successes within 60 s, hold included, then a refusal: at which pace does the client go on? And two minutes later?", func(d *driver) {
			known := tried(d.t, 57, second/2, 31500*time.Millisecond)
			require.InDelta(d.t, 0.92, known.state().Trial, 0.02)
			known.goOn(known.since()+2*minute, ok)
			require.InDelta(d.t, 1.38, known.state().Trial, 0.05)
		}},
		{"11. Everything known to limit /search is used up for an hour. The first request to /items comes: when does it go?", func(d *driver) {
			d.getAs(pacer.Cost{Requests: 1, Route: 1}, several(named("search", 10, hour, 1, hour)))
			d.getAs(pacer.Cost{Requests: 1, Route: 1}, several(named("search", 10, hour, 0, hour)))
			require.Zero(d.t, d.waitAs(pacer.Cost{Requests: 1, Route: 2}))
			require.Greater(d.t, d.waitAs(pacer.Cost{Requests: 1, Route: 1}), 50*minute)
		}},
		{"12. Requests need 1,000 tokens each of 60,000 a minute, and 40,000 are left with the minute to go: how many seconds between two?", func(d *driver) {
			tokens := drive(d.t, even)
			for left := int64(59_000); left >= 40_000; left -= 1000 {
				tokens.get(several(limits.Told{Policy: "tokens", Unit: "tokens", Quota: 60_000, Window: minute, Remaining: left, Reset: minute}))
			}
			require.InDelta(d.t, 60.0/41, 1000/tokens.limit().Rate, 0.05)
		}},
	} {
		t.Run(situation.name, func(t *testing.T) { situation.run(drive(t, pacer.Config{})) })
	}
}
