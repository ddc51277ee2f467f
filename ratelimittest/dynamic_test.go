package ratelimittest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// These are the examples of changing limits in draft-ietf-httpapi-ratelimit-headers-10, Appendix B. A fixed
// window of 100 per minute is changed at a given time.
func TestDynamicLimitsOfTheDraft(t *testing.T) {
	const s = time.Second
	at := func(d time.Duration) time.Time { return start.Add(d) }
	window := func(name string) ratelimittest.Limiter {
		return &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: name, Quota: 100, Window: time.Minute}}
	}
	slow := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "dynamic", Quota: 15, Window: 20 * s}}
	type exchange struct {
		at            time.Duration
		cost          int64
		allowed       bool
		policy, limit string
		retryAfter    string
	}
	tests := []struct {
		name      string
		limiter   ratelimittest.Limiter
		exchanges []exchange
	}{
		{
			"B.1.3: limiting concurrency by a lower r",
			ratelimittest.Understate(window("basic"), 39, at(4*s), at(time.Minute)),
			[]exchange{
				{0, 39, true, `"basic";q=100;w=60`, `"basic";r=61;t=60`, ""},
				{2 * s, 1, true, `"basic";q=100;w=60`, `"basic";r=60;t=58`, ""},
				{4 * s, 1, true, `"basic";q=100;w=60`, `"basic";r=20;t=56`, ""},
				{60 * s, 1, true, `"basic";q=100;w=60`, `"basic";r=99;t=60`, ""},
			},
		},
		{
			"B.2.2: just slow down without waiting",
			ratelimittest.Understate(window("dynamic"), 50, at(10*s), at(time.Minute)),
			[]exchange{
				{0, 40, true, `"dynamic";q=100;w=60`, `"dynamic";r=60;t=60`, ""},
				{10 * s, 1, true, `"dynamic";q=100;w=60`, `"dynamic";r=9;t=50`, ""},
				{11 * s, 19, true, `"dynamic";q=100;w=60`, `"dynamic";r=0;t=49`, ""}, // B.1.1: served although r was 9
				{11 * s, 41, false, `"dynamic";q=100;w=60`, `"dynamic";r=0;t=49`, "49"},
			},
		},
		{
			"B.2.3: wait 20 seconds, then slow down",
			ratelimittest.Instead(window("dynamic"),
				ratelimittest.Understate(ratelimittest.PushBack(slow, at(20*s), at(40*s)), 15, at(20*s), at(40*s)),
				at(20*s), at(60*s)),
			[]exchange{
				{0, 41, true, `"dynamic";q=100;w=60`, `"dynamic";r=59;t=60`, ""},
				{20 * s, 1, false, `"dynamic";q=15;w=20`, `"dynamic";r=0;t=20`, "20"}, // the draft has none, which is Handler.RetryAfter = Silent
				{40 * s, 15, true, `"dynamic";q=15;w=20`, `"dynamic";r=0;t=20`, ""},
				{50 * s, 1, false, `"dynamic";q=15;w=20`, `"dynamic";r=0;t=10`, "10"},
				{60 * s, 1, true, `"dynamic";q=100;w=60`, `"dynamic";r=99;t=60`, ""},
			},
		},
		{
			"B.3: wait 20 seconds by Retry-After, then slow down",
			ratelimittest.PushBack(ratelimittest.Understate(window("dynamic"), 44, at(20*s), at(time.Minute)), at(20*s), at(40*s)),
			[]exchange{
				{0, 41, true, `"dynamic";q=100;w=60`, `"dynamic";r=59;t=60`, ""},
				{20 * s, 1, false, `"dynamic";q=100;w=60`, `"dynamic";r=15;t=40`, "20"},
				{30 * s, 1, false, `"dynamic";q=100;w=60`, `"dynamic";r=15;t=30`, "10"},
				{40 * s, 1, true, `"dynamic";q=100;w=60`, `"dynamic";r=14;t=20`, ""},
				{60 * s, 1, true, `"dynamic";q=100;w=60`, `"dynamic";r=99;t=60`, ""},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, want := range tt.exchanges {
				h, now := http.Header{}, at(want.at)
				d := tt.limiter.Take(now, "client", want.cost)
				ratelimittest.Draft10(h, now, d)
				if !d.Allowed {
					ratelimittest.RetryAfterSeconds(h, now, d)
				}
				require.Equal(t, want, exchange{
					want.at, want.cost, d.Allowed, h.Get("RateLimit-Policy"), h.Get("RateLimit"), h.Get("Retry-After"),
				})
			}
		})
	}
}

