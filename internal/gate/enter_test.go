package gate

import (
	"context"
	"errors"
	"net/http"
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

// A request that could not start within MaxWait behind all waiters is refused at once.
func TestEnterRefusesByPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		ctx, cancel := context.WithCancel(t.Context())
		now, refused := p.settings.Clock.Now(), 0
		for range 100 {
			if e := enter(ctx, p, newVisitWithin(p, 20*time.Second)); e.isOver() {
				require.NoError(t, e.err)
				require.Greater(t, e.refusal.At, now.Add(20*time.Second))
				require.Equal(t, now, e.refusal.Now)
				require.False(t, e.refusal.Deadline)
				refused++
			}
		}
		require.InDelta(t, 80, refused, 3)
		require.Equal(t, 100-refused, p.State().Waiting)
		cancel()
		synctest.Wait()
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

// A call gets the lock after its slot has come, although it was made before that. It goes at once.
func TestLateCallInItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		v := newVisit(p)
		v.price(p.units())
		require.False(t, p.try(v), "it is early")
		time.Sleep(time.Minute)
		require.True(t, p.try(v))
		v.Leave()
	})
}

// In each state Leave gives back all that the state holds. A panic of the caller's code may leave a visit in any of them.
func TestLeaveGivesBackWhateverThereIs(t *testing.T) {
	panics := func(_ *http.Request, unit limits.Unit) int64 {
		if unit != limits.Requests {
			panic("broken")
		}
		return 1
	}
	for _, row := range []struct {
		name  string
		state state
		visit func(*testing.T, *Partition, *Visit) // brings the visit into the state
	}{
		{"queued", queued, func(t *testing.T, p *Partition, v *Visit) {
			t.Helper()
			p.queueNow(t, v, pacer.Never)
		}},
		{"queued, and granted meanwhile", queued, func(t *testing.T, p *Partition, v *Visit) {
			t.Helper()
			p.queueNow(t, v, pacer.Never)
			requireGrant(t, v)
		}},
		{"queued again", queued, func(t *testing.T, p *Partition, v *Visit) {
			t.Helper()
			p.sendNow(v)
			require.NotNil(t, v.Answered(t.Context(), p.settings.Clock.Now(), throttled(time.Minute), Response{Resend: true}).Wait)
		}},
		{"granted", granted, func(t *testing.T, p *Partition, v *Visit) {
			t.Helper()
			p.queueNow(t, v, pacer.Never)
			v.Price.Func = panics
			answer(sentNow(p), reported("tokens", 100, 50, time.Minute)) // in which unit it has no price yet
			require.Panics(t, func() { _, _ = v.Proceed(t.Context()) })
		}},
		{"sent", sent, func(_ *testing.T, p *Partition, v *Visit) { p.sendNow(v) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPaced(t)
				v := newVisit(p)
				row.visit(t, p, v)
				require.Equal(t, row.state, v.state)
				v.Leave()
				v.Leave()
				requireFree(t, p)
				require.Zero(t, p.State().Waiting)
				sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown})
			})
		})
	}
}
