package gate

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// The example of the package documentation: a request is sent, refused, sent again after the hold, and keeps its place in
// flight until its body ends.
func TestVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, partition := t.Context(), newPartition(pacer.Config{Jitter: -1})
		now := partition.settings.Clock.Now
		began := now()
		visit := Visit{Called: began, MaxWait: time.Hour, Price: newVisit(partition).Price}
		defer visit.Leave()
		refusal, err := partition.Enter(ctx, &visit)
		require.NoError(t, err)
		require.Nil(t, refusal)

		verdict := visit.Answered(ctx, now(), throttled(time.Minute), Response{Resend: true})
		require.Equal(t, began.Add(time.Minute), verdict.HoldEnd)
		require.GreaterOrEqual(t, verdict.Wait.Length(), time.Minute)
		require.True(t, visit.IsQueued())
		require.True(t, visit.MayBeRefused(), "by MaxWait")
		refusal, err = visit.Proceed(ctx)
		require.NoError(t, err)
		require.Nil(t, refusal)
		require.Equal(t, verdict.Wait.At, now())

		visit.Answered(ctx, now(), reported(limits.ConcurrentRequests, 5, 4, pacer.Unknown), Response{BodyFollows: true})
		require.True(t, visit.IsOpen())
		end := visit.End()
		require.EqualValues(t, 1, partition.State().InFlight)
		end.Done(0)
		requireFree(t, partition)
	})
}
