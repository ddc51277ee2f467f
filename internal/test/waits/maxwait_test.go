package waits

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A request waits for the end of a hold, or is refused at once.
func TestMaxWait(t *testing.T) {
	for _, test := range []struct {
		name    string
		maxWait time.Duration
		hold    int // Retry-After of the hold
		want    error
	}{
		{"default, shorter hold", 0, 3000, nil},
		{"default, longer hold", 0, 4000, headway.ErrMaxWait},
		{"shorter hold", time.Minute, 30, nil},
		{"longer hold", time.Minute, 90, headway.ErrMaxWait},
		{"unbounded", -1, 86400, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(429, "Retry-After", strconv.Itoa(test.hold)), kit.Status(200))
				transport := &headway.Transport{Base: base, MaxWait: test.maxWait, MaxRetries: -1}
				kit.Prime(t, transport)
				start := time.Now()
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				require.ErrorIs(t, err, test.want)
				if test.want == nil {
					require.NoError(t, resp.Body.Close())
					kit.RequireHeld(t, time.Duration(test.hold)*time.Second, time.Since(start))
					return
				}
				require.Zero(t, time.Since(start), "refused at once")
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.False(t, limit.Timeout())
				require.Equal(t, 1, base.Sent())
			})
		})
	}
}

// WithMaxWait counts instead of the field, and what it bounds is the wait alone.
func TestWithMaxWait(t *testing.T) {
	for _, test := range []struct {
		name    string
		field   time.Duration
		context []time.Duration // of one WithMaxWait each, the outermost last
		want    error
	}{
		{"shorter than the field", -1, []time.Duration{20 * time.Second}, headway.ErrMaxWait},
		{"longer than the field", 20 * time.Second, []time.Duration{time.Minute}, nil},
		{"not bounded", 20 * time.Second, []time.Duration{-1}, nil},
		{"0 counts as not called", 20 * time.Second, []time.Duration{0}, headway.ErrMaxWait},
		{"the last call counts", 20 * time.Second, []time.Duration{time.Minute, time.Second}, headway.ErrMaxWait},
		{"the last call takes it back", 20 * time.Second, []time.Duration{time.Minute, 0}, headway.ErrMaxWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(429, "Retry-After", "30"), kit.Status(200))
				transport := &headway.Transport{Base: base, MaxWait: test.field, MaxRetries: -1}
				kit.Prime(t, transport)
				ctx := headway.WithPriority(t.Context(), 1)
				for _, d := range test.context {
					ctx = headway.WithMaxWait(ctx, d)
				}
				start := time.Now()
				resp, err := kit.Get(ctx, transport, kit.URL)
				require.ErrorIs(t, err, test.want)
				if test.want != nil {
					require.Zero(t, time.Since(start), "refused at once")
					return
				}
				require.NoError(t, resp.Body.Close())
				kit.RequireHeld(t, 30*time.Second, time.Since(start))
			})
		})
	}
}

// A request gives up in time behind requests that wait for longer, also where nobody knows when these will go: here for
// the first responses of a slow server.
func TestWithMaxWaitBehindLongerOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			time.Sleep(time.Minute)
			return kit.Respond(req, http.StatusOK), nil
		})}
		var others sync.WaitGroup
		for range 6 {
			others.Go(func() { kit.Prime(t, transport) })
			time.Sleep(time.Millisecond)
		}
		start := time.Now()
		_, err := kit.Get(headway.WithMaxWait(t.Context(), 100*time.Millisecond), transport, kit.URL)
		require.ErrorIs(t, err, headway.ErrMaxWait)
		require.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
		others.Wait()
	})
}

// A throttled request is not sent again if that would exceed WithMaxWait. A response may take longer than that.
func TestWithMaxWaitOfResendsAndResponses(t *testing.T) {
	for _, test := range []struct {
		name   string
		allow  time.Duration
		status int
	}{
		{"resent", 40 * time.Second, 200},
		{"too late to resend", 20 * time.Second, 429},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(kit.Status(429, "Retry-After", "30"), kit.Status(200))
				transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					time.Sleep(time.Second) // not a wait of the Transport
					return answers.RoundTrip(req)
				})}
				resp, err := kit.Get(headway.WithMaxWait(t.Context(), test.allow), transport, kit.URL)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, test.status, resp.StatusCode)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		slow := kit.BaseFunc(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return httptest.NewRecorder().Result(), nil
		})
		resp, err := kit.Get(headway.WithMaxWait(t.Context(), time.Nanosecond), &headway.Transport{Base: slow}, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	})
}

func TestEarlierOfDeadlineAndMaxWaitIsTheReason(t *testing.T) {
	for _, test := range []struct {
		name     string
		deadline time.Duration
		want     error
	}{
		{"deadline first", 10 * time.Second, context.DeadlineExceeded},
		{"MaxWait first", 30 * time.Second, headway.ErrMaxWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp()), MaxWait: 20 * time.Second}
				kit.Prime(t, transport)
				ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
				defer cancel()
				_, err := kit.Get(ctx, transport, kit.URL)
				require.ErrorIs(t, err, test.want)
			})
		})
	}
}

// A request that can start before its deadline waits, and is sent.
func TestWaitWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "5"), kit.Status(200))
		transport := &headway.Transport{Base: base, MaxRetries: -1}
		kit.Prime(t, transport)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		resp, err := kit.Get(ctx, transport, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		kit.RequireHeld(t, 5*time.Second, base.Times[1].Sub(base.Times[0]))
	})
}
