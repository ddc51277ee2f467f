package pool_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/pool"
	"github.com/headway-go/headway/ratelimittest"
)

// A key is a member's key at a server in memory. Its answers may change from call to call.
type key struct {
	name   string
	base   http.RoundTripper
	answer func(*http.Request) *http.Response // nil: base answers

	mu     sync.Mutex
	times  []time.Time
	bodies []string
}

func (k *key) RoundTrip(req *http.Request) (*http.Response, error) {
	k.mu.Lock()
	k.times = append(k.times, time.Now())
	answer := k.answer
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		k.bodies = append(k.bodies, string(text))
	}
	k.mu.Unlock()
	if req.Header.Get("Authorization") != "Bearer "+k.name {
		return nil, errors.New("prepared for another member")
	}
	if answer == nil {
		return k.base.RoundTrip(req)
	}
	select {
	case <-time.After(10 * time.Millisecond):
		return answer(req), nil
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
}

func (k *key) set(answer func(*http.Request) *http.Response) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.answer = answer
}

func (k *key) sent() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.times)
}

func (k *key) member(tb testing.TB) pool.Member {
	tb.Helper()
	return pool.Member{
		Name:      k.name,
		Prepare:   func(req *http.Request) { req.Header.Set("Authorization", "Bearer "+k.name) },
		Transport: kit.Seeded(tb, &headway.Transport{Base: k}),
	}
}

// keys returns n keys whose servers answer so, and a pool of them.
func keys(tb testing.TB, n int, answer func(*http.Request) *http.Response) ([]*key, *pool.Transport) {
	tb.Helper()
	var all []*key
	p := kit.Seeded(tb, &pool.Transport{})
	for i := range n {
		k := &key{name: string(rune('a' + i)), answer: answer}
		all = append(all, k)
		p.Members = append(p.Members, k.member(tb))
	}
	return all, p
}

// limited returns keys at servers with these limiters, and a pool of them.
func limited(tb testing.TB, next http.Handler, limiters ...ratelimittest.Limiter) ([]*ratelimittest.Handler, *pool.Transport) {
	tb.Helper()
	all, p := keys(tb, len(limiters), nil)
	var handlers []*ratelimittest.Handler
	for i, l := range limiters {
		h := &ratelimittest.Handler{Limiter: l, Next: next}
		all[i].base = &ratelimittest.Transport{Handler: h, Latency: 50 * time.Millisecond}
		handlers = append(handlers, h)
	}
	return handlers, p
}

var (
	served  = kit.Status(http.StatusOK)
	revoked = kit.Status(http.StatusUnauthorized)
)

// Three keys with 100, 30 and 10 requests per minute serve 1000 requests as soon as one key with 140 could, however many are
// there at once. Nothing is refused.
func TestQuotasAreUsed(t *testing.T) {
	for _, workers := range []int{1, 16, 1000} {
		t.Run(strconv.Itoa(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				quotas := []int64{100, 30, 10}
				var limiters []ratelimittest.Limiter
				for _, q := range quotas {
					limiters = append(limiters, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(q, time.Minute)})
				}
				handlers, p := limited(t, nil, limiters...)
				for _, m := range p.Members {
					m.Transport.Partition = func(req *http.Request) string {
						if req.Context() != t.Context() { // not a forecast: the request itself
							time.Sleep(time.Millisecond) // all the others overtake it on its way into the queue
						}
						return "all"
					}
				}
				begun := time.Now()
				ratelimittest.Batch{Requests: 1000, Workers: workers}.Send(&http.Client{Transport: p}, kit.NewRequest(t, kit.URL))
				took := time.Since(begun)
				require.LessOrEqual(t, took, 450*time.Second, "the optimum is 420 s")
				for i, h := range handlers {
					require.Empty(t, h.Arrivals().Refused())
					require.InEpsilon(t, took.Minutes()*float64(quotas[i]), len(h.Arrivals()), 0.05)
				}
			})
		})
	}
}

// Servers that serve 20, 4 and 2 requests at a time serve 1000 in 39 s at best. When a place becomes free is not known in
// advance: it is guessed from how fast each server was so far.
func TestPlacesAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		second := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Second) })
		places := func(n int64) ratelimittest.Limiter {
			return &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: n}}
		}
		_, p := limited(t, second, places(20), places(4), places(2))
		begun := time.Now()
		ratelimittest.Batch{Requests: 1000, Workers: 100}.Send(&http.Client{Transport: p}, kit.NewRequest(t, kit.URL))
		require.LessOrEqual(t, time.Since(begun), 50*time.Second)
	})
}

