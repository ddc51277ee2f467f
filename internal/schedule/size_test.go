package schedule

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// Each event that changes a partition's size updates Settings.Memory.
func TestSizeIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Settings{Clock: clock.New(), Memory: new(atomic.Int64)}
		p := New(s, nil, identity.Key{Host: "a"})
		enter := func() *Visit {
			v := &Visit{Called: s.Clock.Now(), MaxWait: -1, Price: cost.Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}}}
			refusal, err := p.Enter(t.Context(), v)
			require.NoError(t, err)
			require.Nil(t, refusal)
			return v
		}
		answer := func(a *pacer.Answer) { enter().Answered(t.Context(), s.Clock.Now(), a, Response{}) }
		counted := func(what string) int64 {
			require.EqualValues(t, p.pacer.Size(), s.Memory.Load(), what)
			return s.Memory.Load()
		}
		reported := &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
			Policy: strings.Repeat("a", 1000), Unit: limits.Requests, Quota: 60, Remaining: 50, Window: time.Minute, Reset: time.Minute,
		}}}

		answer(reported)
		require.Zero(t, s.Memory.Load(), "it is in no registry")
		p.Count()
		counted("counted")
		answer(reported)
		before := counted("answered")

		p.Share("name", nil)
		usage, isActive := p.Usage(identity.NameKey("key"))
		require.True(t, isActive)
		p.Apportion(identity.NameKey("key"), &share.PartitionPart{
			Name: "name", Until: time.Now().Add(time.Hour), Members: 2,
			Limits: []share.LimitPart{{ID: usage.Limits[0].ID, Allotted: limits.Allotted{Share: 0.5, Units: 30, Next: 30, Remaining: -1}}},
		}, time.Hour)
		require.Greater(t, counted("apportioned"), before)

		enter().Leave()
		counted("lost")
		p.Forget()
		require.Less(t, counted("forgotten"), before)
		answer(reported)
		counted("answered again")

		inFlight := enter()
		_, isGone := p.Retire(s.Clock.Now(), s.Clock.Now(), Held)
		require.False(t, isGone)
		inFlight.Leave()
		counted("left")
		_, isGone = p.Retire(s.Clock.Now(), s.Clock.Now(), Held)
		require.True(t, isGone)
		require.Zero(t, s.Memory.Load())
		p.Forget()
		require.Zero(t, s.Memory.Load(), "nobody has it any more")
	})
}
