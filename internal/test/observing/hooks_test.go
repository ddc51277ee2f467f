package observing

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// A Trace without hooks counts as no Trace.
func TestTraceWithoutHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{
			Trace:   &headway.Trace{},
			Base:    kit.InTurn(kit.UsedUp(), kit.Status(429, "Retry-After", "1", "RateLimit", "?"), kit.Status(200)),
			MaxWait: -1,
		}
		kit.Prime(t, transport)
		ctx := kit.Within(t, time.Nanosecond)
		_, err := kit.Get(ctx, transport, kit.URL)
		require.Error(t, err)
		kit.Prime(t, transport)
		time.Sleep(time.Hour)
		require.Empty(t, transport.State())
	})
}

// Hooks get no secret of the request and no value of a field.
func TestTraceTellsNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{MaxRetries: -1}
		d := &diary{}
		transport.Trace = d.trace(transport)
		heldThenRefused(t, transport)
		all := fmt.Sprintf("%+v %+v %+v %+v %+v", d.waits, d.sent, d.throttled, d.refused, d.readings)
		require.Contains(t, all, kit.Origin)
		for _, secret := range []string{"hunter2", "nonsense", "private"} {
			require.NotContains(t, all, secret)
		}
		require.Equal(t, validate.Malformed, d.readings[0].Reading.Problems[0].Reason)
	})
}

type blockedKey struct{}

// A hook that blocks delays only its own request.
func TestABlockedHookKeepsNobodyElseUp(t *testing.T) {
	for _, hook := range []string{"Waiting", "Sent", "Reading"} {
		kit.Bubble(t, hook, func(t *testing.T) {
			release, trace := make(chan struct{}), &headway.Trace{}
			block := func(ctx context.Context) {
				if ctx.Value(blockedKey{}) != nil {
					<-release
				}
			}
			switch hook {
			case "Waiting":
				trace.Waiting = func(ctx context.Context, _ headway.WaitingInfo) { block(ctx) }
			case "Sent":
				trace.Sent = func(ctx context.Context, _ headway.SentInfo) { block(ctx) }
			case "Reading":
				trace.Reading = func(ctx context.Context, _ headway.ReadingInfo) { block(ctx) }
			}
			transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp(), kit.UsedUp(), kit.Status(200)), Trace: trace}
			kit.Prime(t, transport)
			var all sync.WaitGroup
			all.Go(func() {
				require.NoError(t, kit.Fetch(context.WithValue(t.Context(), blockedKey{}, true), transport, kit.URL))
			})
			time.Sleep(2 * time.Minute)
			for range 3 {
				kit.Prime(t, transport)
			}
			close(release)
			all.Wait()
		})
	}
}
