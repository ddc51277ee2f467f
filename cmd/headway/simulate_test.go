package main

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// TestIdleClient compares the reported burst with the one of a client that was idle.
func TestIdleClient(t *testing.T) {
	rows := []struct {
		name   string
		idle   time.Duration
		fields []string
	}{
		{"a long window", 20 * time.Minute, []string{`RateLimit: "a";r=3600;t=3600`, `RateLimit-Policy: "a";q=3600;w=3600`}},
		{"little is left", 40 * time.Minute, []string{`RateLimit: "a";r=80;t=3590`, `RateLimit-Policy: "a";q=100;w=3600`}},
		{"one is left", time.Minute, []string{`RateLimit: "a";r=1;t=100`, `RateLimit-Policy: "a";q=1;w=100`}},
		{"two policies", 20 * time.Minute, []string{`RateLimit: "a";r=60;t=3600, "b";r=9999;t=86400`, `RateLimit-Policy: "a";q=60;w=3600, "b";q=10000;w=86400`}},
		{"and requests in flight", 20 * time.Minute, []string{`RateLimit: "a";r=3600;t=3600`, `RateLimit-Policy: "a";q=3600;w=3600, "b";q=7;qu="concurrent-requests"`}},
		{"no policy", 20 * time.Minute, []string{`X-RateLimit-Limit: 500`, `X-RateLimit-Remaining: 400`, `X-RateLimit-Reset: 3600`}},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exchange := respond(http.StatusOK, x.fields...)
				said := simulate(exchange, time.Now)
				// What remains also bounds the burst, and the simulation uses one unit more.
				require.InDelta(t, idleBurst(t, exchange, x.idle), said.atOnce, 2)
				require.Positive(t, said.atOnce)
			})
		})
	}
}

// idleBurst sends requests at once after an idle time, and returns how many go.
func idleBurst(t *testing.T, x *exchange, idle time.Duration) (n int) {
	t.Helper()
	answered := false
	var send func() error
	transport := &headway.Transport{Jitter: -1, MaxWait: 1, MaxRetries: -1, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
		if !answered {
			answered = true
			return x.response(), nil
		}
		n++
		_ = send()
		return nil, errors.New("not answered")
	})}
	send = func() error {
		_, err := transport.RoundTrip(x.request)
		return err
	}
	require.NoError(t, send())
	time.Sleep(idle)
	require.Error(t, send())
	return n
}

func TestPacing(t *testing.T) {
	const tokens = `;qu="tokens"`
	none := count(unknown)
	rows := []struct {
		name   string
		status int
		fields []string
		want   pacing // without Until
	}{
		{"nothing", 200, nil, pacing{AtOnce: none, Interval: unknown}},
		{"a missing page", 404, nil, pacing{AtOnce: none, Interval: unknown}},
		{
			"plenty", 200,
			[]string{`RateLimit: "a";r=100;t=100`, `RateLimit-Policy: "a";q=100;w=100`},
			pacing{Limited: true, Policy: "a", AtOnce: 10, Rate: 1, Interval: span(time.Second)},
		},
		{
			"the tightest sets the pace", 200,
			[]string{`RateLimit: "a";r=50;t=5, "b";r=100;t=200`, `RateLimit-Policy: "a";q=50;w=5, "b";q=100;w=200`},
			pacing{Limited: true, Policy: "b", AtOnce: 10, Rate: 0.5, Interval: span(2 * time.Second)},
		},
		{
			"as many as are tried", 200,
			[]string{`RateLimit: "a";r=1000000;t=3600`, `RateLimit-Policy: "a";q=1000000;w=3600`},
			pacing{Limited: true, AtOnce: mostAtOnce, IsBound: true, Rate: 1000000. / 3600, Interval: 3600 * span(time.Microsecond)},
		},
		{
			"used up", 200,
			[]string{`RateLimit: "a";r=0;t=30`, `RateLimit-Policy: "a";q=1;w=60`},
			pacing{Limited: true, Policy: "a", Wait: span(30 * time.Second), Rate: 1. / 59, Interval: span(59 * time.Second)}, // nobody has seen the end
		},
		{
			"refused until", 429,
			[]string{"Retry-After: 30"},
			pacing{Limited: true, Wait: span(30 * time.Second), Interval: unknown},
		},
		{
			"refused until a date", 429,
			[]string{"Date: Wed, 04 Mar 2026 12:00:00 GMT", "Retry-After: Wed, 04 Mar 2026 12:01:00 GMT"},
			pacing{Limited: true, Wait: span(time.Minute), Interval: unknown},
		},
		{
			"refused without a word", 429, nil,
			pacing{Limited: true, Wait: span(250 * time.Millisecond), Interval: unknown},
		},
		{
			"overloaded", 503,
			[]string{"Retry-After: 5"},
			pacing{Limited: true, Wait: span(5 * time.Second), Interval: unknown},
		},
		{"out of order", 503, nil, pacing{AtOnce: none, Interval: unknown}},
		{"a wait of no meaning", 200, []string{"Retry-After: 5"}, pacing{AtOnce: none, Interval: unknown}},
		{"only what is left", 200, []string{"X-RateLimit-Remaining: 12"}, pacing{Limited: true, AtOnce: 4, Rate: 0.2, Interval: span(5 * time.Second)}}, // paced as if the window were a minute
		{
			"in flight", 200,
			[]string{`RateLimit-Policy: "a";q=3;qu="concurrent-requests"`},
			pacing{Limited: true, AtOnce: 3, Interval: unknown},
		},
		{
			"other units", 200,
			[]string{`RateLimit: "a";r=50;t=100`, `RateLimit-Policy: "a";q=100;w=100` + tokens},
			pacing{Limited: true, AtOnce: none, Interval: unknown, Policy: "a"},
		},
		{
			"other units used up", 200,
			[]string{`RateLimit: "a";r=0;t=100`, `RateLimit-Policy: "a";q=100;w=100` + tokens},
			pacing{Limited: true, Wait: span(100 * time.Second), Interval: unknown, Policy: "a"},
		},
		{
			"refused because of a policy", 429,
			[]string{"Retry-After: 24", `RateLimit: "a";r=5;t=1`, `RateLimit-Policy: "a";q=10;w=10`, "Content-Type: application/problem+json"},
			pacing{Limited: true, Wait: span(24 * time.Second), Policy: "a", Rate: 2, Interval: span(500 * time.Millisecond)},
		},
		{"from a cache", 200, []string{"Age: 1", `RateLimit: "a";r=0;t=30`}, pacing{AtOnce: none, Interval: unknown}},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exchange := respond(x.status, x.fields...)
				exchange.body = []byte(`{"violated-policies": ["a"]}`) // used only if the response is problem+json
				r := newReport(exchange, time.Now)
				got := r.Pacing
				if got.Wait > 0 {
					require.True(t, got.Until.Equal(time.Now().Add(time.Duration(got.Wait))))
				} else {
					require.Nil(t, got.Until)
				}
				require.InDelta(t, float64(x.want.Rate), float64(got.Rate), 1e-9)
				require.InDelta(t, float64(x.want.Interval), float64(got.Interval), 1)
				got.Until, got.Rate, got.Interval = nil, x.want.Rate, x.want.Interval
				require.Equal(t, x.want, got)
			})
		})
	}
}
