package schedule

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

func TestHoldRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		inFlight, now := sentNow(p), p.now()
		patient, hasty := queueOne(t, p, now.Add(time.Hour)), queueOne(t, p, now.Add(30*time.Second))
		last := queueOne(t, p, now.Add(30*time.Second))
		verdict := answer(inFlight, throttled(time.Minute))
		require.GreaterOrEqual(t, verdict.HoldEnd, now.Add(time.Minute))
		require.True(t, verdict.IsNews)
		require.True(t, isWaiting(patient))
		require.True(t, isRefused(hasty))
		require.GreaterOrEqual(t, hasty.waiter.Value.refusal.At, now.Add(time.Minute))
		require.True(t, isRefused(last))
		patient.Leave()
		hasty.Leave() // it was refused, not granted, so there is nothing to give back
		requireFree(t, p)
	})
}

func TestHoldRefusesByPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t) // about one per second
		inFlight, now := sentNow(p), p.now()
		var waiting []*Visit
		for range 20 {
			waiting = append(waiting, queueOne(t, p, now.Add(30*time.Second)))
		}
		answer(inFlight, throttled(15*time.Second))
		require.False(t, isRefused(waiting[0]), "right after the hold")
		require.True(t, isRefused(waiting[19]), "20 s after it")
		for _, v := range waiting {
			v.Leave()
		}
		requireFree(t, p)
	})
}

// Until a granted request calls passOn, no other request is granted. A hold still refuses the waiters that cannot wait.
func TestHoldDuringAGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		inFlight := sentNow(p)
		granted, patient := queueOne(t, p, pacer.Never), queueOne(t, p, pacer.Never)
		hasty := queueOne(t, p, p.now().Add(30*time.Second))
		<-granted.waiter.Value.decided
		require.True(t, isGranted(granted))
		answer(inFlight, throttled(time.Minute))
		refusal, err := granted.turn(t.Context())
		require.NoError(t, err)
		require.Nil(t, refusal)
		require.True(t, isRefused(hasty), "it cannot start in time")
		require.True(t, isWaiting(patient))
		patient.Leave()
		granted.Leave()
		requireFree(t, p)
	})
}

func TestLeavingWaiterGivesItsPlaceToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		first, second := queueOne(t, p, pacer.Never), queueOne(t, p, pacer.Never)
		at, waiting := p.State().Next.At, p.waiting
		first.Leave()
		require.Equal(t, at, p.State().Next.At)
		time.Sleep(at.Sub(p.now()))
		<-second.waiter.Value.decided
		require.True(t, isGranted(second))
		second.Leave()
		requireFree(t, p)
		require.False(t, waiting.timer.Stop(), "the timer has fired")
	})
}

func TestNoTimerIsLeftWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		only := queueOne(t, p, pacer.Never)
		waiting := p.waiting
		time.Sleep(time.Millisecond)
		only.Leave()
		requireFree(t, p)
		require.Equal(t, p.now(), p.used, "it was in use until now")
		require.False(t, waiting.timer.Stop(), "it was stopped")
	})
}

// Requests that may go at the same time start in order, each after the passOn of the one before.
func TestGrantsArePassedOnInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		first := sentNow(p)
		var waiting []*Visit
		for range 3 {
			waiting = append(waiting, queueOne(t, p, pacer.Never))
		}
		answer(first, &pacer.Answer{RetryAfter: pacer.Unknown}) // of no limit
		for i, v := range waiting {
			require.True(t, isGranted(v), i)
			for _, later := range waiting[i+1:] {
				require.True(t, isWaiting(later), i)
			}
			_, err := v.turn(t.Context())
			require.NoError(t, err)
		}
		for _, v := range waiting {
			v.Leave()
		}
		requireFree(t, p)
	})
}

// A response that reports no limit still counts as a response. While no place is free, the next request goes some time
// after it, not at once, even if the answered request was made long ago.
func TestSilentAnswerIsFollowedByATrickle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		var polls []*Visit
		for range 7 { // one each 250 ms, as nothing is answered
			e := enter(t.Context(), p, newVisit(p))
			<-e.over
			polls = append(polls, e.visit)
		}
		time.Sleep(10 * time.Second)
		polls[0].Served(false, false) // 3 places, 6 in flight
		e := enter(t.Context(), p, newVisit(p))
		isOver, asked := e.isOver(), p.now()
		<-e.over
		require.False(t, isOver)
		require.Equal(t, 250*time.Millisecond, e.at.Sub(asked))
	})
}
