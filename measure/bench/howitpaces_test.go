package bench_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// largestSketch is how many bytes a picture of the page has at most.
const largestSketch = 30 << 10

// TestHowItPaces draws the pictures of docs/how-it-paces.md from runs in virtual time. With -write it writes them.
func TestHowItPaces(t *testing.T) {
	for _, sketch := range []func(*testing.T) *sketch{sketchWindow, sketchBucket, sketchRefusal, sketchFleet} {
		s := sketch(t)
		svg := s.draw()
		require.Less(t, len(svg), largestSketch, s.file)
		if *write {
			docs, err := page.Docs()
			require.NoError(t, err)
			require.NoError(t, docs.Write(s.file, svg))
		}
	}
}

// remaining draws the remaining quota of a server like that one to which these requests come.
func (p *strip) remaining(server ratelimittest.Limiter, all ratelimittest.Arrivals) {
	path := "M"
	for at := time.Duration(0); at <= p.lasts; at += time.Second {
		now := epoch.Add(at)
		for len(all) > 0 && !all[0].Time.After(now) {
			server.Take(all[0].Time, "", all[0].Cost)
			all = all[1:]
		}
		path += fmt.Sprintf("%.1f,%.1f ", p.x(at.Seconds()), p.y(float64(server.Take(now, "", 0).Limits[0].Remaining)))
	}
	fmt.Fprintf(&p.text, `<path d="%s" style="fill:none;%s"/>`+"\n", path, left)
}

// newHeadway makes a client with a Transport that has no field set.
func newHeadway(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &headway.Transport{Base: base}}
}

// beside is a server whose quota another client uses, too, at these times.
func beside(l ratelimittest.Limiter, times []time.Time) ratelimittest.Limiter {
	var mu sync.Mutex
	return ratelimittest.LimiterFunc(func(now time.Time, client string, cost int64) ratelimittest.Decision {
		mu.Lock()
		defer mu.Unlock()
		for ; len(times) > 0 && !times[0].After(now); times = times[1:] {
			l.Take(times[0], client, 1)
		}
		return l.Take(now, client, cost)
	})
}

// sketchWindow has a client that begins in the middle of a window of which 40 units are left.
func sketchWindow(t *testing.T) *sketch {
	t.Helper()
	policy := ratelimittest.Policy{Quota: 100, Window: time.Minute}
	s := &sketch{
		file: "how-window.svg", title: "A fixed window: 100 requests per 60 s",
		key:   []keyed{keyAllowed, {color: others, means: "another client"}, {line: evenly, means: "an even spread"}, keyWindow, keyLeft},
		slice: 2 * time.Second, lasts: 210 * time.Second, ticks: 30,
	}
	var used []time.Time
	var theirs ratelimittest.Arrivals
	for i := range 60 {
		used = append(used, epoch.Add(time.Duration(i)*time.Second/2))
		theirs = append(theirs, ratelimittest.Arrival{Time: used[i]})
	}
	server := func() ratelimittest.Limiter {
		return beside(&ratelimittest.FixedWindow{Policy: policy, Aligned: true}, used)
	}
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: server(), NewClient: newHeadway, Start: epoch.Add(30 * time.Second), Latency: latency,
		Load: ratelimittest.Batch{For: 179 * time.Second, Workers: workers},
	})
	require.Zero(t, f.Refused)
	sent := s.strip("headway begins after 30 s, when 40 units are left", 0, 14, 0, 5, 10)
	sent.windows(60)
	sent.bars(others, theirs, 1)
	sent.bars(granted, f.Arrivals, 1)
	sent.level(s.even(policy, 1))
	sent.note(33, 11, "the burst")
	sent.note(70, 6, "one every 0.6 s")
	quota := s.strip("remaining quota, as the server counts", 0, 100, 0, 50, 100)
	quota.windows(60)
	quota.remaining(server(), f.Arrivals)
	return s
}

// sketchBucket has a client that finds a full bucket, uses it for a while, pauses and goes on.
func sketchBucket(t *testing.T) *sketch {
	t.Helper()
	policy := ratelimittest.Policy{Quota: 100, Window: time.Minute}
	s := &sketch{
		file: "how-bucket.svg", title: "A token bucket: 100 units, refilled at 100 per 60 s",
		key:   []keyed{keyAllowed, {line: evenly, means: "the refill rate"}, keyLeft},
		slice: 2 * time.Second, lasts: 300 * time.Second, ticks: 30,
	}
	const first, second = 280, 170 // requests
	load := append(make(sim.Schedule, first), slices.Repeat(sim.Schedule{200 * time.Second}, second)...)
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.TokenBucket{Policy: policy}, NewClient: newHeadway, Start: epoch, Latency: latency, Load: load,
	})
	require.Zero(t, f.Refused)
	sent := s.strip(fmt.Sprintf("%d requests at 0 s, %d more at 200 s", first, second), 0, 14, 0, 5, 10)
	sent.bars(granted, f.Arrivals, 1)
	sent.level(s.even(policy, 1))
	quota := s.strip("remaining quota, as the server counts", 0, 100, 0, 50, 100)
	quota.remaining(&ratelimittest.TokenBucket{Policy: policy}, f.Arrivals)
	return s
}

