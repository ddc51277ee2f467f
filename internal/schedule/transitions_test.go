package schedule

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A granted request that waits again is not planned behind itself, as it can use the unit that it gave back.
func TestRequeuedRequestHasItsOwnUnit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{Jitter: -1})
		sendOne(t, p, &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
			Policy: "test", Quota: 3, Remaining: 2, Window: time.Hour, Reset: time.Hour,
		}}})
		other, v := sentNow(p), sentNow(p) // nothing is left
		answer(other, throttled(10*time.Second))
		w, d := p.stopped(v, v.bound(t.Context()), nil)
		require.NotNil(t, w)
		require.Equal(t, 1, d.Queue)
		p.requeue(v, w)
		require.True(t, w.IsQueued(), "%v", w.Value.refusal)
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
		time.Sleep(at.Sub(p.now()))
		<-first.waiter.Value.decided
		require.True(t, isGranted(first))

		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(reason)
		refusal, err := first.turn(ctx)
		require.Same(t, reason, err)
		require.Nil(t, refusal)
		<-second.waiter.Value.decided
		require.True(t, isGranted(second))
		require.Equal(t, at, p.now(), "its slot goes to the next")
		second.Leave()
		requireFree(t, p)
	})
}

// If the context ends at the instant of the refusal, the refusal wins, and nothing is given back twice.
func TestRefusalAndEndInTheSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		inFlight := sentNow(p)
		v := queueOne(t, p, p.now().Add(30*time.Second))
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

// A request that is granted, and then charged in a unit that has become known, keeps its turn.
func TestRequeuedRequestKeepsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		sendOne(t, p, told(limits.ConcurrentRequests, 1, 1, pacer.Unknown))
		one, other := sentNow(p), sentNow(p)
		first := queueOne(t, p, pacer.Never)
		first.Price.Func = func(*http.Request, limits.Unit) int64 { return 20 }
		tokens := told("tokens", 100, 50, time.Minute)
		tokens.Limits[0].Policy = "tokens"
		answer(one, tokens)
		second := queueOne(t, p, pacer.Never)
		answer(other, &pacer.Answer{RetryAfter: pacer.Unknown})
		require.True(t, isGranted(first))
		refusal, err := first.proceed(within(t, time.Hour))
		require.NoError(t, err)
		require.Nil(t, refusal)
		require.True(t, isWaiting(second))
		first.Leave()
		second.Leave()
		requireFree(t, p)
	})
}

// Thousands of requests may wait at once, so what each keeps is small. The size is one of the allocator's classes.
func TestWaitersAreSmall(t *testing.T) {
	require.LessOrEqual(t, unsafe.Sizeof(waiter{}), uintptr(176))
}
