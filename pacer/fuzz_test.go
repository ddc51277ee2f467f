package pacer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// FuzzPartition chooses a partition's events by bytes, and checks the partition after each event.
func FuzzPartition(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte("\x01\x02\x00\x21\x34\x55\x10\x01\x02\x60\x00\x07\x01"), uint8(3))
	f.Add([]byte("send, answer, send, send, wait and answer out of order; refuse"), uint8(1))
	f.Add([]byte("\x01\x02\x40\x41\x42\x43\x44\x45\x46\x47\x01\x02\xf0\xff\xff\xff\xff\xff\xff\xff\x01\x03\x01\x04"), uint8(2))
	f.Add([]byte("\x01\x02\xff\xff\x10\x15\x04\x11\x01\x02\x07\x05\x09\x09\x10\xfb\x0c\x02\x01\x05\x05\x05\x01\x02\x02\x02\x02\xfb\x05\x01\x00\x07"), uint8(4))
	f.Add([]byte("\x01\x02\x10\x15\x04\x11\x01\x02\xfa\x04\x11\x05\x01\x02\x07\xfa\x06\x04\x07\x05"), uint8(130))
	// a sliding counter of 2⁴⁰ units an hour, used up, in the half second in which its window may end
	f.Add([]byte("\x02\x00\x00\x00\x04<\x00\x00\x00\x00\x00\x00\x00\x02\x02\xc1\x01\x00\a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x13\x02\x02\x00\x01\x00\x00\x00\x00\x00\x02\x01\f\x00\x00\x00\x04"), uint8(0))
	// a millionth of a limit that no fleet can divide
	f.Add([]byte("\x02\x00\x00\x00\x04\xad\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xfb\x0f\x00\n\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01"), uint8(0))
	f.Add([]byte("\x01\x02\x10\x15\x04\x11\x01\x02\xf7\x06\xf7\x0c\x04\x05\xfa\xf7\x02"), uint8(0)) // costs are corrected
	for seed := range uint64(32) {
		f.Add(noise(seed, 400), uint8(seed*8))
	}
	f.Fuzz(func(t *testing.T, events []byte, config uint8) {
		cfg, u := fuzzedConfig(config)
		z := fuzzed{T: t, in: shortened(events), cfg: cfg, u: u, p: pacer.New(cfg), now: start}
		z.await(config)
		for len(z.in) > 0 {
			z.event()
			z.check()
		}
		z.letOneGo()
	})
}

