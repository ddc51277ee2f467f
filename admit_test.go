package headway

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

func TestMaxWait(t *testing.T) {
	for _, test := range []struct {
		name    string
		maxWait time.Duration
		hold    int // Retry-After of the hold that the request meets
		want    error
	}{
		{"default, shorter hold", 0, 3000, nil},
		{"default, longer hold", 0, 4000, ErrMaxWait},
		{"shorter hold", time.Minute, 30, nil},
		{"longer hold", time.Minute, 90, ErrMaxWait},
		{"unbounded", -1, 86400, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(status(429, "Retry-After", strconv.Itoa(test.hold)), status(200))
				transport := &Transport{Base: base, MaxWait: test.maxWait, MaxRetries: -1}
				prime(t, transport)
				start := time.Now()
				resp, err := get(t.Context(), transport, testURL)
				require.ErrorIs(t, err, test.want)
				if test.want == nil {
					require.NoError(t, resp.Body.Close())
					requireHeld(t, time.Duration(test.hold)*time.Second, time.Since(start))
					return
				}
				require.Zero(t, time.Since(start), "refused at once")
				var limit *LimitError
				require.ErrorAs(t, err, &limit)
				require.False(t, limit.Timeout())
				require.Equal(t, 1, base.sent())
			})
		})
	}
}

func TestEarlierOfDeadlineAndMaxWaitIsTheReason(t *testing.T) {
	for _, test := range []struct {
		name     string
		deadline time.Duration
		want     error
	}{
		{"deadline first", 10 * time.Second, context.DeadlineExceeded},
		{"MaxWait first", 30 * time.Second, ErrMaxWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &Transport{Base: inTurn(usedUp()), MaxWait: 20 * time.Second}
				prime(t, transport)
				ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
				defer cancel()
				_, err := get(ctx, transport, testURL)
				require.ErrorIs(t, err, test.want)
			})
		})
	}
}

// A request that can start before its deadline waits, and is sent.
func TestWaitWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "5"), status(200))
		transport := &Transport{Base: base, MaxRetries: -1}
		prime(t, transport)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		resp, err := get(ctx, transport, testURL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		requireHeld(t, 5*time.Second, base.times[1].Sub(base.times[0]))
	})
}

func TestCeilingSpacesRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(200))
		transport := &Transport{Base: base, Ceiling: rate.NewLimiter(rate.Every(time.Second), 1)}
		for range 4 {
			prime(t, transport)
		}
		for i := 1; i < 4; i++ {
			require.InDelta(t, 1, base.times[i].Sub(base.times[i-1]).Seconds(), 1e-6)
		}
	})
}

func TestCeilingCountsResends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "1"), status(200))
		transport := &Transport{Base: base, Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}
		prime(t, transport)
		require.InDelta(t, 60, base.times[1].Sub(base.times[0]).Seconds(), 1e-6)
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
		{"beyond MaxWait", rate.NewLimiter(rate.Every(2*time.Hour), 1), 24 * time.Hour, ErrMaxWait, false},
		{"never", rate.NewLimiter(0, 1), 24 * time.Hour, ErrMaxWait, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(status(200))
				transport := &Transport{Base: base, Ceiling: test.ceiling}
				prime(t, transport)
				tokens := test.ceiling.Tokens()
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				_, err := get(ctx, transport, testURL)
				require.ErrorIs(t, err, test.want)
				var limit *LimitError
				require.ErrorAs(t, err, &limit)
				require.Equal(t, test.wantNever, limit.RetryAt.IsZero())
				require.Equal(t, 1, base.sent())
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
		transport := &Transport{Base: inTurn(status(200)), Ceiling: ceiling}
		prime(t, transport)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(reason) })
		start := time.Now()
		_, err := get(ctx, transport, testURL)
		require.Same(t, reason, err)
		require.Equal(t, time.Second, time.Since(start))
		require.Zero(t, transport.State()[0].InFlight)
		require.InDelta(t, 1.0/60, ceiling.Tokens(), 1e-6, "its token is given back")
	})
}

func TestShadowDelaysRefusesAndResendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(usedUp(), status(429, "Retry-After", "60"))
		transport := &Transport{Base: base, Shadow: true, MaxWait: -1, Ceiling: rate.NewLimiter(0, 0)}
		start := time.Now()
		var clients sync.WaitGroup
		for i := range 20 {
			clients.Go(func() {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if i%2 == 1 { // these would be refused, the others wait
					ctx, cancel = context.WithTimeout(ctx, time.Second)
				}
				defer cancel()
				resp, err := get(ctx, transport, testURL)
				if err == nil {
					err = resp.Body.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
		require.Zero(t, time.Since(start))
		require.Equal(t, 20, base.sent())
		state := transport.State()[0]
		require.GreaterOrEqual(t, state.HeldUntil.Sub(start), time.Minute, "it decides all the same")
		require.Zero(t, state.InFlight)
	})
}

// A hold that is set while requests wait for the Ceiling holds them, too.
func TestCeilingKeepsToAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var sent []time.Duration
		base := baseFunc(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, time.Since(start))
			fields := []string{"RateLimit-Policy", `"d";q=10000;w=3600`, "RateLimit", `"d";r=9000;t=3600`}
			if len(sent) == 10 {
				return respond(req, http.StatusTooManyRequests, append(fields, "Retry-After", "60")...), nil
			}
			return respond(req, http.StatusOK, fields...), nil
		})
		transport := &Transport{Base: base, Ceiling: rate.NewLimiter(10, 1)}
		prime(t, transport)
		var clients sync.WaitGroup
		for range 100 {
			clients.Go(func() { prime(t, transport) })
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
