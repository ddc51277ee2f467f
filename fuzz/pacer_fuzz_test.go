package fuzz

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// FuzzPartition chooses a partition's events by bytes, and checks the partition after each event. Whoever asks a partition
// changes nothing: without the checks the same events lead to the same state.
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
		f.Add(randomTape(seed, 400), uint8(seed*8))
	}
	f.Fuzz(func(t *testing.T, events []byte, config uint8) {
		asked := newPacing(t, events, config)
		unasked := *newPacing(t, events, config)
		unasked.cfg, unasked.u, unasked.p = asked.cfg, asked.u, asked.p // as a Config is compared by its address
		for len(asked.in) > 0 {
			asked.event()
			asked.check()
			unasked.event()
		}
		require.Equal(t, unasked.p, asked.p)
		asked.letOneGo()
	})
}

// FuzzRestore damages the numbers of a snapshot that is taken after some events. If that is still a snapshot, the partition
// is usable, and a second snapshot is the same: but for one request that goes early, to find out which limits its route has.
func FuzzRestore(f *testing.F) {
	for seed := range uint64(32) {
		f.Add(randomTape(seed, 40), randomTape(seed+100, 20), randomTape(seed+200, 100), uint8(seed*8))
	}
	f.Fuzz(func(t *testing.T, before, damage, after []byte, config uint8) {
		z := newPacing(t, before, config)
		for len(z.in) > 0 {
			z.event()
		}
		z.in = shortened(after)
		snapshot := damaged(z.p.Snapshot(z.now), damage)
		if z.restart(snapshot) != nil {
			return
		}
		again, err := pacer.Restore(z.cfg, z.p.Snapshot(z.now), z.now, 0, math.MaxInt64)
		require.NoError(t, err)
		if !bytes.Contains(snapshot, []byte(`"IsRouted":true`)) {
			a, b := z.p.Plan(z.now, 0, &oneRequest), again.Plan(z.now, 0, &oneRequest)
			require.InDelta(t, a.At.Sub(z.now).Seconds(), b.At.Sub(z.now).Seconds(), 1e-3)
		}
		for z.check(); len(z.in) > 0; z.check() {
			if z.in[0] == 8 {
				require.NoError(t, z.restart(z.p.Snapshot(z.now)))
			} else {
				z.event()
			}
		}
		z.letOneGo()
	})
}

var oneRequest = pacer.Cost{Requests: 1}

// damaged replaces each number of a snapshot if the next byte of a tape is odd, but for the first two: the version, and the
// partition's time, with which all others would lose their nanoseconds.
func damaged(snapshot, damage []byte) []byte {
	odd := []string{
		"0", "-1", "1", "2", "255", "9223372036854775807", "-9223372036854775808", "3600e9", "1e300", "-1e300",
	}
	rest, n := tape(damage), 0
	return regexp.MustCompile(`[:,\[]-?[0-9][0-9.e+-]*`).ReplaceAllFunc(snapshot, func(old []byte) []byte {
		if n++; n <= 2 || rest.next(2) == 0 {
			return old
		}
		text := choose(&rest, odd...)
		if number, err := strconv.ParseFloat(string(old[1:]), 64); err == nil && rest.next(2) == 1 {
			text = strconv.FormatFloat(number*choose(&rest, 2.0, 1000, -1), 'f', -1, 64)
		}
		return append(old[:1:1], text...)
	})
}

func randomTape(seed uint64, n int) []byte {
	source := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return b
}

// shortened returns the first events. More show nothing new, and on a busy machine they take longer than the ten seconds
// in which a fuzzed function must end.
func shortened(events []byte) tape { return events[:min(len(events), 5000)] }

// A pacing is a partition with its requests in flight.
type pacing struct {
	*testing.T

	in     tape
	cfg    *pacer.Config
	u      *float64 // the number that the Config draws
	p      pacer.Partition
	now    pacer.Instant
	latest pacer.Instant // largest value of now, because a clock that is set back delays
	flight []pacer.Ticket
	last   pacer.Ticket  // of the last response
	agreed bool          // parts were allotted
	blur   time.Duration // by which plans may be off: a time that has passed before Restore blurs nanoseconds
}

