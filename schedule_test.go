package headway

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// crowdRequest is a request with its place in the crowd.
type crowdRequest struct{}

// Each request of a crowd that waits on one partition is sent once and in order,
// but for those cancelled while they wait, which are not sent; and nothing is left.
func TestCrowdOnOnePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sent []int
		transport := &Transport{MaxWait: -1, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			if i, ok := req.Context().Value(crowdRequest{}).(int); ok {
				mu.Lock()
				sent = append(sent, i)
				mu.Unlock()
			}
			return respond(req, 200, "RateLimit", `"a";r=500;t=1`, "RateLimit-Policy", `"a";q=1000;w=1`), nil
		})}
		prime(t, transport)
		require.NoError(t, exhaust(t.Context(), transport))

		var crowd sync.WaitGroup
		cancels := make([]context.CancelFunc, crowdSize)
		for i := range crowdSize {
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), crowdRequest{}, i))
			cancels[i] = cancel
			crowd.Go(func() {
				resp, err := get(ctx, transport, testURL)
				if err == nil {
					_ = resp.Body.Close()
				}
			})
			synctest.Wait() // so that they join in order
		}
		require.Equal(t, crowdSize, transport.State()[0].Waiting)
		var want []int
		for i, cancel := range cancels {
			if i%2 == 1 {
				cancel()
			} else {
				want = append(want, i)
			}
		}
		synctest.Wait()
		require.Equal(t, crowdSize/2, transport.State()[0].Waiting)
		crowd.Wait()
		require.True(t, slices.Equal(want, sent), "sent %d of %d, or not in order", len(sent), len(want))
		state := transport.State()[0]
		require.Zero(t, state.Waiting)
		require.Zero(t, state.InFlight)
		require.Nil(t, onlyPartition(transport).queue, "no queue, and so no timer")
		for _, cancel := range cancels {
			cancel()
		}
	})
}

// exhaust sends requests until one would have to wait.
func exhaust(ctx context.Context, transport *Transport) error {
	for {
		start := time.Now()
		resp, err := get(ctx, transport, testURL)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil || time.Since(start) > 0 {
			return err
		}
	}
}

func onlyPartition(transport *Transport) *partition {
	for _, p := range transport.partitions.all() {
		return p
	}
	return nil
}

// newTestPartition returns a partition that a limit of 60 per minute keeps at
// its pace, with the idle credit used up, and the time now.
func newTestPartition(t *testing.T) (*partition, pacer.Instant) {
	t.Helper()
	r := newRegistry(pacer.Config{Burst: -1, Jitter: -1}, 10)
	now := r.clock.now()
	p := r.lock(&key{host: "test"}, now)
	p.mu.Unlock()
	var ticket pacer.Ticket
	_, ok := p.pass(now, 1, false, &ticket)
	require.True(t, ok)
	p.answered(now, &ticket, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []pacer.Limit{{
		Policy: "test", Quota: 60, Remaining: 59, Window: time.Minute, Reset: time.Minute,
	}}}, false, nil)
	for ok {
		if _, ok = p.pass(now, 1, false, &ticket); ok {
			p.answered(now, &ticket, &pacer.Answer{RetryAfter: pacer.Unknown}, false, nil)
		}
	}
	return p, now
}

// lockAndJoin makes w join p.
func (p *partition) lockAndJoin(now pacer.Instant, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.join(now, w)
}

// plannedFirst returns when the first waiter is to start.
func (p *partition) plannedFirst() pacer.Instant {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.planned
}

func newTestWaiter(called, latest pacer.Instant) *waiter {
	return &waiter{
		called: called, cost: 1,
		bound: bound{latest: latest, reason: ErrMaxWait, expires: pacer.Never}, decided: make(chan struct{}),
	}
}

func (w *waiter) isDecided() bool {
	select {
	case <-w.decided:
		return true
	default:
		return false
	}
}

func TestJoinRefusesByPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t) // about one per second
		var refused int
		for range 100 {
			w := newTestWaiter(now, now.Add(20*time.Second))
			p.lockAndJoin(now, w)
			if w.isDecided() {
				require.False(t, w.granted)
				require.Greater(t, w.plan.At, now.Add(20*time.Second))
				refused++
			}
		}
		require.InDelta(t, 80, refused, 3)
		require.Equal(t, 100-refused, p.queue.len())
		for p.queue != nil { // leave no timer
			p.leave(p.queue.first())
		}
	})
}

func TestHoldRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		ticket := p.send(now, 1) // on its way when the others join
		patient, hasty := newTestWaiter(now, now.Add(time.Hour)), newTestWaiter(now, now.Add(30*time.Second))
		last := newTestWaiter(now, now.Add(30*time.Second))
		for _, w := range []*waiter{patient, hasty, last} {
			p.lockAndJoin(now, w)
			require.False(t, w.isDecided())
		}
		v := p.answered(now, &ticket, &pacer.Answer{Refused: true, RetryAfter: time.Minute}, false, nil)
		require.GreaterOrEqual(t, v.holdEnd, now.Add(time.Minute))
		require.False(t, patient.isDecided())
		require.True(t, hasty.isDecided())
		require.False(t, hasty.granted)
		require.GreaterOrEqual(t, hasty.plan.At, now.Add(time.Minute))
		require.True(t, last.isDecided())
		require.True(t, p.leave(patient))
		require.False(t, p.leave(hasty), "it was refused, not granted")
		require.Nil(t, p.queue)
	})
}

func TestHoldRefusesByPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t) // about one per second
		ticket := p.send(now, 1)
		var waiters []*waiter
		for range 20 {
			w := newTestWaiter(now, now.Add(30*time.Second))
			p.lockAndJoin(now, w)
			require.False(t, w.isDecided())
			waiters = append(waiters, w)
		}
		p.answered(now, &ticket, &pacer.Answer{Refused: true, RetryAfter: 15 * time.Second}, false, nil)
		require.False(t, waiters[0].isDecided(), "right after the hold")
		require.True(t, waiters[19].isDecided(), "20 s after it")
		for p.queue != nil {
			p.leave(p.queue.first())
		}
	})
}

func TestExpiredWaiterIsRefusedEvenWithoutAPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		transport := &Transport{MaxWait: 100 * time.Millisecond, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			<-block
			return respond(req, 200), nil
		})}
		var first sync.WaitGroup
		first.Go(func() {
			if resp, err := get(t.Context(), transport, testURL); err == nil {
				_ = resp.Body.Close()
			}
		})
		synctest.Wait()
		start := time.Now()
		_, err := get(t.Context(), transport, testURL)
		require.ErrorIs(t, err, ErrMaxWait)
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		close(block)
		first.Wait()
	})
}

func TestGrantIsGivenBackWhenTheContextEndsInTheSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		first, second := newTestWaiter(now, pacer.Never), newTestWaiter(now, pacer.Never)
		p.lockAndJoin(now, first)
		p.lockAndJoin(now, second)
		at := p.plannedFirst()
		time.Sleep(at.Sub(now))
		<-first.decided
		require.True(t, first.granted)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, first.wait(ctx, p), context.Canceled)
		<-second.decided
		require.True(t, second.granted)
		require.Equal(t, at, p.clock.now(), "its slot goes to the next")
		require.True(t, p.leave(second))
		require.Nil(t, p.queue)
		require.Zero(t, p.pacer.InFlight())
	})
}

func TestLeavingWaiterGivesItsPlaceToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		first, second := newTestWaiter(now, pacer.Never), newTestWaiter(now, pacer.Never)
		p.lockAndJoin(now, first)
		p.lockAndJoin(now, second)
		at := p.plannedFirst()
		queue := p.queue
		require.True(t, p.leave(first))
		require.Equal(t, at, p.plannedFirst())
		time.Sleep(at.Sub(now))
		<-second.decided
		require.True(t, second.granted)
		require.True(t, p.leave(second))
		require.Nil(t, p.queue)
		require.False(t, queue.timer.Stop(), "the timer has fired")
	})
}

func TestNoTimerIsLeftWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		only := newTestWaiter(now, pacer.Never)
		p.lockAndJoin(now, only)
		queue := p.queue
		time.Sleep(time.Millisecond)
		require.True(t, p.leave(only))
		require.Nil(t, p.queue)
		require.Equal(t, p.clock.now(), p.used, "it was in use until now")
		require.False(t, queue.timer.Stop(), "it was stopped")
	})
}

func TestWaitListKeepsTheOrderOfCalls(t *testing.T) {
	for _, test := range []struct {
		name   string
		called []pacer.Instant
		remove int // index into called, -1: none
		want   []pacer.Instant
	}{
		{"in order", []pacer.Instant{1, 2, 3}, -1, []pacer.Instant{1, 2, 3}},
		{"reversed", []pacer.Instant{3, 2, 1}, -1, []pacer.Instant{1, 2, 3}},
		{"into the middle", []pacer.Instant{1, 3, 2}, -1, []pacer.Instant{1, 2, 3}},
		{"first leaves", []pacer.Instant{1, 2, 3}, 0, []pacer.Instant{2, 3}},
		{"middle leaves", []pacer.Instant{1, 2, 3}, 1, []pacer.Instant{1, 3}},
		{"last leaves", []pacer.Instant{1, 2, 3}, 2, []pacer.Instant{1, 2}},
		{"only one leaves", []pacer.Instant{1}, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var q queue
			var waiters []*waiter
			for _, called := range test.called {
				w := newTestWaiter(called, pacer.Never)
				waiters = append(waiters, w)
				q.push(w)
			}
			if test.remove >= 0 {
				w := waiters[test.remove]
				w.list.remove(w)
			}
			var forward, backward []pacer.Instant
			q.all(func(w *waiter) { forward = append(forward, w.called) })
			for w := q.fresh.tail; w != nil; w = w.prev {
				backward = append(backward, w.called)
			}
			slices.Reverse(backward)
			require.Equal(t, test.want, forward)
			require.Equal(t, test.want, backward)
			require.Len(t, test.want, q.len())
			require.EqualValues(t, len(test.want), q.ahead(false))
			require.Zero(t, q.ahead(true))
		})
	}
}

func TestEqualCallsStayInTheOrderTheyJoined(t *testing.T) {
	var q queue
	first, second := newTestWaiter(7, pacer.Never), newTestWaiter(7, pacer.Never)
	q.push(first)
	q.push(second)
	require.Same(t, first, q.first())
	require.Same(t, second, q.fresh.tail)
}

func TestHoldDuringAGrantRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(pacer.Config{Burst: -1, Jitter: -1}, 10)
		p := r.lock(&key{host: "a"}, 0)
		first := p.send(0, 1)
		p.pacer.Answered(0, &first, &pacer.Answer{
			RetryAfter: pacer.Unknown,
			Limits:     []pacer.Limit{{Policy: "a", Quota: 60, Remaining: 50, Window: time.Minute, Reset: time.Minute}},
		}, 0)
		inFlight := p.send(0, 1)
		waiters := make([]*waiter, 3)
		for i := range waiters {
			waiters[i] = &waiter{bound: bound{latest: pacer.Instant(30 * time.Second), reason: ErrMaxWait, expires: pacer.Never}, cost: 1, decided: make(chan struct{})}
			p.join(r.clock.now(), waiters[i])
		}
		p.mu.Unlock()
		<-waiters[0].decided
		require.True(t, waiters[0].granted)

		p.answered(r.clock.now(), &inFlight, &pacer.Answer{Refused: true, RetryAfter: time.Minute}, false, nil)
		p.passOn(waiters[0])
		for _, w := range waiters[1:] {
			select {
			case <-w.decided:
				require.False(t, w.granted)
			default:
				t.Fatal("still waits, though it cannot start in time")
			}
		}
		p.lost(r.clock.now())
	})
}
