package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	most    = math.MaxInt64
	longest = time.Duration(math.MaxInt64)
	least   = math.MinInt64
)

// What the rules make of odd input. Each row tells a fresh client once, and says how
// long the next two requests wait.
func TestOddInput(t *testing.T) {
	for _, row := range []struct {
		name   string
		odd    Limit
		answer string // in words
		first  time.Duration
		second time.Duration
	}{
		{"t = 0", limitOf(60, minute, 30, 0), "the window has ended: nominal", 0, second},
		{"t = 0 and r = 0", limitOf(60, minute, 0, 0), "the window has ended: a new one", 0, second},
		{"r > q", limitOf(60, minute, 600, minute), "at most twice nominal", 0, second / 2},
		{"q = 0", limitOf(0, minute, 0, 30*second), "it was served: does not apply", 0, 0},
		{"q = 0 without w", limitOf(0, Unknown, 0, 30*second), "it was served: does not apply", 0, 0},
		{"q = 0 without t", limitOf(0, minute, 0, Unknown), "it was served: does not apply", 0, 0},
		{"q = 0, all 0", limitOf(0, 0, 0, 0), "it was served: does not apply", 0, 0},
		{"q = 0, nothing else", limitOf(0, Unknown, Unknown, Unknown), "it was served: does not apply", 0, 0},
		{"q = 0 and r > 0", limitOf(0, minute, 5, 30*second), "r is believed, no pace follows", 0, 0},
		{"w = 0", limitOf(60, 0, 30, 30*second), "t is the window", 0, second},
		{"w = 0 and t = 0", limitOf(60, 0, 30, 0), "no window, no pace", 0, 0},
		{"w < 0", limitOf(60, least, 30, 30*second), "t is the window", 0, second},
		{"t > w", limitOf(60, minute, 60, 2*minute), "r lasts until t", 0, 2 * second},
		{"r without t", limitOf(60, minute, 30, Unknown), "nominal", 0, second},
		{"r = 0 without t", limitOf(60, minute, 0, Unknown), "nominal: nobody knows until when", 0, second},
		{"t without r", limitOf(60, minute, Unknown, 30*second), "nominal", 0, second},
		{"t < 0", limitOf(60, minute, 30, least), "not told", 0, second},
		{"r < 0", limitOf(60, minute, least, 30*second), "not told", 0, second},
		{"q < 0", limitOf(least, minute, 30, 30*second), "r is the quota", 0, second},
		{"r, alone", limitOf(Unknown, Unknown, 30, Unknown), "nothing follows", 0, 0},
		{"nothing", limitOf(Unknown, Unknown, Unknown, Unknown), "nothing follows", 0, 0},
		{"r and q at the bound", limitOf(most, minute, most, minute), "no wait that a clock could show", 0, 0},
		{"t at the bound", limitOf(60, minute, 30, longest), "one per window at least", 0, minute},
		{"t at the bound, r = 0", limitOf(60, minute, 0, longest), "as told", longest, longest},
		{"w at the bound", limitOf(1, longest, 1, Unknown), "as told", 0, longest},
		{"all at the bound", limitOf(most, longest, most, longest), "one a nanosecond", 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.p.Send(d.now, &Cost{Requests: 0}, 0.5), Answer{RetryAfter: Unknown, Limits: []Limit{row.odd}})
			for i := range d.p.limits {
				d.p.limits[i].share = share{}
			}
			d.logf("%s", row.answer)
			requireAbout(t, row.first, d.wait(1))
			d.send(1)
			requireAbout(t, row.second, d.wait(1))
			for _, l := range d.p.State(d.now).Limits {
				require.False(t, math.IsNaN(l.Rate))
			}
		})
	}
}

// Refused with a quota of 0, a client waits for the end, and then tries one at a
// time; served with it, it takes the limit for one that is switched off.
func TestQuotaOfZero(t *testing.T) {
	d := drive(t, even)
	d.get(refuses(says(0, Unknown, 0, 30*second), Unknown))
	d.wantHeld(30 * second)
	for range silentMost {
		d.advance(d.wait(1))
		d.get(says(0, Unknown, 0, 30*second))
	}
	d.wantWait(0)
	d.send(1)
	d.wantWait(0)
}

func limitOf(quota int64, window time.Duration, remaining int64, reset time.Duration) Limit {
	return says(quota, window, remaining, reset).Limits[0]
}

// requireAbout wants a wait to a few percent, as left is less by the one sent.
func requireAbout(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.InDelta(t, want.Seconds(), got.Seconds(), 0.05*want.Seconds()+1e-6)
}

func TestOddCost(t *testing.T) {
	for _, row := range []struct {
		name       string
		cost, left int64
		wait       time.Duration
	}{
		{"0 is free", 0, 60, 0},
		{"negative is not known: as usual", least, 59, second},
		{"above the quota: as all of it, and then the interval of a used up window", 100, 0, 59*second + minute},
		{"at the bound: the same", most, 0, 59*second + minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.p.Send(d.now, &Cost{Requests: 0}, 0.5), says(60, minute, 60, minute))
			d.send(row.cost)
			require.Equal(t, row.left, d.limit().left())
			requireAbout(t, row.wait, d.wait(1))
		})
	}
}

func TestOddRetryAfter(t *testing.T) {
	for _, row := range []struct {
		name       string
		retryAfter time.Duration
		want       time.Duration
	}{
		{"0", 0, 2 * leastHold},
		{"negative: not told", least, firstBackoff},
		{"at the bound", longest, longest - time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(refuses(clear200(), row.retryAfter))
			require.Equal(t, row.want, d.held())
		})
	}
}

// A clock that is set back delays by as much, and breaks nothing.
func TestTimeGoesBackwards(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 60, minute))
	d.limit().share = share{}
	d.proceed()
	d.advance(-10 * second)
	require.InDelta(t, 11, d.wait(1).Seconds(), 0.5)
	ticket := d.send(1)
	d.answer(ticket, says(60, minute, 58, minute))
	require.LessOrEqual(t, d.wait(1), 13*second)
	require.Positive(t, d.wait(1))
	d.advance(-3 * time.Hour)
	require.LessOrEqual(t, d.wait(1), 3*time.Hour+5*minute)
	d.proceed()
}