// newPacing returns a partition with one of several Configs. With one of them it waits for parts.
func newPacing(t *testing.T, events []byte, config uint8) *pacing {
	t.Helper()
	z := &pacing{T: t, in: shortened(events), u: new(float64), now: pacer.Instant(time.Hour)}
	z.cfg = []*pacer.Config{
		{}, {Burst: -1, Jitter: -1}, {Burst: 2, Jitter: 5}, {Burst: math.NaN(), Jitter: math.NaN()}, {}, {Measured: true}, {Burst: math.Inf(1), MaxRate: 3},
	}[config%7]
	z.cfg.Chance = func() float64 { return *z.u }
	z.p = pacer.New(z.cfg)
	if config%7 == 4 {
		z.p.AwaitParts()
		z.agreed = true
	}
	return z
}

// draw chooses another number for the Config.
func (z *pacing) draw() { *z.u = float64(z.in.next(256)) / 256 }

func (z *pacing) number() int64 {
	return choose[int64](&z.in, -1, 0, 1, 2, 3, 5, 10, 59, 60, 100, 1000, 1<<40, math.MaxInt64, math.MinInt64)
}

func (z *pacing) duration() time.Duration {
	const second, day = time.Second, 24 * time.Hour
	return choose(&z.in, -1, 0, 1, time.Millisecond, 250*time.Millisecond, second, 2*second, 10*second,
		59*second, time.Minute, time.Hour, day, 30*day, -second, math.MinInt64, math.MaxInt64)
}

func (z *pacing) policy() string { return string(rune('a' + z.in.next(256)%20)) }

func (z *pacing) answer() pacer.Answer {
	flags := z.in.next(256)
	a := pacer.Answer{RetryAfter: pacer.Unknown, Refused: flags&3 == 0, Overloaded: flags&7 == 0}
	if flags&8 != 0 {
		a.RetryAfter = z.duration()
	}
	unit := [...]limits.Unit{"", "tokens", limits.ContentBytes, limits.ConcurrentRequests}[flags>>6]
	for range flags >> 4 & 3 {
		a.Limits = append(a.Limits, limits.Reported{
			Policy: z.policy(), PartitionKey: choose(&z.in, "", "", "ann", "bob"), Unit: unit,
			Quota: z.number(), Remaining: z.number(), Window: z.duration(), Reset: z.duration(), Cost: z.number(),
		})
	}
	if a.Refused && flags&32 != 0 {
		a.Violated = []string{z.policy()}
	}
	return a
}

const apportioned, forgotten = 0xfb, 0xfa // bytes of special events

func (z *pacing) event() {
	event := z.in.next(256)
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
		z.end(event, event>>3%n)
		return
	}
	switch event & 3 {
	case 0: // time passes, or goes back
		z.now = z.now.Add(min(max(z.duration(), -time.Hour), 24*time.Hour))
	case 1: // without a plan
		z.send(z.number())
	default:
		if at := z.p.Plan(z.now, 0, &oneRequest).At; at <= z.now || at < z.now.Add(24*time.Hour) {
			z.now = max(z.now, at)
			z.send(1)
		}
	}
}

// end ends a request in flight.
func (z *pacing) end(event, i int) {
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
}

func (z *pacing) send(requests int64) {
	cost := pacer.Cost{Requests: requests}
	if n := int64(z.in.next(256)); n < 100 {
		cost.Others = &[pacer.MaxOthers]int64{n, n / 10, pacer.Unknown}
	}
	if where := z.in.next(256); where > 0 {
		cost.Route = uint8(where)
		if where&3 == 0 {
			z.p.Describe(cost.Route, uint8(where>>2), where&64 != 0)
		}
	}
	z.flight = append(z.flight, pacer.Ticket{})
	z.draw()
	z.p.Send(z.now, &cost, &z.flight[len(z.flight)-1])
}

// usage is what the partition reports to a fleet while nobody waits.
func (z *pacing) usage() limits.Usage {
	return z.p.Usage(z.now, func(pacer.LimitSet) int { return 0 })
}

