package waits

import (
	"context"
	"errors"
	"fmt"
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

func TestCeilingSpacesRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(200))
		transport := &headway.Transport{Base: base, Ceiling: rate.NewLimiter(rate.Every(time.Second), 1)}
		for range 4 {
			kit.Prime(t, transport)
		}
		for i := 1; i < 4; i++ {
			require.InDelta(t, 1, base.Times[i].Sub(base.Times[i-1]).Seconds(), 1e-6)
		}
	})
}

func TestCeilingCountsResends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))
		transport := &headway.Transport{Base: base, Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}
		kit.Prime(t, transport)
		require.InDelta(t, 60, base.Times[1].Sub(base.Times[0]).Seconds(), 1e-6)
	})
}

func TestCeilingRefuses(t *testing.T) {
	for _, test := range []struct {
		name      string
		ceiling   *rate.Limiter
		timeout   time.Duration
		want      error
		wantNever bool
	}{
		{"beyond the deadline", rate.NewLimiter(rate.Every(time.Minute), 1), 10 * time.Second, context.DeadlineExceeded, false},
		{"beyond MaxWait", rate.NewLimiter(rate.Every(2*time.Hour), 1), 24 * time.Hour, headway.ErrMaxWait, false},
		{"never", rate.NewLimiter(0, 1), 24 * time.Hour, headway.ErrMaxWait, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(200))
				transport := &headway.Transport{Base: base, Ceiling: test.ceiling}
				kit.Prime(t, transport)
				tokens := test.ceiling.Tokens()
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				_, err := kit.Get(ctx, transport, kit.URL)
				require.ErrorIs(t, err, test.want)
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.Equal(t, test.wantNever, limit.RetryAt.IsZero())
				require.Equal(t, 1, base.Sent())
				require.Zero(t, transport.State()[0].InFlight, "its place is given back")
				require.InDelta(t, tokens, test.ceiling.Tokens(), 1e-6, "its token is given back")
			})
		})
	}
}

func TestCeilingWaitEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("no longer needed")
		ceiling := rate.NewLimiter(rate.Every(time.Minute), 1)
		transport := &headway.Transport{Base: kit.InTurn(kit.Status(200)), Ceiling: ceiling}
		kit.Prime(t, transport)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(reason) })
		start := time.Now()
		_, err := kit.Get(ctx, transport, kit.URL)
		require.Same(t, reason, err)
		require.Equal(t, time.Second, time.Since(start))
		require.Zero(t, transport.State()[0].InFlight)
		require.InDelta(t, 1.0/60, ceiling.Tokens(), 1e-6, "its token is given back")
	})
}

// A hold also applies to requests that wait for the Ceiling.
func TestCeilingKeepsToAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var sent []time.Duration
		base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, time.Since(start))
			fields := []string{"RateLimit-Policy", `"d";q=10000;w=3600`, "RateLimit", `"d";r=9000;t=3600`}
			if len(sent) == 10 {
				return kit.Respond(req, http.StatusTooManyRequests, append(fields, "Retry-After", "60")...), nil
			}
			return kit.Respond(req, http.StatusOK, fields...), nil
		})
		transport := &headway.Transport{Base: base, Ceiling: rate.NewLimiter(10, 1)}
		kit.Prime(t, transport)
		var clients sync.WaitGroup
		for range 100 {
			clients.Go(func() { kit.Prime(t, transport) })
		}
		clients.Wait()
		require.Len(t, sent, 102)
		refused := sent[9]
		for _, at := range sent[10:] {
			require.GreaterOrEqual(t, at-refused, time.Minute)
		}
		require.Zero(t, transport.State()[0].InFlight)
	})
}

// A Ceiling with a rate of 0 refuses at once, without a time.
func TestCeilingOfNothing(t *testing.T) {
	for _, row := range []struct {
		name    string
		ceiling *rate.Limiter
	}{
		{"burst 0", rate.NewLimiter(10, 0)},
		{"limit 0", rate.NewLimiter(0, 1)},
		{"both", rate.NewLimiter(0, 0)},
	} {
		for _, maxWait := range []time.Duration{0, time.Second, -1} {
			t.Run(fmt.Sprint(row.name, ", MaxWait ", maxWait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					row.ceiling.Allow()
					transport := &headway.Transport{Base: kit.InTurn(kit.Status(200)), Ceiling: row.ceiling, MaxWait: maxWait}
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					began := time.Now()
					_, err := kit.Get(ctx, transport, kit.URL)
					require.Zero(t, time.Since(began))
					require.ErrorIs(t, err, headway.ErrMaxWait)
					var limit *headway.LimitError
					require.ErrorAs(t, err, &limit)
					require.False(t, limit.Timeout())
					require.Zero(t, limit.RetryAt)
					require.Zero(t, limit.Wait)
				})
			})
		}
	}
}

// Requests that wait see within a second that the limit has changed, although nothing else happens.
func TestCeilingChangesWhileNothingElseHappens(t *testing.T) {
	below := func(ceiling *rate.Limiter, base http.RoundTripper) http.RoundTripper {
		return &headway.Transport{Base: &headway.Transport{Base: base, Ceiling: ceiling}}
	}
	above := func(ceiling *rate.Limiter, base http.RoundTripper) http.RoundTripper {
		return &headway.Transport{Base: base, Ceiling: ceiling}
	}
	for _, test := range []struct {
		name      string
		transport func(*rate.Limiter, http.RoundTripper) http.RoundTripper
		before    rate.Limit
		after     rate.Limit
		sent      int           // of three that wait; the others are refused
		within    time.Duration // of the change
	}{
		{"raised", above, rate.Every(10 * time.Minute), 10, 3, time.Second + 300*time.Millisecond},
		{"raised, of a Transport below", below, rate.Every(10 * time.Minute), 10, 3, time.Second + 300*time.Millisecond},
		{"raised a little", above, rate.Every(10 * time.Minute), rate.Every(time.Minute), 3, 3*time.Minute + time.Second},
		{"taken away", above, rate.Every(10 * time.Minute), rate.Inf, 3, time.Second},
		{"lowered below MaxWait", above, rate.Every(10 * time.Minute), rate.Every(10 * time.Hour), 0, time.Second},
		{"lowered to nothing", above, rate.Every(10 * time.Minute), 0, 0, time.Second},
		{"the same", above, rate.Every(10 * time.Minute), rate.Every(10 * time.Minute), 3, 30 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := rate.NewLimiter(test.before, 1)
				transport := test.transport(limiter, kit.InTurn(kit.Status(200)))
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
