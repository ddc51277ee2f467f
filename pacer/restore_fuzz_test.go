package pacer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// farthest is what bounds the times that FuzzRestore restores.
const farthest = 30 * day

// FuzzRestore lets bytes choose what a snapshot holds, what happens to the partition
// restored from it, and when it is taken and restored again; the partition must be
// like any other.
func FuzzRestore(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint8(0))
	f.Add([]byte("a snapshot full of odd numbers"), []byte("send, answer, send, send, wait and answer out of order; refuse"), uint8(1))
	for seed := range uint64(64) {
		f.Add(noise(seed, 500), noise(seed+1000, 100), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, values, events []byte, config uint8) {
		configs := []Config{{}, even, {Burst: 2, Jitter: 5}, {Burst: math.NaN(), Jitter: math.NaN()}}
		z := fuzzed{T: t, in: values, now: Instant(farthest), told: farthest, cost: mostFuzzedCost}
		var s Snapshot
		z.fill(reflect.ValueOf(&s).Elem())
		z.p = Restore(&configs[int(config)%len(configs)], &s, z.now, z.duration(), farthest)
		z.in, z.told = events, farthest
		z.checkRestored()
		for z.check(); len(z.in) > 0; z.check() {
			if z.in[0] == 8 {
				z.restart()
			} else {
				z.event()
			}
		}
		z.letOneGo()
	})
}

// checkRestored wants everything that was restored to be possible.
func (z *fuzzed) checkRestored() {
	p := &z.p
	past := func(t Instant) { require.True(z, t >= 0 && t <= z.now, "%v is not before %v", t, z.now) }
	require.LessOrEqual(z, math.Abs(float64(p.swing)), 1.0)
	for i := range p.limits {
		l := &p.limits[i]
		require.GreaterOrEqual(z, l.quota, int64(0))
		if g := l.aside; g != nil {
			require.GreaterOrEqual(z, g.best, int64(0))
			past(g.prior)
		}
		require.GreaterOrEqual(z, l.window, time.Duration(0))
		require.GreaterOrEqual(z, l.remaining, int64(Unknown))
		require.LessOrEqual(z, l.mark, l.units)
		require.LessOrEqual(z, l.began, l.units)
		require.LessOrEqual(z, l.seq, p.seq)
		require.LessOrEqual(z, l.end.lo, l.end.hi)
		require.LessOrEqual(z, max(l.quotaFrom, l.windFrom), told)
		require.LessOrEqual(z, l.grants, uint8(firstGrants))
		require.LessOrEqual(z, math.Abs(float64(l.owed)), float64(MostCost))
		require.LessOrEqual(z, l.refill.evidence, uint8(slideProof))
		require.True(z, l.refill.came >= 0 && l.share.own >= 0)
		require.LessOrEqual(z, l.rush.haste, uint8(rushMost))
		if e := l.estimate; e != nil {
			require.True(z, e.usual >= 0 && e.charged >= 0 && e.spent >= 0, "%+v", e)
		}
		past(l.sent)
		past(l.at)
		if w := l.refill.still; w != nil {
			require.LessOrEqual(z, w.end.lo, w.end.hi)
			past(w.since)
		}
	}
	require.True(z, p.owed >= 0 && p.owed <= MostCost)
	c, h, t := &p.places, &p.hold, &p.trial
	require.True(z, c.most == 0 || c.most == unbounded || c.most >= coldPlaces, "%v places", c.most)
	require.True(z, c.advertised >= 0 && c.doubts <= doubtsMost, "%+v", c)
	require.LessOrEqual(z, h.since, p.seq)
	require.True(z, h.late >= 0 && time.Duration(h.late) <= mostSlack && h.rounds <= mostRounds, "%+v", h)
	if h.silent != nil {
		require.True(z, h.silent.InitialInterval >= firstBackoff && h.silent.InitialInterval <= mostBackoff)
	}
	require.True(z, t.n >= 0 && t.load >= 0 && t.before >= 0 && t.before <= trialMost && t.unexplained <= trialDoubts && t.rate >= 0, "%+v", t)
	past(t.start)
	past(t.last)
	past(c.last)
}

func noise(seed uint64, n int) []byte {
	source := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

// restart takes a snapshot, stores it, and restores it on another clock.
func (z *fuzzed) restart() {
	z.byte()
	stored, err := json.Marshal(z.p.Snapshot(z.now))
	require.NoError(z, err)
	var s Snapshot
	require.NoError(z, json.Unmarshal(stored, &s))
	passed := z.duration()
	z.told = farthest
	z.now, z.latest, z.flight = Instant(farthest), Instant(farthest), nil
	z.p = Restore(z.p.cfg, &s, z.now, passed, farthest)
	z.checkRestored()
}

// mostFuzzedCost is about what requests before a snapshot may have cost: an interval each.
const mostFuzzedCost = 1000

// fill sets all fields to values of any kind.
func (z *fuzzed) fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			z.fill(field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), z.byte()%20, 20))
		for i := range v.Len() {
			z.fill(v.Index(i))
		}
	case reflect.Bool:
		v.SetBool(z.byte()&1 != 0)
	case reflect.String:
		v.SetString([]string{"", "requests", "a", "tokens", "content-bytes"}[z.byte()%5])
	case reflect.Int64, reflect.Int32:
		v.SetInt(z.any())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(z.any()))
	case reflect.Float32, reflect.Float64:
		floats := []float64{0, 0.01, 0.5, 1, 10, 1e30, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64}
		v.SetFloat(floats[z.byte()%len(floats)])
	}
}

// any is a number or a time.
func (z *fuzzed) any() int64 {
	if z.byte()&1 == 0 {
		return z.number()
	}
	return int64(z.duration())
}
