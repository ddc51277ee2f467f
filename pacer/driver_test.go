package pacer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour

	unknown = pacer.Unknown
	start   = pacer.Instant(hour) // beginning of all scenarios
)

// even is a Config without burst and jitter, so that every wait can be computed.
var even = pacer.Config{Burst: -1, Jitter: -1}

// one is the cost of most requests.
var one = pacer.Cost{Requests: 1}

// A driver runs one Partition through a scenario on its own clock. Every random number is u.
type driver struct {
	t   testing.TB
	p   pacer.Partition
	now pacer.Instant
	u   float64
}

func drive(tb testing.TB, cfg pacer.Config) *driver {
	tb.Helper()
	d := &driver{t: tb, now: start, u: 0.5}
	cfg.Chance = func() float64 { return d.u }
	d.p = pacer.New(&cfg)
	return d
}

func (d *driver) advance(step time.Duration) { d.now = d.now.Add(step) }

// since returns the time since the scenario began.
func (d *driver) since() time.Duration { return d.now.Sub(start) }

func (d *driver) sendAs(cost pacer.Cost) (ticket pacer.Ticket) {
	d.p.Send(d.now, &cost, &ticket)
	return ticket
}

func (d *driver) send(requests int64) pacer.Ticket {
	return d.sendAs(pacer.Cost{Requests: requests})
}

// crowd sends n requests, whatever their plans, and leaves them in flight.
func (d *driver) crowd(n int) []pacer.Ticket {
	tickets := make([]pacer.Ticket, n)
	for i := range tickets {
		tickets[i] = d.send(1)
	}
	return tickets
}

// occupy sends n requests that may all go now, and leaves them in flight.
func (d *driver) occupy(n int) []pacer.Ticket {
	d.t.Helper()
	tickets := make([]pacer.Ticket, n)
	for i := range tickets {
		d.wantWait(0)
		tickets[i] = d.send(1)
	}
	return tickets
}

// answer ends a request with a response.
func (d *driver) answer(ticket pacer.Ticket, a pacer.Answer) {
	d.p.Answered(d.now, &ticket, &a)
	d.p.Release()
}

func (d *driver) lose(ticket pacer.Ticket) {
	d.p.Lost(d.now, &ticket)
	d.p.Release()
}

// get sends a request, whatever its plan, and gives it a response at once.
func (d *driver) get(a pacer.Answer) { d.answer(d.send(1), a) }

// getAs is get for a request of that cost.
func (d *driver) getAs(cost pacer.Cost, a pacer.Answer) { d.answer(d.sendAs(cost), a) }

func (d *driver) plan() pacer.Plan { return d.p.Plan(d.now, 0, &one) }

// wait returns how long a request has to wait.
func (d *driver) wait() time.Duration { return d.waitAs(one) }

func (d *driver) waitAs(cost pacer.Cost) time.Duration {
	return max(0, d.p.Plan(d.now, 0, &cost).At.Sub(d.now))
}

// wantWait requires that wait, to the microsecond.
func (d *driver) wantWait(want time.Duration) {
	d.t.Helper()
	d.wantWaitAs(one, want)
}

func (d *driver) wantWaitAs(cost pacer.Cost, want time.Duration) {
	d.t.Helper()
	require.InDelta(d.t, want.Seconds(), d.waitAs(cost).Seconds(), 1e-6, "%v after the start", d.since())
}

// wantWaitWithin requires a wait in that range.
func (d *driver) wantWaitWithin(least, most time.Duration) {
	d.t.Helper()
	require.GreaterOrEqual(d.t, d.wait(), least, "%v after the start", d.since())
	require.LessOrEqual(d.t, d.wait(), most, "%v after the start", d.since())
}

// proceed waits as planned and sends.
func (d *driver) proceed() pacer.Ticket {
	d.t.Helper()
	for range 100 { // a new window may have less time than the last one
		if d.wait() == 0 {
			return d.send(1)
		}
		d.advance(d.wait())
	}
	require.Fail(d.t, "planned for later again and again")
	return pacer.Ticket{}
}

// goOn sends as planned until a time, and returns how many requests went. Each gets a response at once, or
// none if answer is nil.
func (d *driver) goOn(until time.Duration, answer func() pacer.Answer) (n int) {
	for range 100_000 {
		switch wait := d.wait(); {
		case d.since()+wait >= until:
			d.now = max(d.now, start.Add(until))
			return n
		case wait > 0:
			d.advance(wait)
		case answer == nil:
			d.send(1)
			n++
		default:
			d.get(answer())
			n++
		}
	}
	require.Fail(d.t, "it never ends")
	return n
}

// beside simulates other clients that use so many units of a window of a minute for each of this client's
// requests. These go evenly, until so many units are left.
func (d *driver) beside(others, quota, left int64) {
	begun, n := d.now, (quota-left)/(1+others)
	for i := range n {
		d.now = begun.Add(minute / time.Duration(n) * time.Duration(i))
		d.get(says(quota, minute, left+(n-1-i)*(1+others), minute-d.now.Sub(begun)))
	}
}

// burst sends all requests that may go now, and returns their number.
func (d *driver) burst() (n int) {
	for ; d.wait() == 0 && n < 10_000; n++ {
		d.send(1)
	}
	return n
}

func (d *driver) state() pacer.State { return d.p.State(d.now) }

// held returns the rest of the hold on everything.
func (d *driver) held() time.Duration { return max(0, d.state().HeldUntil.Sub(d.now)) }

// limit returns the only limit, which must exist.
func (d *driver) limit() pacer.LimitState {
	d.t.Helper()
	limits := d.state().Limits
	require.Len(d.t, limits, 1)
	return limits[0]
}

// policies returns the names of the known limits.
func (d *driver) policies() []string {
	names := []string{}
	for _, l := range d.state().Limits {
		names = append(names, l.Policy)
	}
	return names
}

// restart ends the process and begins another one so much later, on another clock.
func (d *driver) restart(after time.Duration, cfg *pacer.Config) {
	d.t.Helper()
	later := d.now.Add(50 * hour)
	p, err := pacer.Restore(cfg, d.p.Snapshot(d.now), later, after, 30*day)
	require.NoError(d.t, err)
	d.p, d.now = p, later
}

// ok is a success without limits.
func ok() pacer.Answer { return pacer.Answer{RetryAfter: unknown} }

// several is a success that reports several limits.
func several(limits ...limits.Reported) pacer.Answer {
	return pacer.Answer{RetryAfter: unknown, Limits: limits}
}

func named(policy string, quota int64, window time.Duration, remaining int64, reset time.Duration) limits.Reported {
	return limits.Reported{Policy: policy, Quota: quota, Window: window, Remaining: remaining, Reset: reset}
}

// says is a success that reports one limit.
func says(quota int64, window time.Duration, remaining int64, reset time.Duration) pacer.Answer {
	return several(named("default", quota, window, remaining, reset))
}

// refuses turns a response into a refusal.
func refuses(a pacer.Answer, retryAfter time.Duration) pacer.Answer {
	a.Refused, a.RetryAfter = true, retryAfter
	return a
}

// bare429 is a refusal without any limit or time.
func bare429() pacer.Answer { return refuses(ok(), unknown) }

// overloaded is a 503.
func overloaded(retryAfter time.Duration) pacer.Answer {
	a := refuses(ok(), retryAfter)
	a.Overloaded = true
	return a
}
