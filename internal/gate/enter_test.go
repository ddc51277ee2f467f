package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A granted request that waits again is not planned behind itself, as it can use the unit that it gave back.
func TestGrantThatIsTakenBackHasItsOwnUnit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{Jitter: -1})
		sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
			Policy: "test", Quota: 3, Remaining: 2, Window: time.Hour, Reset: time.Hour,
		}}})
		other, v := sentNow(p), sentNow(p) // nothing is left
		v.state, v.MaxWait = granted, time.Minute
		answer(other, throttled(10*time.Second))
		v.bind(t.Context())
		require.Nil(t, v.confirm())
		require.True(t, isWaiting(v))
		v.Leave()
		requireFree(t, p)
	})
}

// If the context ends at the instant of the grant, the grant goes to the next waiter.
func TestGrantAndEndInTheSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		first, second := queueOne(t, p, pacer.Never), queueOne(t, p, pacer.Never)
		at := p.State().Next.At
		time.Sleep(at.Sub(p.settings.Clock.Now()))
		requireGrant(t, first)

		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		refusal, err := first.turn(ctx)
		require.Same(t, reason, err)
		require.Nil(t, refusal)
		requireGrant(t, second)
		require.Equal(t, at, p.settings.Clock.Now(), "its slot goes to the next")
		second.Leave()
		requireFree(t, p)
	})
}

// If the context ends at the instant of the refusal, the refusal wins, and nothing is given back twice.
func TestRefusalAndEndInTheSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		inFlight := sentNow(p)
		v := queueOne(t, p, p.settings.Clock.Now().Add(30*time.Second))
		answer(inFlight, throttled(time.Minute))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		refusal, err := v.turn(ctx)
		require.NoError(t, err)
		require.NotNil(t, refusal)
		v.Leave()
		requireFree(t, p)
	})
}

// A new request never overtakes a waiter, even at the moment when that waiter may go.
func TestNewcomerDoesNotPassWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		first := queueOne(t, p, pacer.Never)
		time.Sleep(p.State().Next.At.Sub(p.settings.Clock.Now()) - time.Millisecond)
		join := func(priority int) (wait Wait) {
			v := newVisit(p)
			v.Priority, v.Called = priority, v.Called+1
			v.bound.latest = pacer.Never
			v.price(p.units())
			require.False(t, p.try(v))
			require.True(t, p.join(v, &wait))
			v.Leave()
			return wait
		}
		later, sooner := join(0), join(1)
		require.Equal(t, 2, later.Queue)
		require.Less(t, sooner.At, later.At, "before the one that waits, which has a lower priority")
		first.Leave()
		time.Sleep(time.Millisecond)
		v := newVisit(p)
		v.price(p.units())
		require.True(t, p.try(v), "now none waits")
		v.Leave()
	})
}
