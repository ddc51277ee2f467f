package gate

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// reported is a response that reports one limit.
func reported(unit limits.Unit, quota, remaining int64, window time.Duration) *pacer.Answer {
	return &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
		Policy: "test", Unit: unit, Quota: quota, Remaining: remaining, Window: window, Reset: window,
	}}}
}

// The bytes of an earlier response do not count against a limit that was reported after Forget.
func TestForgetWhileABodyIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		bytes := reported(limits.ContentBytes, 60_000, 50_000, time.Minute)
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

// A response names another unit while a request waits. The request uses 20 of the 50 that remain, as its caller says.
func TestCostInAUnitThatIsKnownAfterTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		v := queueOne(t, p, pacer.Never)
		v.Price.Func = func(*http.Request, limits.Unit) int64 { return 20 }
		answer(sentNow(p), reported("tokens", 100, 50, time.Minute))
		refusal, err := v.Proceed(t.Context())
		require.NoError(t, err)
		require.Nil(t, refusal)
		all := p.State().Limits
		require.EqualValues(t, "tokens", all[1].Unit)
		require.EqualValues(t, 30, all[1].Remaining)
		answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
		requireFree(t, p)
	})
}

// A partition is forgotten for another one unless a request or a hold needs it, and else once it is idle and useless.
func TestRetire(t *testing.T) {
	for _, test := range []struct {
		name    string
		answer  *pacer.Answer // nil: none
		then    func(*testing.T, *Partition)
		forRoom bool // it is forgotten for another one
		idle    bool // it is forgotten after idleFor
	}{
		{"new", nil, nil, true, true},
		{"in flight", nil, func(_ *testing.T, p *Partition) { sentNow(p) }, false, false},
		{"served", &pacer.Answer{RetryAfter: pacer.Unknown}, nil, true, true},
		{"a limit", reported(limits.Requests, 100, 50, time.Hour), nil, true, false},
		{"a hold", throttled(time.Hour), nil, false, false},
		{"waiting", throttled(time.Hour), func(t *testing.T, p *Partition) {
			t.Helper()
			t.Cleanup(enter(t.Context(), p, newVisit(p)).stop)
		}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPartition(pacer.Config{})
				if test.answer != nil {
					sendOne(t, p, test.answer)
				}
				if test.then != nil {
					test.then(t, p)
				}
				_, gone := p.Retire(p.settings.Clock.Now(), false)
				require.False(t, gone, "it was just used")
				time.Sleep(idleFor)
				_, gone = p.Retire(p.settings.Clock.Now(), false)
				require.Equal(t, test.idle, gone)
				_, gone = p.Retire(p.settings.Clock.Now(), true)
				require.Equal(t, test.forRoom, gone)
				if gone {
					_, err := p.Enter(t.Context(), newVisit(p))
					require.ErrorIs(t, err, ErrForgotten)
				}
			})
		})
	}
}
