package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
)

// A member needs what it has sent on average. Time and units of before it began do not count.
func TestDemandFollowsTheRate(t *testing.T) {
	var d demand
	begun := time.Now()
	d.observe(1000, begun)
	require.Zero(t, d.mean(time.Minute))
	for i := range 100 {
		d.observe(1000+5*int64(i+1), begun.Add(time.Duration(i+1)*time.Second))
		require.InDelta(t, 300, d.mean(time.Minute), 1e-6, "after %d seconds", i+1)
	}
	require.Zero(t, d.mean(-time.Second))
	now := begun.Add(100 * time.Second)
	d.observe(1500, now) // no time has passed
	before := d.rate
	d.observe(1400, now.Add(time.Second))
	require.InDelta(t, before*math.Exp(-1.0/20), d.rate, 1e-9, "a count that falls is none")
}

// A claim stays the same while it is about right, so that the parts of others do not move.
func TestClaimsAreKept(t *testing.T) {
	var c claimed
	first := c.update(100, 16)
	require.InDelta(t, 16+1.5*4, first, 1e-9)
	require.InDelta(t, first-3, c.update(103, 13), 1e-9, "three were sent")
	require.InDelta(t, first-3, c.update(103, 15), 1e-9, "it needs a little more")
	require.InDelta(t, 25+1.5*5, c.update(103, 25), 1e-9, "it needs more than it claims")
	require.InDelta(t, 1+1.5, c.update(103, 1), 1e-9, "it claims much too much")
	require.InDelta(t, 0.5, new(claimed(0.5)).update(0, 0), 1e-9, "it claims little too much")
}

func TestStrain(t *testing.T) {
	var s strain
	now := time.Now()
	s.observe(true, now)
	require.True(t, s.busy(), "it begins with requests that wait")
	for range 5 {
		now = now.Add(time.Second)
		s.observe(false, now)
	}
	require.False(t, s.busy())
	s.observe(true, now.Add(250*time.Millisecond))
	require.False(t, s.busy(), "they wait now and then")
	s.observe(true, now.Add(4*time.Second))
	require.True(t, s.busy())
}

func TestUsageIsValid(t *testing.T) {
	now := time.Now()
	var c clock
	c.set(testNow, now, now)
	for name, l := range map[string]limits.Use{
		"nothing":  {Quota: 1, Window: 1, Remaining: -1},
		"huge":     {Quota: math.MaxInt64, Window: math.MaxInt64, Sent: math.MaxInt64, Used: math.MaxInt64, Remaining: math.MaxInt64, Ends: math.MaxInt64, Age: math.MaxInt64, Held: math.MaxInt64},
		"negative": {Quota: 1, Window: 1, Sent: -1, Used: -5, Remaining: -1, Ends: -1000 * time.Hour, Age: -1000 * time.Hour, Held: -1},
	} {
		t.Run(name, func(t *testing.T) {
			var d demand
			for i := range 3 {
				l.Waiting = i
				u := d.usage(&l, now.Add(time.Duration(i)*time.Second), &c)
				u.ID = "x"
				_, err := parseRecord(encode(record{Version: version, Limits: []usage{u}}))
				require.NoError(t, err)
			}
		})
	}
}

// Waiting requests add to the average need, in the open window if there is one.
func TestWaitingRequestsAreNeeded(t *testing.T) {
	now := time.Now()
	var c clock
	c.set(testNow, now, now)
	for ends, rest := range map[time.Duration]float64{30 * time.Second: 7, 0: 0} {
		l := limits.Use{Quota: 60, Window: time.Minute, Remaining: -1, Waiting: 7, Ends: ends}
		u := (&demand{}).usage(&l, now, &c)
		require.InDelta(t, rest, u.Rest, 1e-9)
		require.InDelta(t, 7, u.Each, 1e-9)
	}
}
