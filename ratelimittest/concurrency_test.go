package ratelimittest_test

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestConcurrency(t *testing.T) {
	type step struct {
		name    string
		client  string
		take    int64 // the cost; 0 with a release: only release
		release int64
		allowed bool
		free    int64 // the number of free places afterwards
		retry   time.Duration
	}
	c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}, RetryAfter: 2 * time.Second}
	for i, s := range []step{
		{"nothing in flight", "a", 0, 0, true, 3, 0},
		{"one of three", "a", 1, 0, true, 2, 0},
		{"two at once", "a", 2, 0, true, 0, 0},
		{"all places are taken", "a", 1, 0, false, 0, 2 * time.Second},
		{"cost 0 only reports", "a", 0, 0, true, 0, 0},
		{"another client has places of its own", "b", 1, 0, true, 2, 0},
		{"one request has ended", "a", 0, 1, true, 1, 0},
		{"two need two places", "a", 2, 0, false, 1, 2 * time.Second},
		{"one needs one place", "a", 1, 0, true, 0, 0},
		{"a cost above the quota", "a", 4, 0, false, 0, 0},
		{"a release of nothing", "a", 0, -1, true, 0, 0},
		{"all requests have ended", "a", 0, 3, true, 3, 0},
		{"no more places than the quota", "a", 0, 1, true, 3, 0},
		{"a release of more places than are taken", "b", 0, 5, true, 3, 0},
		{"a release of an unknown client", "c", 0, 1, true, 3, 0},
		{"three is still the limit", "a", 4, 0, false, 3, 0},
		{"and three are allowed", "a", 3, 0, true, 0, 0},
	} {
		t.Run(s.name, func(t *testing.T) {
			now := start.Add(time.Duration(i) * time.Second)
			c.Release(now, s.client, s.release)
			d := c.Take(now, s.client, s.take)
			require.Equal(t, s.allowed, d.Allowed)
			require.Equal(t, s.retry, d.RetryAfter)
			require.Equal(t, []ratelimittest.Limit{{
				Policy: "default", Unit: "concurrent-requests", Quota: 3, Remaining: s.free, Reset: -1,
			}}, d.Limits)
		})
	}
}

func TestConcurrencyZeroValue(t *testing.T) {
	d := new(ratelimittest.Concurrency).Take(start, "", 1)
	require.False(t, d.Allowed)
	require.Zero(t, d.RetryAfter)
	require.True(t, (&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}}).Take(start, "", -1).Allowed)
}

// When QuotaAt falls, requests in flight keep their places.
func TestConcurrencyQuotaAt(t *testing.T) {
	c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{
		QuotaAt: lowerQuota(3, 1, start.Add(time.Second), start.Add(2*time.Second)),
	}}
	require.True(t, c.Take(start, "", 3).Allowed)
	during := start.Add(time.Second)
	reported := c.Take(during, "", 0)
	require.True(t, reported.Allowed, "cost 0 only reports")
	require.Zero(t, reported.Limits[0].Remaining, "not less than none")
	for _, allowed := range []bool{false, false, true} { // 2, 1 and 0 in flight
		c.Release(during, "", 1)
		require.Equal(t, allowed, c.Take(during, "", 1).Allowed)
	}
	require.True(t, c.Take(start.Add(2*time.Second), "", 2).Allowed)
}

// The longest known client is forgotten beyond maxClients, and its later Release frees no place of others.
func TestConcurrencyForgetsClients(t *testing.T) {
	c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}}
	for i := range ratelimittest.MaxClients + 1 {
		require.True(t, c.Take(start, strconv.Itoa(i), 1).Allowed)
	}
	require.EqualValues(t, 1, c.Take(start, "0", 0).Limits[0].Remaining, "forgotten")
	c.Release(start, "0", 1)
	require.EqualValues(t, 1, c.Take(start, "0", 0).Limits[0].Remaining)
	require.Zero(t, c.Take(start, "1", 0).Limits[0].Remaining)
	require.True(t, c.Take(start, "0", 1).Allowed)
}

