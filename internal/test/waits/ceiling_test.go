package waits

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// ceiled returns a Transport with a Ceiling without tokens.
func ceiled(base http.RoundTripper, maxWait time.Duration, limit rate.Limit, burst int) *headway.Transport {
	ceiling := rate.NewLimiter(limit, burst)
	ceiling.AllowN(time.Now(), burst)
	return &headway.Transport{Base: base, MaxWait: maxWait, Ceiling: ceiling}
}

// places are where a Ceiling may be: at the Transport that is called, or at one below it.
var places = map[string]func(*headway.Transport) *headway.Transport{
	"own": func(ceiled *headway.Transport) *headway.Transport { return ceiled },
	"below": func(ceiled *headway.Transport) *headway.Transport {
		return &headway.Transport{MaxWait: -1, Base: ceiled}
	},
}

// A request is refused at once if its token would come too late, and the error has the reason.
func TestCeilingRefuses(t *testing.T) {
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
		{"no burst, however long it may take", 1, 0, -1, 0, headway.ErrMaxWait, 0},
		{"no limit, however long it may take", 0, 1, -1, time.Minute, headway.ErrMaxWait, 0},
		{"MaxWait", rate.Every(3 * time.Hour), 1, time.Second, 0, headway.ErrMaxWait, 3 * time.Hour},
		{"MaxWait before the deadline", rate.Every(time.Hour), 1, time.Second, time.Minute, headway.ErrMaxWait, time.Hour},
		{"the deadline before MaxWait", rate.Every(time.Hour), 1, time.Minute, time.Second, context.DeadlineExceeded, time.Hour},
	} {
		for place, put := range places {
			t.Run(row.name+", "+place, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					answers := kit.InTurn(kit.Status(200))
					ceiled := ceiled(answers, row.maxWait, row.limit, row.burst)
					transport, tokens := put(ceiled), ceiled.Ceiling.Tokens()
					ctx := kit.Within(t, row.deadline)
					began := time.Now()
					body := kit.NewTrackedBody("text")
					req := kit.NewRequest(t, kit.URL).WithContext(ctx)
					req.Body = body
					_, err := transport.RoundTrip(req)
					require.Zero(t, time.Since(began), "at once")
					require.ErrorIs(t, err, row.want)
					var limit *headway.LimitError
					require.ErrorAs(t, err, &limit)
					require.Equal(t, errors.Is(row.want, context.DeadlineExceeded), limit.Timeout())
					require.InDelta(t, row.wait.Seconds(), limit.Wait.Seconds(), 1e-3)
					require.Equal(t, row.wait == 0, limit.RetryAt.IsZero())
					require.Equal(t, headway.CauseCeiling, limit.Cause)
					require.Equal(t, 1, body.Closed)
					require.Zero(t, answers.Sent())
					require.Zero(t, transport.State()[0].InFlight, "its place is given back")
					require.InDelta(t, tokens, ceiled.Ceiling.Tokens(), 1e-6, "its token is given back")
				})
			})
		}
	}
}

// A request waits within MaxWait, also one that is sent again. The end of its context ends the wait with the context's cause.
func TestCeilingWaits(t *testing.T) {
	for place, put := range places {
		t.Run(place, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))
				ceiled := ceiled(base, 2*time.Minute, rate.Every(time.Minute), 1)
				transport := put(ceiled)
				began := time.Now()
				kit.Prime(t, transport)
				require.Equal(t, 2, base.Sent())
				require.InDelta(t, 60, base.Times[0].Sub(began).Seconds(), 1e-6)
				require.InDelta(t, 60, base.Times[1].Sub(base.Times[0]).Seconds(), 1e-6)

				reason := errors.New("no longer needed")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(reason) })
				body := kit.NewTrackedBody("text")
				req := kit.NewRequest(t, kit.URL).WithContext(ctx)
				req.Body = body
				began = time.Now()
				_, err := transport.RoundTrip(req)
				require.Same(t, reason, err)
				require.Equal(t, time.Second, time.Since(began))
				require.Equal(t, 1, body.Closed)
				require.Zero(t, transport.State()[0].InFlight)
				require.InDelta(t, 1.0/60, ceiled.Ceiling.Tokens(), 1e-6, "its token is given back")
			})
		})
	}
}

// A Transport below refuses by its own Refusal setting. The refusal is not the server's: it begins no hold, and the request is
// not sent again.
func TestCeilingBelowRefusesWithAResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := kit.InTurn(kit.Status(200))
		below := ceiled(answers, time.Second, rate.Every(time.Minute), 1)
		below.Refusal = headway.RefuseWithResponse
		transport := &headway.Transport{Base: below}
		body, req, start := kit.NewTrackedBody("text"), kit.NewRequest(t, kit.URL), time.Now()
		req.Body = body
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, "60", resp.Header.Get("Retry-After"))
		refused, ok := headway.Refused(resp)
		require.True(t, ok)
		require.ErrorIs(t, refused, headway.ErrMaxWait)
		require.Equal(t, 1, body.Closed)
		require.Zero(t, time.Since(start))
		require.Zero(t, transport.State()[0].HeldUntil)
		require.Zero(t, transport.State()[0].LastThrottled)
		require.Zero(t, transport.State()[0].InFlight)
		require.Zero(t, answers.Sent())
	})
}

// WithMaxWait counts instead of the MaxWait of either Transport.
func TestCeilingBelowKeepsToWithMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: ceiled(kit.InTurn(kit.Status(200)), time.Hour, rate.Every(time.Minute), 1)}
		require.ErrorIs(t, kit.Fetch(headway.WithMaxWait(t.Context(), 30*time.Second), transport, kit.URL), headway.ErrMaxWait)
		require.NoError(t, kit.Fetch(headway.WithMaxWait(t.Context(), 90*time.Second), transport, kit.URL))
	})
}

// Requests that wait see within a second that the limit has changed, although nothing else happens.
func TestCeilingChangesWhileNothingElseHappens(t *testing.T) {
	for _, test := range []struct {
		name   string
		place  string
		before rate.Limit
		after  rate.Limit
		sent   int           // of three that wait; the others are refused
		within time.Duration // of the change
	}{
		{"raised, of a Transport below", "below", rate.Every(10 * time.Minute), 10, 3, time.Second + 300*time.Millisecond},
		{"taken away", "own", rate.Every(10 * time.Minute), rate.Inf, 3, time.Second},
		{"lowered below MaxWait", "own", rate.Every(10 * time.Minute), rate.Every(10 * time.Hour), 0, time.Second},
		{"the same", "own", rate.Every(10 * time.Minute), rate.Every(10 * time.Minute), 3, 30 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := rate.NewLimiter(test.before, 1)
				transport := places[test.place](&headway.Transport{Base: kit.InTurn(kit.Status(200)), Ceiling: limiter})
				kit.Prime(t, transport)
				var mu sync.Mutex
				var all sync.WaitGroup
				sent, last := 0, time.Now()
				for range 3 {
					all.Go(func() {
						resp, err := kit.Get(t.Context(), transport, kit.URL)
						mu.Lock()
						defer mu.Unlock()
						last = time.Now()
						if err == nil {
							sent++
							_ = resp.Body.Close()
							return
						}
						var refused *headway.LimitError
						if !errors.As(err, &refused) || refused.Cause != headway.CauseCeiling {
							t.Error(err)
						}
					})
				}
				synctest.Wait()
				changed := time.Now()
				limiter.SetLimit(test.after)
				all.Wait()
				require.Equal(t, test.sent, sent)
				require.LessOrEqual(t, last.Sub(changed), test.within+time.Millisecond)
			})
		})
	}
}
