package contract

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestContextCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.UsedUp())
		transport := &headway.Transport{Base: base}
		kit.Prime(t, transport)
		start := time.Now()
		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(reason) })
		_, err := kit.Get(ctx, transport, kit.URL)
		require.Same(t, reason, err, "the cause, as net/http returns it")
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, 1, base.Sent())
		state := transport.State()[0]
		require.Zero(t, state.Waiting)
		require.Zero(t, state.InFlight)
	})
}

func TestDeadlineIsRefusedAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, transport *headway.Transport) error
	}{
		{"context", func(ctx context.Context, transport *headway.Transport) error {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_, err := kit.Get(ctx, transport, kit.URL)
			return err
		}},
		{"http.Client.Timeout", func(ctx context.Context, transport *headway.Transport) error {
			client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, kit.URL, nil)
			if err != nil {
				return err
			}
			_, err = client.Do(req)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.UsedUp())
				transport := &headway.Transport{Base: base}
				kit.Prime(t, transport)
				start := time.Now()
				err := test.do(t.Context(), transport)
				require.Zero(t, time.Since(start))
				var limit *headway.LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NotErrorIs(t, err, headway.ErrMaxWait)
				var timeout interface{ Timeout() bool }
				require.ErrorAs(t, err, &timeout)
				require.True(t, timeout.Timeout())
				require.Equal(t, "https://api.example.com", limit.Partition)
				require.Equal(t, "minute", limit.Policy)
				require.Equal(t, headway.CauseQuota, limit.Cause)
				require.GreaterOrEqual(t, limit.Wait, time.Minute, "the rest of the window")
				require.LessOrEqual(t, limit.Wait, 2*time.Minute)
				require.Equal(t, limit.Wait, limit.RetryAt.Sub(start))
				require.Equal(t, 1, base.Sent())
			})
		})
	}
}
