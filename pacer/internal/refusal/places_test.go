package refusal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/refusal"
)

// fill sends requests until no place is free.
func fill(p *refusal.Places, now float64) {
	for p.IsFree(now) {
		p.Sent(now)
	}
}

// As many requests as succeeded in a round trip go in the next one, times three, until the server tells a rate.
func TestSlowStart(t *testing.T) {
	var p refusal.Places
	for _, inFlight := range []int64{1, 3, 9, 27} {
		fill(&p, 1)
		require.Equal(t, inFlight, p.Busy)
		for range inFlight {
			p.Released(2)
			p.Succeeded(2, false, true)
		}
	}
	p.Succeeded(3, true, true)
	require.Negative(t, p.Bound(3), "no bound")
}

// Nine are in flight when a 503 comes. Eight places stay for 20 s in which they are all needed, and grow then.
func TestCutPlacesGrow(t *testing.T) {
	var p refusal.Places
	p.Succeeded(1, true, true)
	for range 9 {
		p.Sent(1)
	}
	p.Overloaded(2, 8, true)
	for after, places := range map[float64]int64{0: 8, 20: 8, 30: 16, 40: 72} {
		require.Equal(t, places, p.Bound(2+after), "after %g s", after)
	}
	p.Released(2)
	p.Released(2)
	require.EqualValues(t, 8, p.Bound(1002), "one was free all the time")
	fill(&p, 1002)
	require.EqualValues(t, 16, p.Bound(1032))
}

// A round of 503s leaves half of what was in flight at its beginning. A lone request's 503 says nothing.
func TestOverloaded(t *testing.T) {
	var p refusal.Places
	p.Succeeded(1, true, true)
	p.Sent(1)
	p.Overloaded(1, 0, true)
	require.Negative(t, p.Bound(1), "no bound")
	for range 8 {
		p.Sent(1)
	}
	for i, places := range []int64{8, 7, 6, 5, 4, 4, 4} {
		p.Overloaded(2, 8, i == 0)
		require.Equal(t, places, p.Bound(2), "after %d", i+1)
		p.Released(2)
	}
}

// A limit on requests in flight that the server reports counts alone, until 256 successes have not reported it.
func TestAdvertised(t *testing.T) {
	var p refusal.Places
	p.Advertise(5, -1)
	for range 256 {
		require.EqualValues(t, 5, p.Bound(1))
		p.Unadvertised()
	}
	require.EqualValues(t, 1, p.Bound(1), "no response yet")
}