// While the first response of a member takes long, requests go to the other one at its pace.
func TestSlowFirstResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handlers, p := limited(t, nil, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(600, time.Minute)}, nil)
		handlers[1].Next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Second) })
		ratelimittest.Batch{For: 4 * time.Second, Workers: 150}.Send(&http.Client{Transport: p}, kit.NewRequest(t, kit.URL))
		require.Greater(t, len(handlers[0].Arrivals()), 80, "60 at once, and 10 a second")
		time.Sleep(time.Minute)
	})
}

// The first response lets those go that wait for it.
func TestFirstResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := keys(t, 2, served)
		begun := time.Now()
		ratelimittest.Batch{Requests: 4, Workers: 4}.Send(&http.Client{Transport: p}, kit.NewRequest(t, kit.URL))
		require.Equal(t, 20*time.Millisecond, time.Since(begun))
	})
}

// Where all first responses take long, a Transport sends one request after the other nevertheless, and so does a pool.
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 1, func(req *http.Request) *http.Response {
			time.Sleep(time.Minute)
			return served(req)
		})
		var took []time.Duration
		for _, way := range []http.RoundTripper{p, all[0].member(t).Transport} {
			begun := time.Now()
			req := kit.NewRequest(t, kit.URL, "Authorization", "Bearer "+all[0].name)
			ratelimittest.Batch{Requests: 100, Workers: 100}.Send(&http.Client{Transport: way}, req)
			took = append(took, time.Since(begun))
		}
		require.InEpsilon(t, took[1], took[0], 0.01)
	})
}

// A member whose Ceiling lets nothing go gets nothing, while another one can.
func TestMemberWithoutTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 2, served)
		ceiling := rate.NewLimiter(rate.Inf, 0)
		p.Members[0].Transport.Ceiling = ceiling
		for all[0].sent() == 0 {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
		}
		ceiling.SetLimit(0)
		for range 10 {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
		}
		require.Equal(t, 1, all[0].sent())
	})
}

func TestWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 3, served)
		p.Members[0].Weight, p.Members[1].Weight, p.Members[2].Weight = 2, -5, math.NaN()
		for range 2000 {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
		}
		require.InDelta(t, 1000, all[0].sent(), 60)
		require.InDelta(t, 500, all[1].sent(), 60, "a negative Weight is 1")
		require.InDelta(t, 500, all[2].sent(), 60, "NaN is 1, too")
	})
}

// A session stays with its member, in all processes, while that costs less than its wait. Then it always goes to the same
// other one.
func TestAffinity(t *testing.T) {
	for _, test := range []struct {
		name    string
		wait    time.Duration
		timeout time.Duration // 0: none
		stays   bool
	}{
		{"the wait is short", 30 * time.Second, 0, false},
		{"the wait is long", 2 * time.Minute, 0, true},
		{"no bound", 1<<63 - 1, 0, true},
		{"the deadline is near", 2 * time.Minute, 50 * time.Second, false},
		{"none", -1, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				visits := map[string]map[string]int{} // sessions and keys
				send := func(p *pool.Transport, session string) {
					resp, err := kit.Get(kit.Within(t, test.timeout), p, kit.URL+"/"+session)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
					if visits[session] == nil {
						visits[session] = map[string]int{}
					}
					visits[session][resp.Request.Header.Get("Authorization")]++
				}
				first, p := keys(t, 3, served)
				second, other := keys(t, 3, served)
				p.Affinity = func(req *http.Request) (string, time.Duration) { return req.URL.Path, test.wait }
				other.Affinity = p.Affinity
				for i := range 300 {
					send(p, strconv.Itoa(i%30))
					send(other, strconv.Itoa(i%30))
				}
				for _, k := range first {
					require.Greater(t, k.sent(), 40, "the sessions are spread")
				}
				if test.wait < 0 {
					return
				}
				for _, keys := range visits {
					require.Len(t, keys, 1)
				}

				for _, k := range append(first, second...) {
					if k.name == "a" {
						k.set(kit.Status(http.StatusOK, "RateLimit-Policy", `"m";q=10;w=60`, "RateLimit", `"m";r=0;t=60`))
					}
				}
				for i := range 60 {
					send(p, strconv.Itoa(i%30)) // the first of a tells that its quota is used up
				}
				for _, keys := range visits {
					require.LessOrEqual(t, len(keys), 2)
				}
				if test.stays {
					for _, keys := range visits {
						require.Len(t, keys, 1)
					}
				} else {
					require.LessOrEqual(t, first[0].sent(), 200)
				}
			})
		})
	}
}

