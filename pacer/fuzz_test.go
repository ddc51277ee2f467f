package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzPartition lets bytes choose what happens to a partition, and looks at it
// after every event.
func FuzzPartition(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte("\x01\x02\x00\x21\x34\x55\x10\x01\x02\x60\x00\x07\x01"), uint8(3))
	f.Add([]byte("send, answer, send, send, wait and answer out of order; refuse"), uint8(1))
	f.Add([]byte("\x01\x02\x40\x41\x42\x43\x44\x45\x46\x47\x01\x02\xf0\xff\xff\xff\xff\xff\xff\xff\x01\x03\x01\x04"), uint8(2))
	f.Add([]byte("\x01\x02\xff\xff\x10\x15\x04\x11\x01\x02\x07\x05\x09\x09\x10\xfb\x0c\x02\x01\x05\x05\x05\x01\x02\x02\x02\x02\xfb\x05\x01\x00\x07"), uint8(4))
	f.Fuzz(func(t *testing.T, events []byte, config uint8) {
		configs := []Config{{}, even, {Burst: 2, Jitter: 5}, {Burst: math.NaN(), Jitter: math.NaN()}, {Shared: true}}
		z := fuzzed{T: t, in: events, p: New(&configs[int(config)%len(configs)]), now: Instant(time.Hour), told: minute, cost: 1}
		for len(z.in) > 0 {
			z.event()
			z.check()
		}
		z.letOneGo()
	})
}

// fuzzed is a partition, what is in flight, and what bounds its delays.
type fuzzed struct {
	*testing.T
	in     []byte
	p      Partition
	now    Instant
	latest Instant // that now ever was
	flight []Ticket
	told   time.Duration // the longest that was told
	cost   int64         // of all that was sent before its time, and one unit
	slow   float64       // how many times slower than nominal a client went because of others
	agreed bool          // parts were told
}

func (z *fuzzed) byte() int {
	if len(z.in) == 0 {
		return 0
	}
	b := z.in[0]
	z.in = z.in[1:]
	return int(b)
}

func (z *fuzzed) chance() float64 { return float64(z.byte()) / 256 }

func (z *fuzzed) number() int64 {
	numbers := []int64{Unknown, 0, 1, 2, 3, 5, 10, 59, 60, 100, 1000, 1 << 40, math.MaxInt64, math.MinInt64}
	return numbers[z.byte()%len(numbers)]
}

func (z *fuzzed) duration() time.Duration {
	durations := []time.Duration{
		Unknown, 0, 1, time.Millisecond, 250 * time.Millisecond, second, 2 * second, 10 * second,
		59 * second, minute, time.Hour, day, 30 * day, -second, math.MinInt64, math.MaxInt64,
	}
	d := durations[z.byte()%len(durations)]
	z.told = max(z.told, d)
	return d
}

func (z *fuzzed) answer() Answer {
	flags := z.byte()
	a := Answer{RetryAfter: Unknown, Refused: flags&3 == 0, Overloaded: flags&7 == 0}
	if flags&8 != 0 {
		a.RetryAfter = z.duration()
	}
	unit := [...]string{"", "tokens", ContentBytes, ConcurrentRequests}[flags>>6]
	for range flags >> 4 & 3 {
		a.Limits = append(a.Limits, Limit{
			Policy: string(rune('a' + z.byte()%20)), PartitionKey: z.key(), Unit: unit,
			Quota: z.number(), Remaining: z.number(), Window: z.duration(), Reset: z.duration(),
		})
	}
	return a
}

func (z *fuzzed) key() string { return [...]string{"", "", "ann", "bob"}[z.byte()&3] }

func (z *fuzzed) event() {
	event := z.byte()
	if event == apportioned {
		z.apportion()
		return
	}
	if n := len(z.flight); event&7 >= 4 && n > 0 {
		i := event >> 3 % n
		ticket := z.flight[i]
		z.flight = append(z.flight[:i], z.flight[i+1:]...)
		switch event & 7 {
		case 4, 5:
			a := z.answer()
			z.p.Answered(z.now, &ticket, &a, z.chance())
			z.p.Release()
		case 6:
			z.p.Lost(z.now, &ticket)
			z.p.Release()
		case 7:
			z.p.Cancel(z.now, &ticket)
		}
		return
	}
	switch event & 3 {
	case 0: // time passes, or goes back
		by := min(max(z.duration(), -time.Hour), day)
		z.now = z.now.Add(by)
	case 1: // whatever is planned, as a shadow does
		if cost := z.number(); cost <= 100 { // above, what it asks for has no bound worth a name
			z.cost += max(cost, 0)
			z.send(cost)
		}
	default:
		if at := z.p.Plan(z.now, 0, &Cost{Requests: 1}).At; at <= z.now || at < z.now.Add(day) {
			z.now = max(z.now, at)
			z.send(1)
		}
	}
}

func (z *fuzzed) send(requests int64) {
	cost := Cost{Requests: requests}
	if n := int64(z.byte()); n < 100 {
		cost.Others = &[MaxOthers]int64{n, n / 10, Unknown}
		z.cost += n
	}
	if where := z.byte(); where > 0 {
		cost.Route, cost.Key = uint8(where), z.key()
		if where&3 == 0 {
			z.p.Describe(cost.Route, uint8(where>>2), where&64 != 0)
		}
	}
	z.flight = append(z.flight, z.p.Send(z.now, &cost, z.chance()))
}

