package schedule

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// report returns what is left of the first limit after a report about a request, which was sent a second after that limit
// was reported and whose response reports nothing.
func report(t *testing.T, p *Partition, a *pacer.Answer, costs map[limits.Unit]int64) (left int64) {
	t.Helper()
	v := newVisit(p)
	_, err := p.Enter(t.Context(), v)
	require.NoError(t, err)
	r := v.Receipt()
	answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
	for range 2 { // once more changes nothing
		_, _, ok := r.Report(a, costs)
		require.True(t, ok)
	}
	requireFree(t, p)
	return p.State().Limits[0].Remaining
}

func TestReceipt(t *testing.T) {
	nothing := &pacer.Answer{RetryAfter: pacer.Unknown}
	for _, test := range []struct {
		name   string
		report *pacer.Answer // to Report
		costs  map[limits.Unit]int64
		want   int64
	}{
		{"nothing", nothing, nil, 89},
		{"the real cost", nothing, map[limits.Unit]int64{limits.Requests: 5}, 85},
		{"a free request", nothing, map[limits.Unit]int64{limits.Requests: 0}, 90},
		{"another unit", nothing, map[limits.Unit]int64{"tokens": 5}, 89},
		{"what is left", reported(limits.Requests, 100, 70, time.Minute), nil, 70},
		{"what is left settles the cost", reported(limits.Requests, 100, 70, time.Minute), map[limits.Unit]int64{limits.Requests: 5}, 70},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPartition(pacer.Config{})
				sendOne(t, p, reported(limits.Requests, 100, 90, time.Minute))
				time.Sleep(time.Second)
				require.Equal(t, test.want, report(t, p, test.report, test.costs))
			})
		})
	}
}

// A place in flight that a request keeps until its body ends stays taken, and no other one is.
func TestReceiptKeepsPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		sendOne(t, p, reported(limits.ConcurrentRequests, 2, 2, pacer.Unknown))
		sendOne(t, p, reported("tokens", 100, pacer.Unknown, time.Minute))
		v := newVisit(p)
		_, err := p.Enter(t.Context(), v)
		require.NoError(t, err)
		r := v.Receipt()
		v.Answered(t.Context(), p.now(), &pacer.Answer{RetryAfter: pacer.Unknown}, Response{BodyFollows: true})
		require.True(t, v.IsOpen())
		end := v.End()
		for range 3 {
			_, _, ok := r.Report(reported("tokens", 100, pacer.Unknown, time.Minute), map[limits.Unit]int64{"tokens": 7, limits.Requests: 1})
			require.True(t, ok)
			require.EqualValues(t, 1, p.State().InFlight)
		}
		end.Done(0)
		require.Zero(t, p.State().InFlight)
	})
}

// A partition that has forgotten the request learns nothing.
func TestReceiptOfAForgottenRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		v := newVisit(p)
		_, err := p.Enter(t.Context(), v)
		require.NoError(t, err)
		r := v.Receipt()
		answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
		p.Forget()
		_, verdict, ok := r.Report(throttled(time.Hour), nil)
		require.False(t, ok)
		require.Nil(t, verdict)
		require.Zero(t, p.State().HeldUntil)
	})
}

// endsIn returns the Receipt of a request that is sent now, whose response's header says nothing.
func endsIn(t *testing.T, p *Partition) Receipt {
	t.Helper()
	v := sentNow(p)
	r := v.Receipt()
	answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
	return r
}

// Requests that wait go later, or are refused, by what a trailer reports.
func TestTrailerMovesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaced(t)
		before := endsIn(t, p)
		v := newVisit(p)
		began := time.Now()
		go func() {
			time.Sleep(100 * time.Millisecond)
			before.Answered(&pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
				Policy: "test", Unit: limits.Requests, Quota: 60, Remaining: 0, Window: time.Minute, Reset: time.Minute,
			}}})
		}()
		refusal, err := p.Enter(t.Context(), v)
		require.NoError(t, err)
		require.Nil(t, refusal)
		require.Greater(t, time.Since(began), 39*time.Second)
		v.Leave()
	})
}

// A partition that was forgotten learns nothing, neither by Retire nor by Forget.
func TestTrailerAfterForgetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		before := endsIn(t, p)
		p.Forget()
		before.Answered(reported(limits.Requests, 60, 50, time.Minute))
		require.Empty(t, p.State().Limits)

		before = endsIn(t, p)
		now := p.now()
		_, gone := p.Retire(now, now, Held)
		require.True(t, gone)
		before.Answered(reported(limits.Requests, 60, 50, time.Minute))
		require.Empty(t, p.State().Limits)
	})
}
