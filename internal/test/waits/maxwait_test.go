package waits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A request waits for the end of a hold, or is refused at once if that is later than MaxWait or its deadline allows.
// WithMaxWait counts instead of the field.
func TestMaxWait(t *testing.T) {
	const hold = 30 * time.Second
	for _, test := range []struct {
		name     string
		hold     time.Duration   // 0: half a minute
		field    time.Duration   // MaxWait
		deadline time.Duration   // 0: none
		context  []time.Duration // of one WithMaxWait each, the outermost last
		want     error
	}{
		{name: "default", hold: 3000 * time.Second},
		{name: "default, longer hold", hold: 4000 * time.Second, want: headway.ErrMaxWait},
		{name: "set, longer hold", field: 20 * time.Second, want: headway.ErrMaxWait},

		{name: "WithMaxWait, shorter than the field", field: -1, context: []time.Duration{20 * time.Second}, want: headway.ErrMaxWait},
		{name: "WithMaxWait, longer than the field", field: 20 * time.Second, context: []time.Duration{time.Minute}},
		{name: "WithMaxWait of 0 counts as not called", field: 20 * time.Second, context: []time.Duration{0}, want: headway.ErrMaxWait},
		{name: "the last WithMaxWait counts", field: 20 * time.Second, context: []time.Duration{time.Minute, time.Second}, want: headway.ErrMaxWait},

		{name: "a deadline before the hold ends, and before MaxWait", field: 20 * time.Second, deadline: 10 * time.Second, want: context.DeadlineExceeded},
		{name: "a deadline before the hold ends, and after MaxWait", field: 20 * time.Second, deadline: 25 * time.Second, want: headway.ErrMaxWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.hold = cmp.Or(test.hold, hold)
				base := kit.InTurn(kit.Status(429, "Retry-After", fmt.Sprint(test.hold.Seconds())), kit.Status(200))
				transport := &headway.Transport{Base: base, MaxWait: test.field, MaxRetries: -1}
				kit.Prime(t, transport)
				ctx := headway.WithPriority(t.Context(), 1)
				for _, d := range test.context {
					ctx = headway.WithMaxWait(ctx, d)
				}
				if test.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.deadline)
					defer cancel()
				}
				start := time.Now()
				resp, err := kit.Get(ctx, transport, kit.URL)
				require.ErrorIs(t, err, test.want)
				if test.want == nil {
					require.NoError(t, resp.Body.Close())
					kit.RequireHeld(t, test.hold, time.Since(start))
					return
				}
				require.Zero(t, time.Since(start), "refused at once")
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.Equal(t, errors.Is(test.want, context.DeadlineExceeded), limit.Timeout())
				require.Equal(t, headway.CauseHold, limit.Cause)
				require.Equal(t, 1, base.Sent())
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
		require.ErrorIs(t, kit.Fetch(headway.WithMaxWait(t.Context(), 100*time.Millisecond), transport, kit.URL), headway.ErrMaxWait)
		require.LessOrEqual(t, time.Since(start), 100*time.Millisecond)
		others.Wait()
	})
}

// A throttled request is not sent again if that would exceed WithMaxWait. A response may take longer than that.
func TestWithMaxWaitOfResendsAndResponses(t *testing.T) {
	refused, ok := kit.Status(429, "Retry-After", "30"), kit.Status(200)
	for _, test := range []struct {
		name   string
		allow  time.Duration
		second func(*http.Request) *http.Response // response to the resend
		status int
	}{
		{"resent", 40 * time.Second, ok, 200},
		{"too late to resend", 20 * time.Second, ok, 429},
		{"too late to resend again", 50 * time.Second, refused, 429},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers, start := kit.InTurn(refused, test.second), time.Now()
				transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					time.Sleep(time.Second) // not a wait of the Transport
					return answers.RoundTrip(req)
				})}
				resp, err := kit.Get(headway.WithMaxWait(t.Context(), test.allow), transport, kit.URL)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, test.status, resp.StatusCode)
				require.Less(t, time.Since(start), test.allow)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		slow := kit.BaseFunc(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return httptest.NewRecorder().Result(), nil
		})
		require.NoError(t, kit.Fetch(headway.WithMaxWait(t.Context(), time.Nanosecond), &headway.Transport{Base: slow}, kit.URL))
	})
}
