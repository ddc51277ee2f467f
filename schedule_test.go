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

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// newTestPartition returns a partition that a limit of 60 per minute keeps at
// its pace, with the idle credit used up, and the time now.
func newTestPartition(t *testing.T) (*partition, pacer.Instant) {
	t.Helper()
	r := newRegistry(pacer.Config{Burst: -1, Jitter: -1}, 10)
	now := r.clock.Now()
	p := r.lock(&identity.Key{Host: "test"}, nil)
	p.mu.Unlock()
	var ticket pacer.Ticket
	_, ok := p.take(now, &pacer.Cost{Requests: 1}, 0, &ticket)
	require.True(t, ok)
	p.answered(now, &ticket, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []pacer.Limit{{
		Policy: "test", Quota: 60, Remaining: 59, Window: time.Minute, Reset: time.Minute,
	}}}, false, nil)
	for ok {
		if _, ok = p.take(now, &pacer.Cost{Requests: 1}, 0, &ticket); ok {
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
	next, ok := p.next(p.clock.Now())
	if !ok {
		return pacer.Never
	}
	return next.At
}

func newTestWaiter(called, latest pacer.Instant) *waiter {
	return &waiter{
		called: called, cost: pacer.Cost{Requests: 1},
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
			p.leave(p.queue.order()[0])
		}
	})
}

func TestHoldRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		ticket := p.send(now, &pacer.Cost{Requests: 1}) // on its way when the others join
		patient, hasty := newTestWaiter(now, now.Add(time.Hour)), newTestWaiter(now, now.Add(30*time.Second))
		last := newTestWaiter(now, now.Add(30*time.Second))
		for _, w := range []*waiter{patient, hasty, last} {
			p.lockAndJoin(now, w)
			require.False(t, w.isDecided())
		}
		v, _ := p.answered(now, &ticket, &pacer.Answer{Refused: true, RetryAfter: time.Minute}, false, nil)
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
		ticket := p.send(now, &pacer.Cost{Requests: 1})
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
			p.leave(p.queue.order()[0])
		}
	})
}

// First come, first served: not even when the first waiter's time has come does a
// newcomer go before it.
func TestNewcomerDoesNotPassWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		first := newTestWaiter(now, pacer.Never)
		p.lockAndJoin(now, first)
		at := p.plannedFirst()
		var ticket pacer.Ticket
		plan, ok := p.take(at, &first.cost, 0, &ticket)
		require.False(t, ok)
		require.Greater(t, plan.At, at, "behind the one that waits")
		sooner, ok := p.take(at, &first.cost, 1, &ticket)
		require.False(t, ok)
		require.Less(t, sooner.At, plan.At, "before the one that waits, which has a lower priority")
		require.True(t, p.leave(first))
		_, ok = p.take(at, &first.cost, 0, &ticket)
		require.True(t, ok, "now none waits")
	})
}

// A request that was let go and waits again is not planned behind itself: the unit
// that it has given back is there for it.
func TestRequeuedRequestHasItsOwnUnit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(pacer.Config{Jitter: -1}, 10)
		now := r.clock.Now()
		p := r.lock(&identity.Key{Host: "test"}, nil)
		p.mu.Unlock()
		first := p.send(now, &pacer.Cost{Requests: 1})
		p.answered(now, &first, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []pacer.Limit{{
			Policy: "test", Quota: 3, Remaining: 2, Window: time.Hour, Reset: time.Hour,
		}}}, false, nil)
		other, ticket := p.send(now, &pacer.Cost{Requests: 1}), p.send(now, &pacer.Cost{Requests: 1}) // nothing is left
		p.answered(now, &other, &pacer.Answer{RetryAfter: 10 * time.Second, Refused: true}, false, nil)
		w := newTestWaiter(now, now.Add(30*time.Minute))
		p.requeue(&ticket, w)
		require.False(t, w.isDecided(), "%v", w.plan)
		require.True(t, p.leave(w))
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
		require.Equal(t, at, p.clock.Now(), "its slot goes to the next")
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
		require.Equal(t, p.clock.Now(), p.used, "it was in use until now")
		require.False(t, queue.timer.Stop(), "it was stopped")
	})
}

func TestHoldDuringAGrantRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		inFlight := p.send(now, &pacer.Cost{Requests: 1})
		granted, patient := newTestWaiter(now, pacer.Never), newTestWaiter(now, pacer.Never)
		hasty := newTestWaiter(now, now.Add(30*time.Second))
		for _, w := range []*waiter{granted, patient, hasty} {
			p.lockAndJoin(now, w)
		}
		<-granted.decided
		require.True(t, granted.granted)

		p.answered(p.clock.Now(), &inFlight, &pacer.Answer{Refused: true, RetryAfter: time.Minute}, false, nil)
		p.passOn(granted)
		require.True(t, hasty.isDecided(), "it cannot start in time")
		require.False(t, hasty.granted)
		require.False(t, patient.isDecided())
		require.True(t, p.leave(patient))
		p.lost(p.clock.Now(), &inFlight)
	})
}

// Lines of one limit take turns by priority, and every eighth is that of the oldest, in
// whichever line it waits.
func TestTurnsOfLinesThatShareALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, now := newTestPartition(t)
		p.pacer.Describe(2, 1, false)
		waiters := make([]*waiter, 0, 60)
		p.mu.Lock()
		for i := range 60 {
			w := newTestWaiter(now.Add(time.Duration(i)), pacer.Never)
			w.cost.Route = 1
			if i >= 30 {
				w.priority, w.cost.Route = 5, 2
			}
			waiters = append(waiters, w)
			_, ok := p.enqueue(now, w)
			require.True(t, ok)
		}
		p.settle(now)
		p.mu.Unlock()
		low := 0
		for turn := range 24 {
			var granted *waiter
			time.Sleep(2 * time.Second)
			for _, w := range waiters {
				if w.isDecided() {
					granted = w
				}
			}
			require.NotNil(t, granted)
			waiters = slices.DeleteFunc(waiters, func(w *waiter) bool { return w == granted })
			if granted.priority == 0 {
				low++
				require.Equal(t, oldestEvery-1, turn%oldestEvery)
			}
			p.passOn(granted)
		}
		require.Equal(t, 24/oldestEvery, low)
		for _, w := range waiters {
			require.True(t, p.leave(w))
		}
	})
}
