package refusals

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestLimitError(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name        string
		err         *headway.LimitError
		want        string
		wantTimeout bool
	}{
		{
			"deadline", &headway.LimitError{Partition: "https://api.example.com", Policy: "minute", Cause: headway.CauseQuota, RetryAt: at, Wait: 42500 * time.Millisecond, Bound: 30 * time.Second, Err: context.DeadlineExceeded},
			`headway: request not sent: partition https://api.example.com: it would wait 42.5s (until 2026-11-01T12:00:00Z) for the quota of policy "minute", longer than its deadline allows (30s in all)`, true,
		},
		{
			"places", &headway.LimitError{Partition: "p", Cause: headway.CausePlaces, Waited: 10 * time.Second, Bound: 10 * time.Second, Err: headway.ErrMaxWait},
			"headway: request not sent: partition p: it would wait perhaps forever for a request in flight to end, longer than MaxWait allows (10s in all, 10s are over)", false,
		},
		{
			"hostile name", &headway.LimitError{Partition: "p", Policy: "a\r\n\x1b[2J", Bound: time.Second, Err: headway.ErrMaxWait},
			`headway: request not sent: partition p: it would wait perhaps forever for a limit of policy "a\r\n\x1b[2J", longer than MaxWait allows (1s in all)`, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.EqualError(t, test.err, test.want)
			require.Equal(t, test.wantTimeout, test.err.Timeout())
			wrapped := fmt.Errorf("calling: %w", &url.Error{Op: "Get", URL: "u", Err: test.err})
			var limit *headway.LimitError
			require.ErrorAs(t, wrapped, &limit)
			if test.err.Err != nil {
				require.ErrorIs(t, wrapped, test.err.Err)
			}
			require.Equal(t, test.wantTimeout, errors.Is(wrapped, context.DeadlineExceeded))
		})
	}
}

// A LimitError says how long the request has waited, how long it would wait still, and the bound.
func TestLimitErrorHasABound(t *testing.T) {
	for _, test := range []struct {
		name    string
		maxWait time.Duration
		timeout time.Duration // 0: none
		bound   time.Duration
	}{
		{"MaxWait", 10 * time.Second, 0, 10 * time.Second},
		{"deadline", 10 * time.Second, 8 * time.Second, 8 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &headway.Transport{MaxWait: test.maxWait, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					time.Sleep(200 * time.Millisecond)
					return kit.UsedUp()(req), nil
				})}
				go kit.Prime(t, transport)
				time.Sleep(100 * time.Millisecond)
				ctx := kit.Within(t, test.timeout)
				_, err := kit.Get(ctx, transport, kit.URL) // waits for the first response, which says that nothing remains
				limit, ok := errors.AsType[*headway.LimitError](err)
				require.True(t, ok, err)
				require.Equal(t, 100*time.Millisecond, limit.Waited)
				require.Equal(t, test.bound, limit.Bound)
				require.Greater(t, limit.Waited+limit.Wait, limit.Bound)
				require.Equal(t, time.Now().Add(limit.Wait), limit.RetryAt)
			})
		})
	}
}
