package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// endsIn returns the Receipt of a request that is sent now, whose response's header says nothing.
func endsIn(t *testing.T, p *Partition) Receipt {
	t.Helper()
	v := sentNow(p)
	answer(v, &pacer.Answer{RetryAfter: pacer.Unknown})
	return v.Receipt()
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
		require.True(t, p.HasTrailers())
		v.Leave()
	})
}

// A partition that was forgotten learns nothing, neither by Retire nor by Forget.
func TestTrailerAfterForgetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		empty := endsIn(t, p)
		empty.Answered(&pacer.Answer{RetryAfter: pacer.Unknown})
		require.False(t, p.HasTrailers(), "it reported nothing")
		before := endsIn(t, p)
		p.Forget()
		before.Answered(reported(limits.Requests, 60, 50, time.Minute))
		require.Empty(t, p.State().Limits)

		before = endsIn(t, p)
		_, gone := p.Retire(p.settings.Clock.Now(), true)
		require.True(t, gone)
		before.Answered(reported(limits.Requests, 60, 50, time.Minute))
		require.Empty(t, p.State().Limits)
	})
}

// A cost that header and trailer tell counts once.
func TestTrailerRepeatsTheCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPartition(pacer.Config{})
		sendOne(t, p, reported(limits.Requests, 60, 50, time.Hour))
		told := reported(limits.Requests, 60, pacer.Unknown, time.Hour)
		told.Limits[0].Cost = 10
		v := sentNow(p)
		answer(v, told)
		require.Equal(t, int64(40), p.State().Limits[0].Remaining)
		receipt := v.Receipt()
		receipt.Answered(told)
		require.Equal(t, int64(40), p.State().Limits[0].Remaining)
	})
}
