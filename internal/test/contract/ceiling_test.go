package contract

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// usedCeiling returns a Ceiling without tokens.
func usedCeiling(limit rate.Limit, burst int) *rate.Limiter {
	ceiling := rate.NewLimiter(limit, burst)
	ceiling.AllowN(time.Now(), burst)
	return ceiling
}

// The Ceiling of a lower Transport refuses a request at once if its token would come too late, and gives the
// reason.
func TestCeilingBelowRefuses(t *testing.T) {
	for _, row := range []struct {
		name     string
		limit    rate.Limit
		burst    int
		maxWait  time.Duration
		deadline time.Duration // 0: none
		want     error
		wait     time.Duration // 0: unknown
	}{
		{"no burst", 1, 0, 0, 0, headway.ErrMaxWait, 0},
		{"no burst, with a deadline", 1, 0, 0, time.Minute, headway.ErrMaxWait, 0},
		{"no burst, however long it may take", 1, 0, -1, 0, headway.ErrMaxWait, 0},
		{"no limit", 0, 1, 0, 0, headway.ErrMaxWait, 0},
		{"MaxWait", rate.Every(3 * time.Hour), 1, time.Second, 0, headway.ErrMaxWait, 3 * time.Hour},
		{"the usual MaxWait", rate.Every(3 * time.Hour), 1, 0, 0, headway.ErrMaxWait, 3 * time.Hour},
		{"MaxWait before the deadline", rate.Every(time.Hour), 1, time.Second, time.Minute, headway.ErrMaxWait, time.Hour},
		{"the deadline before MaxWait", rate.Every(time.Hour), 1, time.Minute, time.Second, context.DeadlineExceeded, time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(kit.Status(200))
				upper := &headway.Transport{MaxWait: -1, Base: &headway.Transport{
					Base: answers, MaxWait: row.maxWait, Ceiling: usedCeiling(row.limit, row.burst),
				}}
				ctx := t.Context()
				if row.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, row.deadline)
					defer cancel()
				}
				began := time.Now()
				body := kit.NewTrackedBody("text")
				req := kit.NewRequest(t, kit.URL).WithContext(ctx)
				req.Body = body
				resp, err := upper.RoundTrip(req)
				if err == nil {
					_ = resp.Body.Close()
				}
				require.Zero(t, time.Since(began), "at once")
				require.ErrorIs(t, err, row.want)
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.Equal(t, errors.Is(row.want, context.DeadlineExceeded), limit.Timeout())
				require.InDelta(t, row.wait.Seconds(), limit.Wait.Seconds(), 1e-3)
				require.Equal(t, row.wait == 0, limit.RetryAt.IsZero())
				require.Equal(t, 1, body.Closed)
				require.Zero(t, answers.Sent())
				require.Zero(t, upper.State()[0].InFlight)
			})
		})
	}
}

// A lower Transport refuses by its own Refusal setting, regardless of the upper one's.
func TestCeilingBelowRefusesWithAResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upper := &headway.Transport{MaxRetries: -1, Base: &headway.Transport{
			Base: kit.InTurn(kit.Status(200)), MaxWait: time.Second, Ceiling: usedCeiling(rate.Every(time.Minute), 1),
			Refusal: headway.RefuseWithResponse,
		}}
		body, req := kit.NewTrackedBody("text"), kit.NewRequest(t, kit.URL)
		req.Body = body
		resp, err := upper.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, "60", resp.Header.Get("Retry-After"))
		require.Equal(t, 1, body.Closed)
		refused, ok := headway.Refused(resp)
		require.True(t, ok)
		require.ErrorIs(t, refused, headway.ErrMaxWait)
	})
}

// WithMaxWait counts instead of the MaxWait of either Transport.
func TestCeilingBelowKeepsToWithMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upper := &headway.Transport{Base: &headway.Transport{
			Base: kit.InTurn(kit.Status(200)), MaxWait: time.Hour, Ceiling: usedCeiling(rate.Every(time.Minute), 1),
		}}
		_, err := kit.Get(headway.WithMaxWait(t.Context(), 30*time.Second), upper, kit.URL)
		require.ErrorIs(t, err, headway.ErrMaxWait)
		resp, err := kit.Get(headway.WithMaxWait(t.Context(), 90*time.Second), upper, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	})
}

// A request waits within MaxWait. The end of its context ends the wait with the context's cause.
func TestCeilingBelowWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ceiling := usedCeiling(rate.Every(time.Minute), 1)
		upper := &headway.Transport{Base: &headway.Transport{Base: kit.InTurn(kit.Status(200)), MaxWait: time.Minute, Ceiling: ceiling}}
		began := time.Now()
		kit.Prime(t, upper)
		require.Equal(t, time.Minute, time.Since(began))

		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(reason) })
		body := kit.NewTrackedBody("text")
		req := kit.NewRequest(t, kit.URL).WithContext(ctx)
		req.Body = body
		resp, err := upper.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		require.Same(t, reason, err)
		require.Equal(t, time.Minute+time.Second, time.Since(began))
		require.Equal(t, 1, body.Closed)
		require.InDelta(t, 1.0/60, ceiling.Tokens(), 1e-6, "its token is given back")
	})
}
