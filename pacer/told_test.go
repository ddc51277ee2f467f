package pacer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headway-go/headway/pacer"
)

// What TestToldTimesAreNotOverrun requires.
const (
	toldLate  = 0.1         // of the told time, or
	toldLeast = time.Second // if that is more, the first request goes so late at most
	toldRound = time.Second // later still if the server told a reset, which it rounds
	toldPace  = 0.4         // of the interval of the pace, at least, is between the first request and the second one
)

// A toldTime is a refusal that says when to come.
type toldTime struct {
	name     string
	before   int          // requests before it, one per second or as planned
	served   pacer.Answer // to each of them
	refusal  pacer.Answer
	told     time.Duration
	isReset  bool
	returned pacer.Answer  // to the first request after it
	interval time.Duration // of the pace that begins with that: w/q, or the time per success until then
}

// toldTimes returns the rows.
func toldTimes() []toldTime {
	const quarter = 6 * hour
	none := bare429()
	return []toldTime{
		{
			"100 per day, r = 0, t = 60", 1, says(100, day, 5, 61*second), refuses(says(100, day, 0, minute), unknown), minute,
			true, says(100, day, 99, day), day / 100,
		},
		{
			"100 per day, r = 0, t = 60, at first", 0, ok(), refuses(says(100, day, 0, minute), unknown), minute,
			true, says(100, day, 99, day), day / 100,
		},
		{
			"100 per day, r = 0, t = 60, Retry-After: 60", 1, says(100, day, 5, 61*second), refuses(says(100, day, 0, minute), minute),
			minute, true, says(100, day, 99, day), day / 100,
		},
		{
			"100 per 6 h, r = 40, t = 3 h, Retry-After: 30", 1, says(100, quarter, 40, 3*hour),
			refuses(says(100, quarter, 40, 3*hour), 30*second), 30 * second, false, says(100, quarter, 39, 3*hour), quarter / 100,
		},
		{
			"100 per 6 h before, then Retry-After: 30 alone", 1, says(100, quarter, 40, 3*hour), refuses(none, 30*second), 30 * second,
			false, says(100, quarter, 39, 3*hour), quarter / 100,
		},
		{
			"10 per hour, r = 0, t = 6 min, Retry-After: 360, a bucket", 1, says(10, hour, 1, 6*minute),
			refuses(says(10, hour, 0, 6*minute), 6*minute), 6 * minute, true, says(10, hour, 0, 6*minute), hour / 10,
		},
		{"no limit, Retry-After: 5", 10, ok(), refuses(none, 5*second), 5 * second, false, ok(), 1500 * time.Millisecond},
		{"no limit, Retry-After: 3600", 10, ok(), refuses(none, hour), hour, false, ok(), 7 * second},
		{"no limit, 503 with Retry-After: 30", 10, ok(), overloaded(30 * second), 30 * second, false, ok(), 0},
	}
}

// play returns when the first request goes after the refusal, and when the second one after that.
func (r *toldTime) play(t *testing.T, chance float64) (first, second time.Duration) {
	t.Helper()
	d := drive(t, pacer.Config{})
	d.u = chance
	for range r.before {
		d.answer(d.proceed(), r.served)
		d.advance(time.Second)
	}
	d.answer(d.proceed(), r.refusal)
	refused := d.now
	ticket := d.proceed()
	first = d.now.Sub(refused)
	d.advance(50 * time.Millisecond)
	d.answer(ticket, r.returned)
	d.proceed()
	return first, d.now.Sub(refused) - first
}

// TestToldTimesAreNotOverrun shows that a server that says when to come is believed, whatever the pace: the first request
// goes then, and not an interval later. The pace begins with it. With -v it logs when.
func TestToldTimesAreNotOverrun(t *testing.T) {
	for _, row := range toldTimes() {
		for _, chance := range []float64{0, 0.5, 0.999} {
			t.Run(fmt.Sprintf("%s, chance %g", row.name, chance), func(t *testing.T) {
				first, second := row.play(t, chance)
				most := row.told + max(toldLeast, time.Duration(toldLate*float64(row.told)))
				if row.isReset {
					most += toldRound
				}
				t.Logf("told %v: the first goes after %v, at most %v; the second one %v later, the pace has %v",
					row.told, first.Round(time.Millisecond), most, second.Round(time.Millisecond), row.interval)
				assert.GreaterOrEqual(t, first, row.told, "it goes too early")
				assert.LessOrEqual(t, first, most, "it goes too late")
				assert.GreaterOrEqual(t, second, time.Duration(toldPace*float64(row.interval)), "the pace does not begin with it")
			})
		}
	}
}
