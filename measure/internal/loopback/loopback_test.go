package loopback_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/measure/internal/loopback"
)

func TestListen(t *testing.T) {
	first, err := loopback.Listen(loopback.Any)
	require.NoError(t, err)
	addr := first.Addr().String()
	require.NoError(t, first.Close())
	again, err := loopback.Listen(addr)
	require.NoError(t, err)
	require.Equal(t, addr, again.Addr().String())
	require.NoError(t, again.Close())
	_, err = loopback.Listen("no address")
	require.Error(t, err)
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		require.True(t, loopback.Sleep(ctx, time.Hour))
		require.True(t, loopback.Sleep(ctx, -time.Hour))
		require.Equal(t, time.Hour, time.Since(begun))
		time.AfterFunc(time.Minute, cancel)
		require.False(t, loopback.Sleep(ctx, time.Hour))
		require.Equal(t, time.Hour+time.Minute, time.Since(begun))
	})
}
