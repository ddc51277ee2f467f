package headway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestContextCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(usedUp())
		transport := &Transport{Base: base}
		prime(t, transport)
		start := time.Now()
		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(reason) })
		_, err := get(ctx, transport, testURL)
		require.Same(t, reason, err, "the cause, as net/http returns it")
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, 1, base.sent())
		state := transport.State()[0]
		require.Zero(t, state.Waiting)
		require.Zero(t, state.InFlight)
	})
}

func TestDeadlineIsRefusedAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, transport *Transport) error
	}{
		{"context", func(ctx context.Context, transport *Transport) error {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_, err := get(ctx, transport, testURL)
			return err
		}},
		{"http.Client.Timeout", func(ctx context.Context, transport *Transport) error {
			client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, testURL, nil)
			if err != nil {
				return err
			}
			_, err = client.Do(req)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(usedUp())
				transport := &Transport{Base: base}
				prime(t, transport)
				start := time.Now()
				err := test.do(t.Context(), transport)
				require.Zero(t, time.Since(start))
				var limit *LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NotErrorIs(t, err, ErrMaxWait)
				var timeout interface{ Timeout() bool }
				require.ErrorAs(t, err, &timeout)
				require.True(t, timeout.Timeout())
				require.Equal(t, "https://api.example.com", limit.Partition)
				require.Equal(t, "minute", limit.Policy)
				require.GreaterOrEqual(t, limit.Wait, time.Minute, "the rest of the window")
				require.LessOrEqual(t, limit.Wait, 2*time.Minute)
				require.Equal(t, limit.Wait, limit.RetryAt.Sub(start))
				require.Equal(t, 1, base.sent())
			})
		})
	}
}

func TestThrottledAnswerIsHandedBackWhenAResendWouldMissTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(func(req *http.Request) *http.Response {
			resp := respond(req, 429, "Retry-After", "30", "X-Reason", "too many")
			resp.Body = newTrackedBody("slow down")
			return resp
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		resp, err := get(ctx, &Transport{Base: base}, testURL)
		require.NoError(t, err)
		require.Zero(t, time.Since(start))
		require.Equal(t, 429, resp.StatusCode)
		require.Equal(t, "too many", resp.Header.Get("X-Reason"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "slow down", string(body))
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 1, base.sent())
	})
}
