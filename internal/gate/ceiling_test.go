package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway/pacer"
)

// newCeiled returns a partition without limits and with a Ceiling of one request per second, whose token is used up.
func newCeiled(t *testing.T) *Partition {
	t.Helper()
	p := newPartition(pacer.Config{})
	p.settings.Ceiling = NewCeiling(rate.NewLimiter(1, 1), &p.settings.Clock)
	sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown})
	return p
}

// A watcherFunc is called for each wait for the Ceiling.
type watcherFunc func(*Wait)

func (f watcherFunc) Waits(_ *Partition, d *Wait) {
	if d.Cause == CauseCeiling {
		f(d)
	}
}

// A request whose Watcher still runs delays no other one.
func TestSlowWatcherAtTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCeiled(t)
		slow, next := newVisit(p), newVisit(p)
		slow.Watcher = watcherFunc(func(*Wait) { time.Sleep(time.Minute) })
		began := p.settings.Clock.Now()
		first, second := enter(t.Context(), p, slow), enter(t.Context(), p, next)
		<-second.over
		require.Equal(t, began.Add(time.Second), second.at)
		<-first.over
		require.Equal(t, began.Add(time.Minute), first.at)
	})
}

// MaxWait ends also the wait behind a request that waits longer for its token.
func TestMaxWaitEndsBehindAnotherAtTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCeiled(t)
		began := p.settings.Clock.Now()
		patient, hasty := enter(t.Context(), p, newVisit(p)), enter(t.Context(), p, newVisitWithin(p, 3*time.Second))
		p.settings.Ceiling.limiter.SetLimit(1.0 / 60)
		<-hasty.over
		require.NoError(t, hasty.err)
		require.NotNil(t, hasty.refusal)
		require.Equal(t, began.Add(3*time.Second), hasty.at)
		patient.stop()
		requireFree(t, p)
	})
}

// A partition takes no token of the Ceiling during a hold.
func TestHeldPartitionTakesNoTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCeiled(t)
		other := New(p.settings, p.Key())
		began, inFlight := p.settings.Clock.Now(), sentNow(p)
		var held []*entry
		for range 20 {
			held = append(held, enter(t.Context(), p, newVisit(p)))
		}
		require.Equal(t, 20, p.State().Waiting)
		require.EqualValues(t, 1, p.State().InFlight)
		free := enter(t.Context(), other, newVisit(other))
		answer(inFlight, throttled(time.Hour))
		<-free.over
		require.Equal(t, began.Add(time.Second), free.at, "all before it have put back the first token")
		synctest.Wait() // one of them may be on its way back to the queue
		require.Equal(t, 20, p.State().Waiting)
		free.visit.Leave()
		for _, e := range held {
			<-e.over
			require.NoError(t, e.err)
			require.GreaterOrEqual(t, e.at, began.Add(time.Hour))
			answer(e.visit, &pacer.Answer{RetryAfter: pacer.Unknown})
		}
		requireFree(t, p)
	})
}

// A request whose token comes after a hold has begun goes back to the queue. If the hold is too long, the hold refuses it.
func TestHoldRefusesAfterTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newCeiled(t)
		inFlight := sentNow(p)
		e := enter(t.Context(), p, newVisitWithin(p, time.Minute))
		answer(inFlight, throttled(time.Hour))
		<-e.over
		require.NoError(t, e.err)
		require.NotNil(t, e.refusal)

		require.Equal(t, pacer.CauseHold, e.refusal.Cause)
		requireFree(t, p)
		require.Zero(t, p.State().Waiting)
	})
}