// A revoked key costs a detour for each trial. The caller sees none of it, and the key is back once it is valid again.
func TestRevokedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 3, served)
		var changes []string
		p.Changed = func(member string, isOut bool) { changes = append(changes, member+" "+strconv.FormatBool(isOut)) }
		send := func(d time.Duration) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
				resp, err := kit.Get(t.Context(), p, kit.URL)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, http.StatusOK, resp.StatusCode)
			}
		}
		send(time.Minute)
		all[1].set(revoked)
		before := all[1].sent()
		send(time.Hour)
		var trials []float64
		left := all[1].times[before]
		for _, at := range all[1].times[before+1:] {
			trials = append(trials, at.Sub(left).Round(time.Second).Seconds())
		}
		require.InDeltaSlice(t, []float64{1, 3, 7, 15, 31, 63, 127, 255, 511}, trials[:9], 2)
		require.InDelta(t, 9+10, len(trials), 1)
		require.Equal(t, []string{"b true"}, changes)

		all[1].set(served)
		send(10 * time.Minute)
		require.Equal(t, []string{"b true", "b false"}, changes)
		require.Greater(t, all[1].sent(), before+len(trials)+80)
	})
}

// A trial that takes long is the only one, and costs the others nothing.
func TestLongTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 2, served)
		all[0].set(revoked)
		for all[0].sent() == 0 {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
		}
		all[0].set(func(req *http.Request) *http.Response {
			time.Sleep(50 * time.Second)
			return revoked(req)
		})
		for range 50 {
			time.Sleep(time.Second)
			go func() { _ = kit.Fetch(t.Context(), p, kit.URL) }()
		}
		synctest.Wait()
		require.Equal(t, 2, all[0].sent())
		time.Sleep(time.Hour)
	})
}

// A member that is left out, and has nothing left, is tried when its quota is back. Nobody waits for that.
func TestTrialWaitsForQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 3, served)
		all[1].set(kit.Status(http.StatusUnauthorized))
		all[0].set(kit.Status(http.StatusUnauthorized, "RateLimit-Policy", `"m";q=10;w=60`, "RateLimit", `"m";r=0;t=60`))
		begun := time.Now()
		for time.Since(begun) < 2*time.Minute {
			sent := time.Now()
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
			require.LessOrEqual(t, time.Since(sent), time.Second)
			time.Sleep(time.Second)
		}
		require.InDelta(t, 3, all[0].sent(), 1)
		require.InDelta(t, 8, all[1].sent(), 1, "the other one is tried nevertheless")
	})
}

// A Prepare may send a request through the pool itself.
func TestPrepareHoldsNoLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, p := keys(t, 2, served)
		prepare, isFirst := p.Members[0].Prepare, true
		p.Members[0].Prepare = func(req *http.Request) {
			prepare(req)
			if isFirst {
				isFirst = false
				require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
			}
		}
		require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
	})
}

// A response to what was sent before the refusal does not bring a member back, nor does a failure of the server.
func TestOnlyATrialBringsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 2, served)
		p.Affinity = func(*http.Request) (string, time.Duration) { return "s", time.Hour }
		p.Members[0].Weight = 1e9 // all goes there
		home := all[0]
		require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
		home.set(func(req *http.Request) *http.Response {
			time.Sleep(500 * time.Millisecond)
			return served(req)
		})
		sent := func() int {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
			return home.sent()
		}
		go sent()
		time.Sleep(100 * time.Millisecond)
		home.set(revoked)
		require.Equal(t, 3, sent(), "left out at 0.1 s")
		time.Sleep(600 * time.Millisecond)
		require.Equal(t, 3, sent(), "after the late response")
		home.set(kit.Status(http.StatusInternalServerError))
		time.Sleep(time.Second)
		require.Equal(t, 4, sent(), "the trial")
		require.Equal(t, 4, sent(), "after the failure")
		home.set(served)
		time.Sleep(3 * time.Second)
		require.Equal(t, 5, sent(), "the second trial")
		require.Equal(t, 6, sent(), "back")
	})
}

