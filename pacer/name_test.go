package pacer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

func TestShortName(t *testing.T) {
	for _, name := range []string{"", "default", strings.Repeat("a", 64)} {
		require.Equal(t, name, pacer.ShortName(name))
	}
	for head := range 40 { // so that the cut falls at each place within a rune
		long := strings.Repeat("x", head) + strings.Repeat("€", 30)
		short := pacer.ShortName(long)
		require.LessOrEqual(t, len(short), 64)
		require.True(t, utf8.ValidString(short), "%q", short)
		require.True(t, strings.HasPrefix(long, short[:len(short)-32]))
		require.GreaterOrEqual(t, len(short), 62)
		require.NotEqual(t, short, pacer.ShortName(long+"x"))
		require.Equal(t, short, pacer.ShortName(short))
	}
	require.Len(t, pacer.ShortName(strings.Repeat("\x80", 100)), 61, "of what is no UTF-8 nothing more is cut")
	require.Zero(t, testing.AllocsPerRun(10, func() { pacer.ShortName("default") }))
}

// Long names are stored shortened, and a long name means the same limit wherever it occurs.
func TestLongNames(t *testing.T) {
	policy, ann, bob, unit := strings.Repeat("p", 1000), strings.Repeat("k", 700)+"ann", strings.Repeat("k", 700)+"bob", strings.Repeat("u", 900)
	reports := func(key string, left int64) pacer.Answer {
		return several(limits.Reported{Policy: policy, PartitionKey: key, Quota: 100, Window: minute, Remaining: left, Reset: minute})
	}
	cost := func(key string) pacer.Cost { return pacer.Cost{Requests: 1, Key: key} }
	d := drive(t, even)
	d.getAs(cost(ann), reports(ann, 0))
	require.Equal(t, []string{pacer.ShortName(policy)}, d.policies())
	require.Equal(t, pacer.ShortName(policy), d.plan().Policy)
	require.Equal(t, pacer.ShortName(ann), d.limit().PartitionKey)
	require.GreaterOrEqual(t, d.waitAs(cost(ann)), minute)
	require.Equal(t, d.waitAs(cost(ann)), d.waitAs(cost(pacer.ShortName(ann))))
	d.wantWaitAs(cost(bob), 0) // bob has a quota of his own
	d.getAs(cost(bob), reports(bob, 50))
	require.Len(t, d.state().Limits, 2)
	require.GreaterOrEqual(t, d.waitAs(cost(ann)), minute)

	refusal := refuses(ok(), 30*second)
	refusal.Violated = []string{policy}
	d.getAs(cost(bob), refusal)
	require.LessOrEqual(t, d.p.Usage(d.now).HeldUntil, d.now, "the refusal is about that policy")
	require.Greater(t, d.waitAs(cost(bob)), 29*second)

	d = drive(t, even)
	in := named(policy, 100, minute, 50, minute)
	in.Unit = limits.Unit(unit)
	d.get(several(in))
	require.Equal(t, []limits.Unit{pacer.ShortName(limits.Unit(unit))}, d.p.Units())
	require.Equal(t, pacer.ShortName(limits.Unit(unit)), d.limit().Unit)
	d.get(several(in))
	require.Len(t, d.state().Limits, 1)
}
