package pacer

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hours has a client send for so long as much as the pace allows, to a server that
// refuses as decide says, and returns how many were served and how many refused.
func (d *driver) hours(n int, decide func(now Instant) (retryAfter time.Duration, refused bool)) (served, refused int) {
	for end := d.now.Add(time.Duration(n) * time.Hour); d.now < end; {
		d.now = max(d.now.Add(10*time.Millisecond), d.p.Plan(d.now, 0, &Cost{Requests: 1}).At)
		ticket, answer := d.p.Send(d.now, &Cost{Requests: 1}, d.u), clear200()
		if retryAfter, no := decide(d.now); no {
			answer = refuses(answer, retryAfter)
			refused++
		} else {
			served++
		}
		d.now = d.now.Add(50 * time.Millisecond)
		d.p.Answered(d.now, &ticket, &answer, d.u)
		d.p.Release()
	}
	return served, refused
}

// Refusals by chance, each with a hold of a second, leave a pace of some per second.
func TestChanceDoesNotSlowDownForGood(t *testing.T) {
	for _, row := range []struct {
		name       string
		chance     float64
		retryAfter time.Duration
		least      int // served per second, on average
	}{
		{"1 %", 0.01, second, 5},
		{"3 %", 0.03, second, 3},
		{"10 %", 0.1, second, 1},
		{"10 %, bare", 0.1, Unknown, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			all := 0
			for seed := range uint64(8) {
				d, rng := drive(t, even), rand.New(rand.NewPCG(seed, 1))
				served, _ := d.hours(1, func(Instant) (time.Duration, bool) { return row.retryAfter, rng.Float64() < row.chance })
				t.Logf("%.3f per second", float64(served)/3600)
				require.Greater(t, served, 3600/2)
				all += served
			}
			require.GreaterOrEqual(t, all, 8*3600*row.least)
		})
	}
}

// A limit that has fallen tenfold is obeyed after a few refusals.
func TestChanceIsNotTakenForALimitThatFell(t *testing.T) {
	for _, window := range []time.Duration{10 * second, minute, 10 * minute} {
		t.Run(window.String(), func(t *testing.T) {
			d := drive(t, even)
			begun, used, quota := d.now, 0, 300
			decide := func(now Instant) (time.Duration, bool) {
				if now.Sub(begun) >= window {
					begun, used = now, 0
				}
				used++
				return begun.Add(window).Sub(now), used > quota
			}
			d.hours(3, decide)
			quota = 30
			_, refused := d.hours(1, decide)
			windows := int(time.Hour / window)
			t.Logf("%d refused in %d windows", refused, windows)
			require.LessOrEqual(t, refused, 10+windows)
			served, refused := d.hours(2, decide)
			t.Logf("%d served and %d refused in the next %d", served, refused, 2*windows)
			require.GreaterOrEqual(t, served, 2*windows*quota*9/10)
			require.LessOrEqual(t, refused, 2*windows)
		})
	}
}
