package pacer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// of sends a request of a partition key.
func (d *driver) of(key string) Ticket {
	d.t.Helper()
	ticket := d.p.Send(d.now, &Cost{Requests: 1, Key: key}, d.u)
	d.logf("send #%d of %q", ticket.seq, key)
	return ticket
}

// waitOf is how long a request of a partition key has to wait, in seconds.
func (d *driver) waitOf(key string) float64 {
	return max(0, d.p.Plan(d.now, 0, &Cost{Requests: 1, Key: key}).At.Sub(d.now).Seconds())
}

// keySays is a success that tells of the quota of a partition key.
func keySays(key string, r int64) Answer {
	a := says(60, minute, r, minute)
	a.Limits[0].PartitionKey = key
	return a
}

// Of a policy that has partition keys a request uses one quota: the last one that was
// told, or that of its own key once answers have told the same.
func TestKeys(t *testing.T) {
	for _, row := range []struct {
		name     string
		first    string // key of the request, as the caller says
		told     string // of it
		second   string
		ann, bob bool // wait for what ann has used up
	}{
		{"not known: told of ann", "", "ann", "", true, true},
		{"not known: told of bob", "", "bob", "", false, false},
		{"known", "ann", "ann", "bob", true, false},
		{"the server has others", "x", "ann", "y", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.answer(d.of(row.second), keySays("bob", 40))
			d.answer(d.of(row.first), keySays("ann", 0))
			if row.told == "bob" {
				d.answer(d.of(row.first), keySays("bob", 39))
			} else {
				d.answer(d.of(row.first), keySays("ann", 0))
			}
			d.advance(2 * second)
			require.Equal(t, row.ann, d.waitOf(row.first) > 30)
			require.Equal(t, row.bob, d.waitOf(row.second) > 30)
		})
	}
}

// A key that was never seen has a quota of its own in the policies that have keys: it
// is used at an even pace until its first answer.
func TestUnseenKey(t *testing.T) {
	d := drive(t, even)
	d.answer(d.of("ann"), keySays("ann", 0))
	require.Zero(t, d.waitOf("bob"))
	first := d.of("bob")
	require.InDelta(t, 1, d.waitOf("bob"), 1e-6)
	d.answer(first, keySays("bob", 59))
	require.Len(t, d.p.State(d.now).Limits, 2)
	d.advance(second)
	require.Greater(t, d.waitOf("ann"), 50.0)
	require.Greater(t, 1.0, d.waitOf("bob"))
}

// Limits without a key, and those of policies whose keys are not the caller's, apply
// whatever the key is.
func TestKeysOfOtherPolicies(t *testing.T) {
	d := drive(t, even)
	a := keySays("ann", 50)
	global := named("address", 600, minute, 0, minute)
	global.PartitionKey = "192.0.2.1"
	a.Limits = append(a.Limits, global, named("all", 6000, minute, 5000, minute))
	d.answer(d.of("ann"), a)
	require.Equal(t, 3, d.p.uses(&Cost{Requests: 1, Key: "ann"}).len())
	require.Greater(t, d.waitOf("ann"), 50.0)
	require.Greater(t, d.waitOf("bob"), 50.0)
	require.Len(t, d.p.State(d.now).Limits, 3, "to ask makes no limit")
	d.of("bob")
	require.Equal(t, 3, d.p.uses(&Cost{Requests: 1, Key: "bob"}).len(), "with one of its own for user")
	require.Len(t, d.p.State(d.now).Limits, 4)
}

// Ever new keys take no more places than there are.
func TestManyKeys(t *testing.T) {
	d := drive(t, Config{})
	for i := range 10 * maxLimits {
		key := fmt.Sprint(i)
		require.Zero(t, d.waitOf(key))
		d.answer(d.of(key), keySays(key, 59))
	}
	require.Len(t, d.p.limits, maxLimits)
}
