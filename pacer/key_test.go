package pacer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// ofKey is the cost of a request with a partition key.
func ofKey(key string) pacer.Cost { return pacer.Cost{Requests: 1, Key: key} }

// keySays is a success that reports the quota of a partition key.
func keySays(key string, left int64) pacer.Answer {
	a := says(60, minute, left, minute)
	a.Limits[0].PartitionKey = key
	return a
}

// A request uses one quota of a policy with partition keys. It is the last reported one, or that of the
// request's own key once responses have reported that key.
func TestKeys(t *testing.T) {
	for _, row := range []struct {
		name     string
		first    string // the request's key, as the caller gives it
		reported string // the key in the response
		left     int64
		second   string
		ann, bob bool // ann, bob: whether the first, second request waits for ann's used-up quota
	}{
		{"not known: ann is reported", "", "ann", 0, "", true, true},
		{"not known: bob is reported", "", "bob", 39, "", false, false},
		{"known", "ann", "ann", 0, "bob", true, false},
		{"the server has others", "x", "ann", 0, "y", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.getAs(ofKey(row.second), keySays("bob", 40))
			d.getAs(ofKey(row.first), keySays("ann", 1))
			d.getAs(ofKey(row.first), keySays(row.reported, row.left))
			d.advance(2 * second)
			require.Equal(t, row.ann, d.waitAs(ofKey(row.first)) > minute/2)
			require.Equal(t, row.bob, d.waitAs(ofKey(row.second)) > minute/2)
		})
	}
}

// A new key has its own quota in policies with keys, used at an even pace until its first response. A plan
// alone adds no limit.
func TestUnseenKey(t *testing.T) {
	d := drive(t, even)
	d.getAs(ofKey("ann"), keySays("ann", 0))
	require.True(t, d.p.Keyed())
	require.Zero(t, d.waitAs(ofKey("bob")))
	require.Len(t, d.state().Limits, 1)
	first := d.sendAs(ofKey("bob"))
	d.wantWaitAs(ofKey("bob"), second)
	d.answer(first, keySays("bob", 59))
	require.Len(t, d.state().Limits, 2)
	d.advance(second)
	require.Greater(t, d.waitAs(ofKey("ann")), 50*second)
	require.Less(t, d.waitAs(ofKey("bob")), second)
}

// Limits without a key apply to every request. So do policies whose keys differ from the caller's keys.
func TestKeysOfOtherPolicies(t *testing.T) {
	d := drive(t, even)
	a := keySays("ann", 50)
	address := named("address", 600, minute, 0, minute)
	address.PartitionKey = "192.0.2.1"
	a.Limits = append(a.Limits, address, named("all", 6000, minute, 5000, minute))
	d.getAs(ofKey("ann"), a)
	for _, key := range []string{"ann", "bob"} {
		require.Greater(t, d.waitAs(ofKey(key)), 50*second)
	}
	require.Len(t, d.state().Limits, 3)
	d.sendAs(ofKey("bob"))
	require.Len(t, d.state().Limits, 4, "one of bob's own")
}

// Two partition keys in one response are two limits.
func TestKeysAreSeparate(t *testing.T) {
	d := drive(t, even)
	a, b := keySays("a", 10), keySays("b", 20)
	d.get(several(a.Limits[0], b.Limits[0]))
	limits := d.state().Limits
	require.Len(t, limits, 2)
	require.EqualValues(t, 10, limits[0].Remaining)
	require.Equal(t, "b", limits[1].PartitionKey)
}

// The number of limits stays bounded, however many new keys and policies a server reports.
func TestLimitsAreBounded(t *testing.T) {
	d := drive(t, pacer.Config{})
	for i := range 240 {
		key := fmt.Sprint(i)
		require.Zero(t, d.waitAs(ofKey(key)))
		d.getAs(ofKey(key), keySays(key, 59))
	}
	require.Len(t, d.state().Limits, 24)

	d = drive(t, even)
	for i := range 72 {
		d.get(several(named(fmt.Sprint(i), 60, minute, 59, minute)))
	}
	require.Len(t, d.state().Limits, 24)
	require.Contains(t, d.policies(), "71")
	require.NotContains(t, d.policies(), "0")
}

// A policy whose window is over is removed once a response leaves it out, and a policy that may be in force
// stays. Limits without a name are distinguished by their quotas.
func TestPoliciesThatAreOver(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("old", 60, minute, 10, minute), named("long", 60, hour, 10, hour)))
	d.advance(2 * minute)
	d.get(ok())
	require.Equal(t, []string{"long"}, d.policies())
	d.get(several(named("new", 60, minute, 59, minute)))
	require.ElementsMatch(t, []string{"long", "new"}, d.policies())

	d = drive(t, even)
	d.get(several(named("", 30, minute, 29, minute)))
	d.get(several(named("", 5000, hour, 4999, hour)))
	d.get(several(named("", 30, minute, 28, minute)))
	require.Len(t, d.state().Limits, 2)
}

// A policy with only q and w is paced evenly, never counts as used up, and is kept for one window.
func TestPolicyAlone(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, unknown, unknown))
	for range 100 {
		d.proceed()
		d.wantWait(second)
	}
	require.EqualValues(t, unknown, d.limit().Remaining)

	d = drive(t, even)
	d.advance(10 * hour)
	d.get(says(60, minute, unknown, unknown))
	d.advance(30 * second)
	d.get(ok())
	require.Equal(t, []string{"default"}, d.policies())
}

// A response that reports only the policy does not count as a report of the remaining quota.
func TestPolicyAloneIsNoReading(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, 10*second))
	d.advance(9 * second)
	d.get(says(60, minute, 29, second))
	d.advance(1100 * 1_000_000)
	d.get(says(60, minute, unknown, unknown))
	require.EqualValues(t, 59, d.limit().Remaining, "of a window of which nothing was reported")
}