// There are never more requests in flight than places, and in the end all places are free.
func TestConcurrencyIsExact(t *testing.T) {
	const places, workers, rounds = 5, 32, 500
	c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: places}}
	limiters := map[string]releaser{
		"alone":    c,
		"in a ban": ratelimittest.Ban(&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: places}}, 1, 0).(releaser),
	}
	for name, l := range limiters {
		t.Run(name, func(t *testing.T) {
			var inFlight, most, allowed atomic.Int64
			var all sync.WaitGroup
			for range workers {
				all.Go(func() {
					for range rounds {
						if !l.Take(start, "client", 1).Allowed {
							continue
						}
						n := inFlight.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						allowed.Add(1)
						inFlight.Add(-1)
						l.Release(start, "client", 1)
					}
				})
			}
			all.Wait()
			require.LessOrEqual(t, most.Load(), int64(places))
			require.Positive(t, allowed.Load())
			require.True(t, l.Take(start, "client", places).Allowed, "all places are free again")
			require.False(t, l.Take(start, "client", 1).Allowed)
		})
	}
}

// Ten concurrent requests of 900 ms each share three places.
func TestConcurrencyInABubble(t *testing.T) {
	tests := []struct {
		name       string
		retryAfter time.Duration
		refuse     http.Handler
		patient    bool
		statuses   map[int]int
		refused    int // resends included
		took       time.Duration
	}{
		{"refused with 429", 0, nil, false, map[int]int{200: 3, 429: 7}, 7, 900 * time.Millisecond},
		{"refused with 503", 0, ratelimittest.Respond(503, "rate limit reached"), false, map[int]int{200: 3, 503: 7}, 7, 900 * time.Millisecond},
		{"resent after a second: 3, 3, 3 and 1", time.Second, nil, true, map[int]int{200: 10}, 7 + 4 + 1, 3900 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}, RetryAfter: tt.retryAfter}
				h := &ratelimittest.Handler{Limiter: c, Refuse: tt.refuse}
				h.Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(900 * time.Millisecond) })
				var transport http.RoundTripper = &ratelimittest.Transport{Handler: h}
				if tt.patient {
					transport = patientClient{transport}
				}
				begun := time.Now()
				outcomes := ratelimittest.Batch{Requests: 10, Workers: 10}.Send(
					&http.Client{Transport: transport}, newRequest(t, "GET", "http://api.test/", nil))

				require.Equal(t, tt.took, time.Since(begun))
				statuses := map[int]int{}
				for _, o := range outcomes {
					require.NoError(t, o.Err)
					statuses[o.Status]++
				}
				require.Equal(t, tt.statuses, statuses)
				require.Len(t, h.Arrivals().Refused(), tt.refused)
				require.True(t, c.Take(time.Now(), "192.0.2.1", 3).Allowed, "all requests have ended")
			})
		})
	}
}

// While two requests are in their handler, a third one is refused.
func TestConcurrencyOverRealHTTP(t *testing.T) {
	srv := ratelimittest.NewServer(&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}}, nil)
	defer srv.Close()
	arrived, leave := make(chan struct{}), make(chan struct{})
	defer close(leave)
	srv.Handler.Refuse = ratelimittest.Respond(http.StatusServiceUnavailable, "rate limit reached")
	srv.Handler.Next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stay":
			arrived <- struct{}{}
			<-leave
		case "/abort":
			panic(http.ErrAbortHandler)
		}
	})
	get := func(path string) (int, error) {
		resp, err := srv.Client().Get(srv.URL + path)
		if err != nil {
			return 0, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, resp.Body.Close()
	}
	left := make(chan int, 2)
	for range 2 {
		go func() {
			status, _ := get("/stay")
			left <- status
		}()
		<-arrived
	}

	refused, err := srv.Client().Get(srv.URL)
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	require.Equal(t, `"default";r=0`, refused.Header.Get("RateLimit"))
	require.Empty(t, refused.Header.Get("Retry-After"))

	leave <- struct{}{}
	require.Equal(t, http.StatusOK, <-left)
	for range 3 { // one place is enough for one request at a time, even if its handler panics
		status, err := get("/")
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, status)
		_, err = get("/abort")
		require.Error(t, err)
	}
	leave <- struct{}{}
	require.Equal(t, http.StatusOK, <-left)
}

// Forecasts ignore future Releases: for the figures, a full Concurrency stays full.
func TestConcurrencyForecastsNoRelease(t *testing.T) {
	require.EqualValues(t, 3, ratelimittest.Granted(&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}}, start, time.Hour))
	rate := &ratelimittest.Linear{Policy: ratelimittest.Per(10, time.Second)}
	both := ratelimittest.All(&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}}, rate)
	require.True(t, both.Take(start, "", 1).Allowed)
	require.False(t, both.Take(start, "", 1).Allowed)
	require.EqualValues(t, 9, rate.Take(start, "", 0).Limits[0].Remaining, "the other part was not charged")
	both.(releaser).Release(start, "", 1)
	require.True(t, both.Take(start, "", 1).Allowed)
}
