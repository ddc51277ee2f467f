package fuzz

import (
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// FuzzReported: whatever a hook returns, the Reading is within the bounds, the body stays whole, places are given back, and the next
// request goes or is refused at once within MaxWait.
func FuzzReported(f *testing.F) {
	f.Add(`{"data":{}}`, 5, "points", "points", int64(1000), int64(980), int64(20e9), int64(-1), int64(0), int64(10), false)
	f.Add("", 0, "", "", int64(0), int64(0), int64(0), int64(0), int64(math.MaxInt64), int64(math.MaxInt64), true)
	f.Add(strings.Repeat("x", 5000), 4999, "\xff", "requests", int64(math.MaxInt64), int64(math.MinInt64), int64(1), int64(math.MaxInt64), int64(-1), int64(-1), true)
	f.Add("text", 4, "\x00\xff", "\x1b[2J", int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), int64(0), false)
	f.Add("[", 100, "a", "tokens", int64(1), int64(1), int64(1), int64(1), int64(1), int64(0), false)
	f.Fuzz(func(t *testing.T, text string, reads int, policy, unit string, quota, remaining, window, reset, wait, cost int64, refused bool) {
		synctest.Test(t, func(t *testing.T) {
			one := limits.Reported{
				Policy: policy, PartitionKey: text, Unit: limits.Unit(unit), Quota: quota, Remaining: remaining,
				Window: time.Duration(window), Reset: time.Duration(reset), Cost: cost,
			}
			other := one
			other.Quota, other.Policy = remaining, unit
			told := validate.Reading{Limits: []limits.Reported{one, other, one}, RetryAfter: time.Duration(wait)}
			if refused {
				told.Verdict = validate.VerdictWait
			}
			transport := kit.Seeded(t, &headway.Transport{
				Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					resp := kit.Respond(req, http.StatusOK, "X-RateLimit-Limit", "10", "X-RateLimit-Remaining", "5")
					resp.Body = io.NopCloser(strings.NewReader(text))
					return resp, nil
				}),
				Limits: func(resp *http.Response) validate.Reading {
					_, _ = io.ReadFull(resp.Body, make([]byte, min(max(reads, 0), 1<<16)))
					return told
				},
				Trace: &headway.Trace{Reading: func(_ context.Context, info headway.ReadingInfo) {
					checkReading(t, info.Reading, resolved(validate.Bounds{}))
				}},
				MaxRetries: -1, MaxWait: time.Minute,
			})
			ctx := headway.WithCost(t.Context(), limits.Unit(unit), cost)
			for range 3 {
				begun := time.Now()
				resp, err := kit.Get(ctx, transport, kit.URL)
				require.LessOrEqual(t, time.Since(begun), time.Minute)
				if err != nil {
					require.ErrorIs(t, err, headway.ErrMaxWait)
					continue
				}
				require.Equal(t, text, kit.ReadAll(t, resp))
			}
			require.Zero(t, transport.State()[0].InFlight)
			for _, l := range transport.State()[0].Limits {
				require.GreaterOrEqual(t, l.Remaining, int64(limits.Unknown))
				require.False(t, math.IsNaN(l.Rate) || l.Rate < 0)
			}
		})
	})
}