// A request that all refuse, as it is too large, is sent to each member once, though others bring the members back meanwhile.
func TestRequestThatAllRefuse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tooLarge int
		_, p := keys(t, 3, func(req *http.Request) *http.Response {
			if req.Method == http.MethodPut {
				tooLarge++
				time.Sleep(2 * time.Second)
				return kit.Respond(req, http.StatusTooManyRequests, "X-Should-Retry", "false")
			}
			return served(req)
		})
		ctx, stop := context.WithCancel(t.Context())
		go ratelimittest.Batch{For: time.Hour}.Send(&http.Client{Transport: p}, kit.NewRequest(t, kit.URL).WithContext(ctx))
		time.Sleep(time.Second)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, kit.URL, http.NoBody)
		require.NoError(t, err)
		resp, err := p.RoundTrip(req)
		stop()
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, 3, tooLarge)
		time.Sleep(time.Second)
	})
}

// What shows that a member is not to be asked any more.
func TestFinal(t *testing.T) {
	status := func(code int, body string, fields ...string) func(*http.Request) *http.Response {
		return func(req *http.Request) *http.Response {
			resp := kit.Respond(req, code, append(fields, "Content-Type", "application/json")...)
			resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
			return resp
		}
	}
	for _, test := range []struct {
		name    string
		answer  func(*http.Request) *http.Response
		final   func(*http.Response) bool
		isFinal bool
	}{
		{"401", status(401, ""), nil, true},
		{"402", status(402, ""), nil, true},
		{"402 that will pass", status(402, "", "Retry-After", "1"), nil, false},
		{"403", status(403, ""), nil, false},
		{"403 of one's own", status(403, ""), func(resp *http.Response) bool { return resp.StatusCode == 403 }, true},
		{"200 is none of one's own", served, func(*http.Response) bool { return true }, false},
		{"429 without money", status(429, `{"error":{"code":"insufficient_quota"}}`), nil, true},
		{"429", status(429, "", "Retry-After", "1"), nil, false},
		{"404", status(404, ""), nil, false},
		{"500", status(500, ""), nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all, p := keys(t, 2, served)
				p.Affinity = func(*http.Request) (string, time.Duration) { return "x", time.Hour } // always the same first
				p.Final = test.final
				require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
				home, other := all[0], all[1]
				if other.sent() > 0 {
					home, other = other, home
				}
				home.set(test.answer)
				resp, err := kit.Get(t.Context(), p, kit.URL)
				require.NoError(t, err)
				require.Equal(t, test.isFinal, other.sent() == 1)
				if !test.isFinal {
					require.NotEqual(t, "Bearer "+other.name, resp.Request.Header.Get("Authorization"))
				}
			})
		})
	}
}

// Who wants a request that is refused for now to go to another key at once turns the resends of the Transports off.
func TestRefusedForNow(t *testing.T) {
	for retries, want := range map[int]time.Duration{0: time.Minute, -1: 0} {
		synctest.Test(t, func(t *testing.T) {
			all, p := keys(t, 2, served)
			p.Members[0].Transport.MaxRetries, p.Members[1].Transport.MaxRetries = retries, retries
			var refusals atomic.Int64
			all[0].set(func(req *http.Request) *http.Response {
				if refusals.Add(1) == 1 {
					return kit.Respond(req, http.StatusTooManyRequests, "Retry-After", "60")
				}
				return served(req)
			})
			var longest time.Duration
			for refusals.Load() < 10 {
				begun := time.Now()
				require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
				longest = max(longest, time.Since(begun))
				time.Sleep(time.Second)
			}
			require.Equal(t, want, longest.Truncate(time.Minute))
		})
	}
}

// With all keys revoked the caller sees the refusal of each request, which is sent to each key once at most.
func TestAllRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 3, revoked)
		for n := range 50 {
			resp, err := kit.Get(t.Context(), p, kit.URL)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, http.StatusUnauthorized, resp.StatusCode)
			require.Equal(t, n+3, all[0].sent()+all[1].sent()+all[2].sent())
		}
		all[2].set(served)
		for range 30 {
			require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
			time.Sleep(time.Second)
		}
		require.Greater(t, all[2].sent(), 10)
	})
}

