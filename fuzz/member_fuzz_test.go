package fuzz

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// FuzzFleetMember hands out invalid parts. The Transport's State stays valid, and no hold is longer
// than a server's could be. Once the Transport gets the whole quota, a request goes.
func FuzzFleetMember(f *testing.F) {
	second := int64(time.Second)
	f.Add(0.5, int64(30), int64(30), 2, 3*second, int64(0), int64(0), int64(40), int64(0), 59*second, true, false)
	f.Add(0.0, int64(0), int64(0), 0, int64(0), 3600*second, 10*second, int64(-1), -second, -60*second, false, false)
	f.Add(math.NaN(), int64(math.MinInt64), int64(math.MaxInt64), math.MaxInt, int64(math.MaxInt64), int64(math.MaxInt64),
		int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), true, true)
	f.Add(math.Inf(1), int64(math.MaxInt64), int64(math.MinInt64), math.MinInt, int64(math.MinInt64), int64(math.MinInt64),
		int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), false, true)
	f.Fuzz(func(t *testing.T, own float64, units, next int64, members int, until, held, _, remaining, told, ends int64, full, refills bool) {
		synctest.Test(t, func(t *testing.T) {
			const longest = 5 * time.Minute
			fleet := handfleet.New()
			transport := &headway.Transport{Base: kit.InTurn(handfleet.OfSixty(50)), Fleet: fleet, Bounds: validate.Bounds{MaxReset: longest}}
			kit.Prime(t, transport)
			all := fleet.Agreement(t, 60)
			part := limits.Parts{
				Lasts: time.Duration(until), Members: members, Held: time.Duration(held),
				Limits: []limits.Part{{
					ID: all.Limits[0].ID, Share: own, Units: units, Next: next, Full: full, Refills: refills, Remaining: remaining,
					Ends: time.Duration(ends), Age: -time.Duration(told), Held: time.Duration(held),
				}},
			}
			for range 3 {
				fleet.Tell(part)
				s := transport.State()[0]
				require.LessOrEqual(t, time.Until(s.HeldUntil), longest)
				l := s.Limits[0]
				require.LessOrEqual(t, time.Until(l.HeldUntil), longest)
				require.True(t, l.Share > 0 && l.Share <= 1, l.Share)
				require.True(t, l.Rate >= 0 && !math.IsInf(l.Rate, 0), l.Rate)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				if resp, err := kit.Get(ctx, transport, kit.URL); err == nil {
					require.NoError(t, resp.Body.Close())
				} else {
					require.ErrorIs(t, err, context.DeadlineExceeded)
				}
				cancel()
			}
			fleet.Tell(all)
			start := time.Now()
			kit.Prime(t, transport)
			require.LessOrEqual(t, time.Since(start), longest+3*time.Minute, "the hold, and a window or two")
		})
	})
}