// A quota of 10 falls to 4 between 0:30 and 1:30.
func TestLowerQuota(t *testing.T) {
	const s = time.Second
	f := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Window: 30 * s, QuotaAt: ratelimittest.LowerQuota(10, 4, start.Add(30*s), start.Add(90*s)),
	}}
	requireTakes(t, f, []take{
		{at: 0, cost: 6, allowed: true, remaining: 4, reset: 30 * s},
		{at: 30 * s, cost: 5, allowed: false, remaining: 4, reset: 30 * s},
		{at: 30 * s, cost: 4, allowed: true, remaining: 0, reset: 30 * s},
		{at: 59 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
		{at: 89 * s, cost: 4, allowed: true, remaining: 0, reset: 30 * s},
		{at: 90 * s, cost: 6, allowed: true, remaining: 0, reset: 29 * s},
	})
}

func TestLowerQuotaSpans(t *testing.T) {
	tests := []struct {
		name        string
		from, until time.Time
		want        []int64 // at -1 ns, 0 and 1 h
	}{
		{"for an hour", start, start.Add(time.Hour), []int64{10, 4, 10}},
		{"for good", start, time.Time{}, []int64{10, 4, 4}},
		{"from the beginning", time.Time{}, start, []int64{4, 10, 10}},
		{"for no time", start, start, []int64{10, 10, 10}},
		{"ended before it began", start, start.Add(-time.Hour), []int64{10, 10, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			quotaAt := ratelimittest.LowerQuota(10, 4, tt.from, tt.until)
			for i, at := range []time.Time{start.Add(-1), start, start.Add(time.Hour)} {
				got, until := quotaAt(at)
				require.Equal(t, tt.want[i], got)
				if stays := until.Add(-1); until.After(at) {
					got, _ = quotaAt(stays)
				}
				require.Equal(t, tt.want[i], got, "until then")
			}
		})
	}
}

// The figures know when a lower quota ends, and count the quota that is available then.
func TestFiguresOfALowerQuota(t *testing.T) {
	const s = time.Second
	policy := func(lower int64) ratelimittest.Policy {
		return ratelimittest.Policy{QuotaAt: ratelimittest.LowerQuota(100, lower, start.Add(10*s), start.Add(20*s))}
	}
	for name, fresh := range map[string]func() ratelimittest.Limiter{
		"1 of a linear limit": func() ratelimittest.Limiter { return &ratelimittest.Linear{Policy: policy(1)} },
		"nothing of a bucket": func() ratelimittest.Limiter { return &ratelimittest.TokenBucket{Policy: policy(0)} },
		"nothing of a hidden bucket": func() ratelimittest.Limiter {
			return ratelimittest.Hidden(&ratelimittest.TokenBucket{Policy: policy(0)})
		},
		"1 of two limits, one linear": func() ratelimittest.Limiter {
			return ratelimittest.All(&ratelimittest.Linear{Policy: policy(1)}, ratelimittest.NewFixedWindow(500, time.Minute))
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.EqualValues(t, 100+16, ratelimittest.Granted(fresh(), start, 10*s-1), "one each 0.6 s")
			require.EqualValues(t, 100+100, ratelimittest.Granted(fresh(), start, time.Minute))
			require.Equal(t, time.Minute, ratelimittest.Batch{Requests: 200, Workers: 200}.Optimum(fresh(), start, 0))
			var all ratelimittest.Arrivals
			for range 100 {
				all = append(all, ratelimittest.Arrival{Time: start, Cost: 1, Allowed: true})
			}
			for range 100 {
				all = append(all, ratelimittest.Arrival{Time: start.Add(time.Minute), Cost: 1, Allowed: true})
			}
			require.InDelta(t, 1, all.Used(fresh()), 1e-9)
		})
	}
}

// Each limiter of Instead counts only the requests about which it decided.
func TestInstead(t *testing.T) {
	const s = time.Second
	l := ratelimittest.Instead(ratelimittest.NewFixedWindow(10, 60*s), ratelimittest.NewFixedWindow(2, 10*s), start.Add(10*s), start.Add(30*s))
	requireTakes(t, l, []take{
		{at: 0, cost: 9, allowed: true, remaining: 1, reset: 60 * s},
		{at: 10 * s, cost: 2, allowed: true, remaining: 0, reset: 10 * s},
		{at: 19 * s, cost: 1, allowed: false, remaining: 0, reset: s, retryAfter: s},
		{at: 20 * s, cost: 2, allowed: true, remaining: 0, reset: 10 * s},
		{at: 30 * s, cost: 1, allowed: true, remaining: 0, reset: 30 * s},
		{at: 30 * s, cost: 1, allowed: false, remaining: 0, reset: 30 * s, retryAfter: 30 * s},
	})
	require.EqualValues(t, 10+2+2+0, ratelimittest.Granted(ratelimittest.Instead(
		ratelimittest.NewFixedWindow(10, 60*s), ratelimittest.NewFixedWindow(2, 10*s), start.Add(10*s), start.Add(30*s)), start, 59*s))
}