// sketchRefusal has a hold, and a rate that is learned from refusals alone.
func sketchRefusal(t *testing.T) *sketch {
	t.Helper()
	s := &sketch{
		file: "how-refusal.svg", title: "Refusals: a hold, and a rate that is learned from refusals alone",
		key:   []keyed{keyAllowed, keyRefused, {line: evenly, means: "what the server allows"}, keyWindow},
		slice: 5 * time.Second, lasts: 300 * time.Second, ticks: 30,
	}
	const top = 15
	run := func(l ratelimittest.Limiter, tells, retryAfter ratelimittest.Dialect) ratelimittest.Arrivals {
		return ratelimittest.Run(t, ratelimittest.Scenario{
			Limiter: l, Dialect: tells, RetryAfter: retryAfter, NewClient: newHeadway, Start: epoch, Latency: latency,
			Load: ratelimittest.Batch{For: s.lasts - time.Second, Workers: workers},
		}).Arrivals
	}
	window := &ratelimittest.FixedWindow{Policy: perMinute, Aligned: true}
	held := run(sim.PushBack(window, epoch.Add(90*time.Second), epoch.Add(120*time.Second)), nil, nil)
	require.NotEmpty(t, held.Refused())
	hold := s.strip(fmt.Sprintf("the server reports 60 per 60 s, and refuses from 90 s on with Retry-After: 30: %d refused", len(held.Refused())),
		-top, top, -10, 0, 10)
	hold.windows(60)
	hold.note(96, -8, "the hold")
	silent := run(&ratelimittest.Linear{Policy: perMinute}, ratelimittest.Silent, ratelimittest.Silent)
	require.NotEmpty(t, silent.Refused())
	trial := s.strip(fmt.Sprintf("the server reports nothing, and allows one per second: %d refused", len(silent.Refused())),
		-top, top, -10, 0, 10)
	trial.note(6, 9, fmt.Sprintf("%d at first", silent.Allowed().Slices(epoch, s.slice)[0]))
	for strip, all := range map[*strip]ratelimittest.Arrivals{hold: held, trial: silent} {
		strip.bars(granted, all.Allowed(), 1)
		strip.bars(turned, all.Refused(), -1)
		strip.level(s.even(perMinute, 1))
	}
	return s
}

// sketchFleet has clients that know nothing of each other, and come and go.
func sketchFleet(t *testing.T) *sketch {
	t.Helper()
	policy := ratelimittest.Policy{Quota: 100, Window: time.Minute}
	s := &sketch{
		file: "how-fleet.svg", title: "Three clients that share 100 requests per 60 s without knowing of each other",
		key:   []keyed{keyAllowed, keyRefused, {line: evenly, means: "an even part of the quota"}, keyWindow},
		slice: 6 * time.Second, lasts: 600 * time.Second, ticks: 60,
	}
	present := [][2]float64{{0, 420}, {120, 600}, {240, 600}} // seconds
	n := 0
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: policy, Aligned: true}, Start: epoch, Latency: latency,
		Clients: len(present), Load: ratelimittest.Batch{For: s.lasts - time.Second, Workers: 4},
		NewClient: func(base http.RoundTripper) *http.Client {
			at := present[n]
			n++
			return &http.Client{Transport: &visitor{
				RoundTripper: &headway.Transport{Base: base},
				comes:        epoch.Add(time.Duration(at[0] * float64(time.Second))),
				goes:         epoch.Add(time.Duration(at[1] * float64(time.Second))),
			}}
		},
	})
	require.Less(t, f.RefusedPerMille(), 30.0)
	const top = 20
	members := []float64{1, 2, 3, 2} // between 0, 120, 240, 420 and 600 s
	times := []float64{0, 120, 240, 420, 600}
	for i, at := range present {
		mine := slices.DeleteFunc(slices.Clone(f.Arrivals), func(a ratelimittest.Arrival) bool {
			return a.RemoteAddr[:len("198.51.100.0")] != fmt.Sprintf("198.51.100.%d", i)
		})
		strip := s.strip(fmt.Sprintf("client %d, from %v to %v s: %d refused", i+1, at[0], at[1], len(mine.Refused())), -top/3, top, 0, 10, 20)
		strip.windows(60)
		strip.bars(granted, mine.Allowed(), 1)
		strip.bars(turned, mine.Refused(), -1)
		for k, m := range members {
			if times[k] >= at[0] && times[k+1] <= at[1] {
				even := s.even(policy, m)
				strip.line(evenly, times[k], even, times[k+1], even)
			}
		}
	}
	return s
}

// A visitor sends nothing before it comes, and nothing once it goes.
type visitor struct {
	http.RoundTripper

	comes, goes time.Time
}

func (v *visitor) RoundTrip(req *http.Request) (*http.Response, error) {
	if wait := time.Until(v.comes); wait > 0 {
		time.Sleep(wait)
	}
	if !time.Now().Before(v.goes) {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	return v.RoundTripper.RoundTrip(req)
}