// apportion allots parts that no sane fleet would.
func (z *pacing) apportion() {
	shares := []float64{1, 0.5, 0.01, 1e-9, 0, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}
	flags, refills := z.in.next(256), z.in.next(256)
	parts, uses := limits.Parts{Lasts: z.duration()}, z.usage().Limits
	if flags&1 != 0 {
		parts.Held = z.duration()
	}
	if flags&2 != 0 {
		z.duration() // stored inputs have one more here
	}
	for range flags >> 2 & 3 {
		at := pacer.LimitSet(z.number())
		part := limits.Part{Share: choose(&z.in, shares...), Units: z.number(), Next: z.number(), Full: flags&16 != 0, Refills: refills&1 != 0}
		if i := at.First(); at != 0 && i < len(uses) {
			part.ID = uses[i].ID
		}
		part.Ends, part.Remaining, part.Age = z.duration(), z.number(), z.duration()
		part.Window = part.Age
		if flags&32 != 0 {
			part.Held = z.duration()
		}
		parts.Limits = append(parts.Limits, part)
	}
	z.draw()
	z.p.Apportion(z.now, &parts, math.MaxInt64)
	z.agreed = true
}

// restart restores a snapshot on another clock.
func (z *pacing) restart(snapshot []byte) error {
	z.in.next(256)
	const month = 30 * 24 * time.Hour
	p, err := pacer.Restore(z.cfg, snapshot, pacer.Instant(month), z.duration(), month)
	if err != nil {
		require.ErrorIs(z, err, pacer.ErrSnapshot)
		return err
	}
	z.p, z.now, z.latest, z.flight, z.blur = p, pacer.Instant(month), 0, nil, 100
	return nil
}

// check requires a possible state, and plans that are in order and are not before a hold.
func (z *pacing) check() {
	z.latest = max(z.latest, z.now)
	require.EqualValues(z, len(z.flight), z.p.InFlight())
	state := z.p.State(z.now)
	require.LessOrEqual(z, len(state.Limits), 24)
	require.LessOrEqual(z, len(z.p.Units()), pacer.MaxOthers)
	sane := func(f float64) bool { return f >= 0 && !math.IsInf(f, 0) }
	require.True(z, sane(state.Pace) && sane(state.Trial) && sane(state.Sending) && (state.Places >= 1 || state.Places == pacer.Unknown), "%+v", state)
	for _, l := range state.Limits {
		require.True(z, sane(l.Rate) && l.Share > 0 && l.Share <= 1, "%+v", l)
		require.True(z, l.Remaining >= pacer.Unknown && l.Quota >= pacer.Unknown && (l.Window > 0 || l.Window == pacer.Unknown), "%+v", l)
	}
	for _, u := range z.usage().Limits {
		require.True(z, u.Quota > 0 && u.Window > 0 && u.Used >= 0, "%+v", u)
	}
	plan := z.p.Plan(z.now, 0, &oneRequest)
	require.GreaterOrEqual(z, z.p.Plan(z.now, 10, &oneRequest).At, plan.At, "who waits behind others goes no earlier")
	require.Equal(z, plan.At <= z.now, plan.Cause == pacer.CauseNone || plan.At > z.now.Add(-z.blur) && plan.At <= z.now, "%+v", plan)
	if z.p.HasConcurrencyLimit() && z.p.InFlight() >= state.Places {
		require.Greater(z, plan.At, z.now, "no place is free")
	}
	z.askMore()
}

// askMore calls the other methods that only tell.
func (z *pacing) askMore() {
	cost := pacer.Cost{Requests: 3, Route: uint8(z.latest)}
	z.p.Plan(z.now.Add(time.Minute), 2, &cost)
	z.p.State(z.now.Add(time.Minute))
	z.p.Snapshot(z.now.Add(time.Minute))
	z.p.Uses(&cost)
	z.p.Idle(z.now)
	z.p.Held(z.now)
	z.p.PartMayGrow()
	for i := range z.flight {
		z.p.HeldUntil(&z.flight[i])
		z.p.Stops(z.now, &z.flight[i])
		z.p.ByteLimits(&z.flight[i])
	}
}

// letOneGo requires that one request can go within some plans, with none in flight and the whole quota
// allotted.
func (z *pacing) letOneGo() {
	parts := limits.Parts{Lasts: math.MaxInt64}
	for _, l := range z.usage().Limits {
		parts.Limits = append(parts.Limits, limits.Part{
			ID: l.ID, Share: 1, Units: math.MaxInt64, Next: math.MaxInt64, Full: true, Remaining: pacer.Unknown,
		})
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
		at := z.p.Plan(z.now, 0, &oneRequest).At
		if at <= z.now {
			return
		}
		z.now = max(at, z.now.Add(time.Duration(late)*10*time.Microsecond)) // late as timers are: plans may be nanoseconds apart
	}
	require.Fail(z, "planned for later again and again")
}
