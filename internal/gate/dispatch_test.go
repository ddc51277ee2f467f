package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// A hold refuses the waiters that cannot wait for its end, also when a later refusal makes it longer.
func TestHoldRefusesAllWhoCannotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		one, other, now := sentNow(p), sentNow(p), p.settings.Clock.Now()
		patient := enter(t.Context(), p, newVisitWithin(p, time.Hour))
		hasty, last := enter(within(t, 30*time.Second), p, newVisit(p)), enter(t.Context(), p, newVisitWithin(p, 30*time.Second))
		answer(one, throttled(10*time.Second))
		synctest.Wait()
		require.Equal(t, 3, p.State().Waiting)
		answer(other, throttled(time.Minute))
		synctest.Wait()
		require.False(t, patient.isOver())
		for _, e := range []*entry{hasty, last} {
			require.Equal(t, now, e.at)
			require.GreaterOrEqual(t, e.refusal.At, now.Add(time.Minute))
			require.Equal(t, e == hasty, e.refusal.Deadline)
			e.visit.Leave() // it was refused, so there is nothing to give back
		}
		patient.stop()
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
		polls[0].Answered(t.Context(), 0, &pacer.Answer{RetryAfter: pacer.Unknown}, Response{}) // 3 places, 6 in flight
		e := enter(t.Context(), p, newVisit(p))
		isOver, called := e.isOver(), p.settings.Clock.Now()
		<-e.over
		require.False(t, isOver)
		require.Equal(t, 250*time.Millisecond, e.at.Sub(called))
	})
}

func TestNoTimerIsLeftWithoutWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		only := queueOne(t, p, p.settings.Clock.Now().Add(time.Hour))
		timer := p.timer
		time.Sleep(time.Millisecond)
		only.Leave()
		requireFree(t, p)
		require.Equal(t, p.settings.Clock.Now(), p.used, "it was in use until now")
		require.False(t, timer.Stop(), "it was stopped")
		require.Nil(t, p.timer)
	})
}