// apportioned is the byte of an event that is unlike the others.
const apportioned = 0xfb

// apportion tells parts as a fleet might that is out of its mind.
func (z *fuzzed) apportion() {
	shares := []float64{1, 0.5, 0.01, 1e-9, 0, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}
	flags, refills := z.byte(), z.byte()
	parts := Parts{Until: z.now.Add(z.duration()), Members: int(z.number())}
	if flags&1 != 0 {
		parts.HeldUntil = z.now.Add(z.duration())
	}
	if flags&2 != 0 {
		parts.Late = z.duration()
	}
	for range flags >> 2 & 3 {
		parts.Limits = append(parts.Limits, Part{
			Policy: string(rune('a' + z.byte()%20)), PartitionKey: z.key(), Unit: [...]string{"", "tokens", ContentBytes, "more"}[flags>>6],
			Share: shares[z.byte()%len(shares)], Units: z.number(), Next: z.number(), End: z.now.Add(z.duration()), Full: flags&16 != 0, Refills: refills&1 != 0,
			Remaining: z.number(), ToldAt: z.now.Add(-z.duration()),
		})
		if flags&32 != 0 {
			parts.Limits[len(parts.Limits)-1].HeldUntil = z.now.Add(z.duration())
		}
	}
	z.p.Apportion(z.now, &parts, z.chance())
	z.agreed = true
}

// bound is the latest that a plan may be: what was told and a minute, and for each
// unit of cost an interval: a window at most, slowed down for the sake of others and
// moved by jitter; for a trial, or with a clock set back, the time that has passed. A part
// can be far less than one request per window.
func (z *fuzzed) bound() Instant {
	for i := range z.p.limits {
		l := &z.p.limits[i]
		z.slow = max(z.slow, 2*l.refill.slowdown(), 2/l.share.value())
		if l.part() != nil { // of one that nothing came back of a tenth is spent, see refill.rate
			z.slow = max(z.slow, 2/untouchedLeast*l.refill.slowdown()/l.part().share)
		}
	}
	interval := Instant(0).Add(scale(z.told, z.slow)).Add(time.Duration(z.latest)).Sub(0)
	return z.latest.Add(z.told).Add(2 * minute).Add(scale(interval, 2*float64(z.cost)))
}

func (z *fuzzed) check() {
	z.latest = max(z.latest, z.now)
	state := z.p.State(z.now)
	require.Len(z, z.flight, int(state.InFlight))
	require.LessOrEqual(z, len(state.Limits), maxLimits)
	for _, l := range state.Limits {
		require.False(z, math.IsNaN(l.Rate) || math.IsInf(l.Rate, 0) || l.Rate < 0, "%+v", l)
		require.True(z, l.Share > 0 && l.Share <= 1, "%+v", l)
	}

	require.LessOrEqual(z, len(z.p.limits), maxLimits)
	for s := z.p.live; s != 0; s = s.rest() {
		require.Less(z, s.first(), len(z.p.limits))
	}
	plan := z.p.Plan(z.now, 0, &Cost{Requests: 1})
	require.Equal(z, plan, z.p.Plan(z.now, 0, &Cost{Requests: 1}), "to ask changes nothing")
	require.GreaterOrEqual(z, z.p.Plan(z.now, 10, &Cost{Requests: 1}).At, plan.At, "who waits behind others goes no earlier")
	if c := z.p.places; c.advertised > 0 && c.busy >= c.advertised {
		require.True(z, plan == Plan{At: Never, For: Everything, Cause: CausePlaces, Age: Unknown} || (plan.Known || z.p.isNew(0) || z.agreed || z.p.cfg.Shared) && plan.At > z.now, "no place is free: %+v", plan)
		if plan.At == Never {
			return
		}
	}
	if z.p.State(z.now).HeldUntil > z.now && !z.p.isNew(0) {
		require.GreaterOrEqual(z, plan.At, z.p.State(z.now).HeldUntil)
	}
	require.LessOrEqual(z, plan.At, z.bound(), "told at most %v", z.told)
}

// letOneGo wants a request to get out in some steps from plan to plan, once
// nothing else is in flight and no part is kept from it.
func (z *fuzzed) letOneGo() {
	parts := Parts{Until: Never, Members: 1}
	for _, l := range z.p.State(z.now).Limits {
		parts.Limits = append(parts.Limits, Part{
			Policy: l.Policy, PartitionKey: l.PartitionKey, Unit: l.Unit,
			Share: 1, Units: math.MaxInt64, Next: math.MaxInt64, Full: true, Remaining: Unknown,
		})
	}
	if z.agreed || z.p.cfg.Shared {
		z.p.Apportion(z.now, &parts, 0)
	}
	for range z.flight {
		z.p.Release()
	}
	z.latest = max(z.latest, z.now)
	for range 1000 { // mostly 5, but what is left is spread over less time with each of them
		at := z.p.Plan(z.now, 0, &Cost{Requests: 1}).At
		require.LessOrEqual(z, at, z.bound())
		if at <= z.now {
			return
		}
		z.now = at
	}
	require.Fail(z, "planned for later again and again")
}
