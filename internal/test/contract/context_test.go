package contract

import (
	"context"
	"errors"
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
