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
// was told and whose response tells nothing.
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
	return p.pacer.State(p.now()).Limits[0].Remaining
}

func TestReceipt(t *testing.T) {
	nothing := &pacer.Answer{RetryAfter: pacer.Unknown}
	for _, test := range []struct {
		name  string
		told  *pacer.Answer // to Report
		costs map[limits.Unit]int64
		want  int64
	}{
		{"nothing", nothing, nil, 89},
		{"the real cost", nothing, map[limits.Unit]int64{limits.Requests: 5}, 85},
		{"a free request", nothing, map[limits.Unit]int64{limits.Requests: 0}, 90},
		{"another unit", nothing, map[limits.Unit]int64{"tokens": 5}, 89},
		{"what is left", told(limits.Requests, 100, 70, time.Minute), nil, 70},
		{"what is left settles the cost", told(limits.Requests, 100, 70, time.Minute), map[limits.Unit]int64{limits.Requests: 5}, 70},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPartition(pacer.Config{})
				sendOne(t, p, told(limits.Requests, 100, 90, time.Minute))
				time.Sleep(time.Second)
				require.Equal(t, test.want, report(t, p, test.told, test.costs))
			})
		})
	}
}

// A place in flight that a request keeps until its body ends stays taken, and no other one is.
func TestReceiptKeepsPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		sendOne(t, p, told(limits.ConcurrentRequests, 2, 2, pacer.Unknown))
		sendOne(t, p, told("tokens", 100, pacer.Unknown, time.Minute))
		v := newVisit(p)
		_, err := p.Enter(t.Context(), v)
		require.NoError(t, err)
		r := v.Receipt()
		v.Answered(t.Context(), p.now(), &pacer.Answer{RetryAfter: pacer.Unknown}, Response{BodyFollows: true})
		require.True(t, v.IsOpen())
		end := v.End()
		for range 3 {
			_, _, ok := r.Report(told("tokens", 100, pacer.Unknown, time.Minute), map[limits.Unit]int64{"tokens": 7, limits.Requests: 1})
			require.True(t, ok)
			require.EqualValues(t, 1, p.pacer.InFlight())
		}
		end.Done(0)
		require.Zero(t, p.pacer.InFlight())
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
		require.False(t, p.pacer.Held(p.now()))
	})
}
