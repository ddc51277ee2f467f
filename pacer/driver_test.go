package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// even is a Config without burst and jitter, so that every wait can be worked out.
var even = Config{Burst: -1, Jitter: -1}

// A driver takes one Partition through a scenario and tells it as it goes.
// Every chance that it draws is u.
type driver struct {
	t   *testing.T
	p   Partition
	now Instant
	u   float64
}

func drive(t *testing.T, cfg Config) *driver {
	t.Helper()
	return &driver{t: t, p: New(&cfg), now: Instant(time.Hour), u: 0.5}
}

func (d *driver) logf(format string, args ...any) {
	d.t.Helper()
	d.t.Logf("%12v  "+format, append([]any{d.now.Sub(Instant(time.Hour))}, args...)...)
}

func (d *driver) advance(by time.Duration) {
	d.t.Helper()
	d.now = d.now.Add(by)
	d.logf("advance by %v", by)
}

func (d *driver) send(cost int64) Ticket {
	d.t.Helper()
	ticket := d.p.Send(d.now, &Cost{Requests: cost}, d.u)
	d.logf("send #%d, cost %d", ticket.seq, cost)
	return ticket
}

func (d *driver) answer(ticket Ticket, a Answer) {
	d.t.Helper()
	d.logf("answer #%d: refused %t, Retry-After %v, limits %+v", ticket.seq, a.Refused, a.RetryAfter, a.Limits)
	d.p.Answered(d.now, &ticket, &a, d.u)
	d.p.Release()
}

// get sends a request and has it answered at once.
func (d *driver) get(a Answer) {
	d.t.Helper()
	d.answer(d.send(1), a)
}

// wait is how long a request of that cost has to wait.
func (d *driver) wait(cost int64) time.Duration {
	return max(0, d.p.Plan(d.now, 0, &Cost{Requests: cost}).At.Sub(d.now))
}

// wantWait wants a request to have to wait so long, to the microsecond.
func (d *driver) wantWait(want time.Duration) {
	d.t.Helper()
	d.wantWaitOf(1, want)
}

func (d *driver) wantWaitOf(cost int64, want time.Duration) {
	d.t.Helper()
	got := d.wait(cost)
	d.logf("cost %d waits %v", cost, got)
	require.InDelta(d.t, want.Seconds(), got.Seconds(), 1e-6)
}

// wantGap wants the limits to ask for such an interval.
func (d *driver) wantGap(want time.Duration) {
	d.t.Helper()
	got := d.need().gap
	d.logf("gap %v", got)
	require.InDelta(d.t, want.Seconds(), got.Seconds(), 1e-6)
}

// need is what a request that costs 1 would be asked for.
func (d *driver) need() need {
	var n need
	d.p.plan(d.now, &Cost{Requests: 1}, &n)
	return n
}

// silentMost is after how many answers in a row that leave it out a limit applies no
// longer, in a partition of one route.
const silentMost = absence / saidOneOfOne

// silent reports whether the only limit does not apply any more.
func (d *driver) silent() bool {
	d.t.Helper()
	d.limit()
	return d.p.anywhere.spared != 0
}

// proceed waits as planned and sends.
func (d *driver) proceed() Ticket {
	d.t.Helper()
	if wait := d.wait(1); wait > 0 {
		d.advance(wait)
	}
	require.Zero(d.t, d.wait(1), "planned for now")
	return d.send(1)
}

// limit is the only limit, which must exist.
func (d *driver) limit() *limit {
	d.t.Helper()
	require.Equal(d.t, 1, d.p.live.len())
	return &d.p.limits[d.p.live.first()]
}

// clear200 is a success that tells nothing.
func clear200() Answer { return Answer{RetryAfter: Unknown} }

// says is a success that tells of one limit.
func says(quota int64, window time.Duration, remaining int64, reset time.Duration) Answer {
	return Answer{RetryAfter: Unknown, Limits: []Limit{
		{Policy: "default", Quota: quota, Window: window, Remaining: remaining, Reset: reset},
	}}
}

// refuses makes an answer a refusal.
func refuses(a Answer, retryAfter time.Duration) Answer {
	a.Refused, a.RetryAfter = true, retryAfter
	return a
}

// bare429 is a refusal that tells nothing.
func bare429() Answer { return refuses(clear200(), Unknown) }

// overloaded is a 503.
func overloaded(retryAfter time.Duration) Answer {
	a := refuses(clear200(), retryAfter)
	a.Overloaded = true
	return a
}
