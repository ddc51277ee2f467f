package schedule

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// told is a response that reports one limit.
func told(unit limits.Unit, quota, remaining int64, window time.Duration) *pacer.Answer {
	return &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
		Policy: "test", Unit: unit, Quota: quota, Remaining: remaining, Window: window, Reset: window,
	}}}
}

// Forget lets the waiters of a forgotten limit go. Those that still wait are planned again once limits are known.
func TestForgetWhileRequestsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		sendOne(t, p, told(limits.Requests, 100, 0, time.Hour))
		now := p.now()
		first, patient := queueOne(t, p, pacer.Never), queueOne(t, p, pacer.Never)
		var others []*Visit
		for range 10 {
			others = append(others, queueOne(t, p, now.Add(10*time.Hour)))
		}
		p.Forget()
		require.True(t, isGranted(first))
		_, err := first.turn(t.Context())
		require.NoError(t, err)
		require.True(t, isWaiting(others[9]), "for the first answer")
		answer(first, told(limits.Requests, 100, 0, 24*time.Hour))
		require.True(t, isWaiting(patient))
		for i, v := range others {
			require.True(t, isWaiting(v), "%d waits for the second look", i)
			v.Leave()
		}
		patient.Leave()
		requireFree(t, p)
	})
}

// The bytes of an earlier response do not count against a limit that was reported after Forget.
func TestForgetWhileABodyIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		bytes := told(limits.ContentBytes, 60_000, 50_000, time.Minute)
		v := sentNow(p)
		v.Answered(t.Context(), v.Called, bytes, Response{BodyFollows: true})
		require.True(t, v.IsOpen())
		before := v.End()
		p.Forget()
		sendOne(t, p, bytes)
		before.Done(10_000)
		require.EqualValues(t, 50_000, p.State().Limits[0].Remaining)

		v = sentNow(p)
		v.Answered(t.Context(), v.Called, bytes, Response{BodyFollows: true})
		require.True(t, v.IsOpen())
		v.End().Done(10_000)
		require.EqualValues(t, 40_000, p.State().Limits[0].Remaining)
	})
}

// When another unit becomes known, the cost is determined again, and the queue counts the new cost.
func TestCostThatChangesBeforeTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		v := newVisit(p)
		v.price(nil)
		w := v.newWaiter(bound{latest: pacer.Never, expires: pacer.Never}, v.cost)
		v.Price.Func = func(*http.Request, limits.Unit) int64 { return 20 }
		v.price(p.units())
		require.True(t, p.try(v, w, &Delay{}))
		require.True(t, w.IsQueued())
		require.EqualValues(t, 20, w.Requests)
		v.Leave()
	})
}

// A response names another unit while a request waits. The request uses 20 of the 50 that remain, as its caller says.
func TestCostInAUnitThatIsKnownAfterTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		v := queueOne(t, p, pacer.Never)
		v.Price.Func = func(*http.Request, limits.Unit) int64 { return 20 }
		answer(sentNow(p), told("tokens", 100, 50, time.Minute))
		refusal, err := v.proceed(t.Context())
		require.NoError(t, err)
		require.Nil(t, refusal)
		all := p.State().Limits
		require.EqualValues(t, "tokens", all[1].Unit)
		require.EqualValues(t, 30, all[1].Remaining)
		answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
		requireFree(t, p)
	})
}

func TestNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		need := func() Need {
			_, need := p.Needed(p.now())
			return need
		}
		require.Equal(t, Nothing, need())
		v := sentNow(p)
		require.Equal(t, InUse, need())
		_, gone := p.Retire(p.now(), pacer.Never, Held)
		require.False(t, gone, "a request is in flight")
		answer(v, told(limits.Requests, 100, 50, time.Minute))
		require.Equal(t, Known, need())
		answer(sentNow(p), throttled(time.Hour))
		require.Equal(t, Held, need())
		w := queueOne(t, p, pacer.Never)
		require.Equal(t, InUse, need())
		w.Leave()
		require.Equal(t, Held, need())
		used := p.used
		_, gone = p.Retire(p.now(), used-1, Held)
		require.False(t, gone, "it was used since")
		_, gone = p.Retire(p.now(), used, Known)
		require.False(t, gone, "it is held")
		_, gone = p.Retire(p.now(), used, Held)
		require.True(t, gone)
	})
}