// A body that can be made again goes to the next key, whole. Any other goes to one key, and is never used for a trial.
func TestBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 2, served)
		refusal := kit.NewTrackedBody("no such key")
		all[0].set(func(req *http.Request) *http.Response {
			resp := revoked(req)
			resp.Body = refusal
			return resp
		})
		post := func(isOnce bool) int {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, kit.URL, strings.NewReader("payload"))
			require.NoError(t, err)
			body := kit.NewTrackedBody("payload")
			req.Body = body
			if isOnce {
				req.GetBody = nil
			}
			before := req.Clone(t.Context())
			resp, err := p.RoundTrip(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, 1, body.Closed)
			require.Equal(t, before.Header, req.Header, "the caller's request is not changed")
			require.Same(t, body, req.Body)
			return resp.StatusCode
		}
		for all[0].sent() == 0 {
			require.Equal(t, http.StatusOK, post(false))
		}
		require.Equal(t, []string{"payload"}, all[0].bodies)
		require.Equal(t, 1, refusal.Closed)
		require.Equal(t, "payload", all[1].bodies[0])

		time.Sleep(time.Hour)
		for range 20 {
			require.Equal(t, http.StatusOK, post(true))
		}
		require.Equal(t, 1, all[0].sent(), "none was used for a trial")
		require.Equal(t, http.StatusOK, post(false))
		require.Equal(t, 2, all[0].sent())

		all[1].set(revoked)
		require.Equal(t, http.StatusUnauthorized, post(true))
	})
}

// A request ends with its context also while it waits for a member's first response. Its body is closed.
func TestEnd(t *testing.T) {
	closes := func(t *testing.T, p *pool.Transport, ctx context.Context, want error) {
		t.Helper()
		body := kit.NewTrackedBody("")
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, kit.URL, body)
		require.NoError(t, err)
		_, err = p.RoundTrip(req)
		require.ErrorIs(t, err, want)
		require.Equal(t, 1, body.Closed)
	}
	synctest.Test(t, func(t *testing.T) {
		_, p := keys(t, 2, func(*http.Request) *http.Response {
			time.Sleep(time.Minute)
			return kit.Respond(kit.NewRequest(t, kit.URL), http.StatusOK)
		})
		for range 2 {
			go func() { _ = kit.Fetch(t.Context(), p, kit.URL) }()
		}
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the user has gone")
		time.AfterFunc(100*time.Millisecond, func() { cancel(gone) })
		begun := time.Now()
		closes(t, p, ctx, gone)
		require.Equal(t, 100*time.Millisecond, time.Since(begun))
		closes(t, p, ctx, gone)
		time.Sleep(2 * time.Minute)
	})
	body := kit.NewTrackedBody("")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, kit.URL, body)
	require.NoError(t, err)
	_, err = new(pool.Transport).RoundTrip(req)
	require.EqualError(t, err, "pool: no Members")
	require.Equal(t, 1, body.Closed)
}

// A request that panics below leaves no trace.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 1, func(*http.Request) *http.Response { panic("foreign code") })
		require.Panics(t, func() { _ = kit.Fetch(t.Context(), p, kit.URL) })
		all[0].set(served)
		require.NoError(t, kit.Fetch(t.Context(), p, kit.URL))
	})
}

// Keys come and go while many requests are sent. Each has an answer of a key.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all, p := keys(t, 3, served)
		p.Changed = func(string, bool) {}
		p.Affinity = func(req *http.Request) (string, time.Duration) { return req.URL.RawQuery, time.Second }
		var senders sync.WaitGroup
		for i := range 50 {
			senders.Go(func() {
				for n := range 40 {
					_ = kit.Fetch(t.Context(), p, kit.URL+"?"+strconv.Itoa(n%2*i))
				}
			})
		}
		senders.Go(func() {
			for n := range 60 {
				all[n%3].set([]func(*http.Request) *http.Response{revoked, served}[n/3%2])
				time.Sleep(5 * time.Millisecond)
			}
		})
		senders.Wait()
		require.GreaterOrEqual(t, all[0].sent()+all[1].sent()+all[2].sent(), 2000)
		p.CloseIdleConnections()
	})
}