// FuzzRestore restores snapshots that bytes have damaged, and the bytes themselves. An accepted one is a
// usable partition, and a second snapshot is the same.
func FuzzRestore(f *testing.F) {
	for name, scene := range scenes() {
		d := drive(f, even)
		scene(d)
		f.Add(d.p.Snapshot(d.now), []byte("send, answer, send: "+name), uint8(len(name)))
	}
	f.Add([]byte("{}"), noise(1, 100), uint8(0))
	f.Fuzz(func(t *testing.T, data, events []byte, config uint8) {
		cfg, u := fuzzedConfig(config)
		z := fuzzed{T: t, in: shortened(events), cfg: cfg, u: u, now: pacer.Instant(30 * day)}
		var err error
		if z.p, err = pacer.Restore(cfg, data, z.now, z.duration(), 30*day); err != nil {
			require.ErrorIs(t, err, pacer.ErrSnapshot)
			return
		}
		once := z.p.Snapshot(z.now)
		again, err := pacer.Restore(cfg, once, z.now, 0, math.MaxInt64)
		require.NoError(t, err)
		a, b := z.p.Plan(z.now, 0, &one), again.Plan(z.now, 0, &one)
		require.InDelta(t, a.At.Sub(z.now).Seconds(), b.At.Sub(z.now).Seconds(), 1e-3)
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

// await makes the client with one of the Configs wait for parts.
func (z *fuzzed) await(config uint8) {
	if config%7 == 4 {
		z.p.AwaitParts()
		z.agreed = true
	}
}

// fuzzedConfig returns one of several Configs, and a pointer to the number that it draws.
func fuzzedConfig(n uint8) (cfg *pacer.Config, u *float64) {
	chosen := *[]*pacer.Config{
		{}, &even, {Burst: 2, Jitter: 5}, {Burst: math.NaN(), Jitter: math.NaN()}, {}, {Measured: true}, {MaxRate: 3},
	}[n%7]
	u = new(float64)
	chosen.Chance = func() float64 { return *u }
	return &chosen, u
}

// shortened returns the first events. More show nothing new, and on a busy machine they take longer than the ten seconds
// in which a fuzzed function must end.
func shortened(events []byte) []byte { return events[:min(len(events), 5000)] }

func noise(seed uint64, n int) []byte {
	source := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

// A fuzzed is a partition with its requests in flight.
type fuzzed struct {
	*testing.T

	in     []byte
	cfg    *pacer.Config
	u      *float64 // the number that the Config draws
	p      pacer.Partition
	now    pacer.Instant
	latest pacer.Instant // largest value of now, because a clock that is set back delays
	flight []pacer.Ticket
	last   pacer.Ticket // of the last response
	agreed bool         // parts were allotted
}

func (z *fuzzed) byte() int {
	if len(z.in) == 0 {
		return 0
	}
	b := z.in[0]
	z.in = z.in[1:]
	return int(b)
}

// draw chooses another number for the Config.
func (z *fuzzed) draw() { *z.u = float64(z.byte()) / 256 }

func (z *fuzzed) number() int64 {
	numbers := []int64{unknown, 0, 1, 2, 3, 5, 10, 59, 60, 100, 1000, 1 << 40, math.MaxInt64, math.MinInt64}
	return numbers[z.byte()%len(numbers)]
}

func (z *fuzzed) duration() time.Duration {
	durations := []time.Duration{
		unknown, 0, 1, time.Millisecond, 250 * time.Millisecond, second, 2 * second, 10 * second,
		59 * second, minute, hour, day, 30 * day, -second, math.MinInt64, math.MaxInt64,
	}
	return durations[z.byte()%len(durations)]
}

func (z *fuzzed) key() string { return [...]string{"", "", "ann", "bob"}[z.byte()&3] }

func (z *fuzzed) answer() pacer.Answer {
	flags := z.byte()
	a := pacer.Answer{RetryAfter: unknown, Refused: flags&3 == 0, Overloaded: flags&7 == 0}
	if flags&8 != 0 {
		a.RetryAfter = z.duration()
	}
	unit := [...]limits.Unit{"", "tokens", limits.ContentBytes, limits.ConcurrentRequests}[flags>>6]
	for range flags >> 4 & 3 {
		a.Limits = append(a.Limits, limits.Reported{
			Policy: string(rune('a' + z.byte()%20)), PartitionKey: z.key(), Unit: unit,
			Quota: z.number(), Remaining: z.number(), Window: z.duration(), Reset: z.duration(), Cost: z.number(),
		})
	}
	if a.Refused && flags&32 != 0 {
		a.Violated = []string{string(rune('a' + z.byte()%20))}
	}
	return a
}

const apportioned, forgotten = 0xfb, 0xfa // bytes of special events

func (z *fuzzed) event() {
	event := z.byte()
	switch event {
	case apportioned:
		z.apportion()
		return
	case forgotten:
		z.p.Forget()
		fresh := pacer.New(z.cfg)
		want := fresh.State(z.now)
		want.InFlight = int64(len(z.flight))
		require.Equal(z, want, z.p.State(z.now))
		return
	}
	if n := len(z.flight); event&7 >= 4 && n > 0 {
		i := event >> 3 % n
		ticket := z.flight[i]
		z.flight = slices.Delete(z.flight, i, i+1)
		switch event & 7 {
		case 4, 5:
			a := z.answer()
			z.draw()
			z.p.Answered(z.now, &ticket, &a)
			z.last = ticket
			z.p.Transferred(z.p.ByteLimits(&ticket), z.number())
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
		z.now = z.now.Add(min(max(z.duration(), -hour), day))
	case 1: // without a plan
		z.send(z.number())
	default:
		if at := z.p.Plan(z.now, 0, &one).At; at <= z.now || at < z.now.Add(day) {
			z.now = max(z.now, at)
			z.send(1)
		}
	}
}

func (z *fuzzed) send(requests int64) {
	cost := pacer.Cost{Requests: requests}
	if n := int64(z.byte()); n < 100 {
		cost.Others = &[pacer.MaxOthers]int64{n, n / 10, unknown}
	}
	if where := z.byte(); where > 0 {
		cost.Route = uint8(where)
		if where&3 == 0 {
			z.p.Describe(cost.Route, uint8(where>>2), where&64 != 0)
		}
	}
	z.flight = append(z.flight, pacer.Ticket{})
	z.draw()
	z.p.Send(z.now, &cost, &z.flight[len(z.flight)-1])
}

// apportion allots parts that no sane fleet would.
func (z *fuzzed) apportion() {
	shares := []float64{1, 0.5, 0.01, 1e-9, 0, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}
	flags, refills := z.byte(), z.byte()
	parts, uses := limits.Parts{Lasts: z.duration()}, usageOf(&z.p, z.now).Limits
	if flags&1 != 0 {
		parts.Held = z.duration()
	}
	if flags&2 != 0 {
		z.duration() // stored inputs have one more here
	}
	for range flags >> 2 & 3 {
		at := pacer.LimitSet(z.number())
		part := limits.Part{Share: shares[z.byte()%len(shares)], Units: z.number(), Next: z.number(), Full: flags&16 != 0, Refills: refills&1 != 0}
		if i := at.First(); at != 0 && i < len(uses) {
			part.ID = uses[i].ID
		}
		part.Ends, part.Remaining, part.Age = z.duration(), z.number(), z.duration()
		if flags&32 != 0 {
			part.Held = z.duration()
		}
		parts.Limits = append(parts.Limits, part)
	}
	z.draw()
	z.p.Apportion(z.now, &parts, math.MaxInt64)
	z.agreed = true
}

// restart takes a snapshot, and restores it on another clock.
func (z *fuzzed) restart() {
	z.byte()
	p, err := pacer.Restore(z.cfg, z.p.Snapshot(z.now), pacer.Instant(30*day), z.duration(), 30*day)
	require.NoError(z, err)
	z.p, z.now, z.latest, z.flight = p, pacer.Instant(30*day), 0, nil
}

// requireSane requires a possible state, and plans that change nothing, are in order and are not before a
// hold.
func requireSane(t *testing.T, p *pacer.Partition, now pacer.Instant) {
	t.Helper()
	state := p.State(now)
	require.LessOrEqual(t, len(state.Limits), 24)
	require.LessOrEqual(t, len(p.Units()), pacer.MaxOthers)
	sane := func(f float64) bool { return f >= 0 && !math.IsInf(f, 0) }
	require.True(t, sane(state.Pace) && sane(state.Trial) && sane(state.Sending) && (state.Places >= 1 || state.Places == unknown), "%+v", state)
	for _, l := range state.Limits {
		require.True(t, sane(l.Rate) && l.Share > 0 && l.Share <= 1, "%+v", l)
		require.True(t, l.Remaining >= unknown && l.Quota >= unknown && (l.Window > 0 || l.Window == unknown), "%+v", l)
	}
	for _, u := range usageOf(p, now).Limits {
		require.True(t, u.Quota > 0 && u.Window > 0 && u.Used >= 0, "%+v", u)
	}
	plan := p.Plan(now, 0, &one)
	require.Equal(t, plan, p.Plan(now, 0, &one), "a query changes nothing")
	require.Equal(t, state, p.State(now), "a query changes nothing")
	require.GreaterOrEqual(t, p.Plan(now, 10, &one).At, plan.At, "who waits behind others goes no earlier")
	require.Equal(t, plan.At <= now, plan.Cause == pacer.CauseNone, "%+v", plan)
}

func (z *fuzzed) check() {
	z.latest = max(z.latest, z.now)
	require.EqualValues(z, len(z.flight), z.p.InFlight())
	requireSane(z.T, &z.p, z.now)
	if places := z.p.State(z.now).Places; z.p.HasConcurrencyLimit() && z.p.InFlight() >= places {
		plan := z.p.Plan(z.now, 0, &one)
		require.Greater(z, plan.At, z.now, "no place is free")
	}
}

// letOneGo requires that one request can go within some plans, with none in flight and the whole quota
// allotted.
func (z *fuzzed) letOneGo() {
	parts := limits.Parts{Lasts: math.MaxInt64}
	for _, l := range usageOf(&z.p, z.now).Limits {
		parts.Limits = append(parts.Limits, limits.Part{ID: l.ID, Share: 1, Units: math.MaxInt64, Next: math.MaxInt64, Full: true, Remaining: unknown})
	}
	if z.agreed {
		*z.u = 0
		z.p.Apportion(z.now, &parts, math.MaxInt64)
	}
	for range z.flight {
		z.p.Release()
	}
	z.now = max(z.now, z.latest)
	for late := range 300 { // usually five, but a rest may get less time with each of them
		at := z.p.Plan(z.now, 0, &one).At
		if at <= z.now {
			return
		}
		z.now = max(at, z.now.Add(time.Duration(late)*10*time.Microsecond)) // late as timers are: plans may be nanoseconds apart
	}
	require.Fail(z, "planned for later again and again")
}
