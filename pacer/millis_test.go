package pacer

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// inUnits says that remaining requests are left of 1000 until end, in units that look like seconds.
func inUnits(d *driver, remaining int64, end Instant, unit time.Duration) Answer {
	units := int64(end.Sub(d.now) / unit)
	return Answer{RetryAfter: Unknown, Limits: []Limit{
		{Quota: 1000, Window: Unknown, Remaining: remaining, Reset: time.Duration(units) * time.Second},
	}}
}

// Ten minutes told in milliseconds look like a week, until it is seen how fast they pass.
func TestResetsInMilliseconds(t *testing.T) {
	d := drive(t, even)
	end := d.now.Add(10 * minute)
	left := int64(1000)
	answer := func(unit time.Duration) {
		left--
		d.get(inUnits(d, left, end, unit))
		d.advance(50 * time.Millisecond)
	}
	answer(time.Millisecond)
	require.Greater(t, d.need().gap, 5*minute, "as seconds")
	for range millisProof {
		answer(time.Millisecond)
	}
	require.True(t, d.limit().inMillis())
	require.InDelta(t, 0.6, d.need().gap.Seconds(), 0.1)

	// Ends of windows change nothing.
	d.advance(end.Sub(d.now))
	for end, left = end.Add(10*minute), 1000; left > 990; {
		d.advance(minute)
		answer(time.Millisecond)
	}
	require.InDelta(t, 0.6, d.need().gap.Seconds(), 0.1)

	// But a server that means seconds is believed.
	end = d.now.Add(10 * minute)
	for left = 1000; left > 996; {
		d.advance(15 * second)
		answer(time.Second)
	}
	require.False(t, d.limit().inMillis())
	require.InDelta(t, 0.6, d.need().gap.Seconds(), 0.2)
}

// Resets fall for other reasons, too.
func TestResetsInSeconds(t *testing.T) {
	for _, row := range []struct {
		name   string
		resets []int // in seconds, a second apart
	}{
		{"time goes by", []int{3600, 3599, 3598, 3597, 3596, 3595}},
		{"an hour's limit and a minute's in turns", []int{3600, 2600, 3598, 2598, 3596, 2594}},
		{"always the same", []int{600, 600, 600, 600, 600, 600}},
		{"once by a thousand", []int{600_000, 599_000, 598_999, 597_999, 597_998, 597_997}},
		{"by far too much", []int{600_000, 500_000, 400_000, 300_000, 200_000, 100_000}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for i, reset := range row.resets {
				d.get(Answer{RetryAfter: Unknown, Limits: []Limit{
					{Quota: 1000, Window: Unknown, Remaining: 999 - int64(i), Reset: time.Duration(reset) * second},
				}})
				require.False(t, d.limit().inMillis())
				d.advance(second)
			}
		})
	}
}

// Servers behind one name count for themselves, each with a window of its own, and
// answer in turns: what falls rises again before its time.
func TestResetsOfSeveralServers(t *testing.T) {
	for _, apart := range []int{1, 40, 100, 200, 250} {
		for _, pause := range []int{10, 50, 100, 200, 250} {
			t.Run(fmt.Sprintf("%d s apart, every %d ms", apart, pause), func(t *testing.T) {
				d := drive(t, even)
				end, wrong := d.now.Add(15*minute), 0
				for i := range 60 {
					reset := end.Sub(d.now) - time.Duration(i%3*apart)*time.Second
					d.get(Answer{RetryAfter: Unknown, Limits: []Limit{
						{Quota: 1000, Window: Unknown, Remaining: int64(999 - i), Reset: reset.Truncate(time.Second)},
					}})
					if d.limit().inMillis() {
						wrong++
					}
					d.advance(time.Duration(pause) * time.Millisecond)
				}
				require.LessOrEqual(t, wrong, 3)
				require.False(t, d.limit().inMillis())
			})
		}
	}
}

// A server that tells fractions, or corrects itself, lets resets fall quickly, too.
func TestResetsFallingALittle(t *testing.T) {
	d := drive(t, even)
	for i := range int64(5) {
		d.get(Answer{RetryAfter: Unknown, Limits: []Limit{
			{Quota: 1000, Window: Unknown, Remaining: 999 - i, Reset: time.Duration(600-10*i) * time.Second},
		}})
		require.False(t, d.limit().inMillis())
		d.advance(10 * time.Millisecond)
	}
}

// Where a window is told, t is in seconds by the draft.
func TestResetsOfToldWindowsAreSeconds(t *testing.T) {
	d := drive(t, even)
	end := d.now.Add(10 * minute)
	for left := int64(1000); left > 990; left-- {
		a := inUnits(d, left, end, time.Millisecond)
		a.Limits[0].Window = time.Hour
		d.get(a)
		d.advance(50 * time.Millisecond)
	}
	require.False(t, d.limit().inMillis())
}
