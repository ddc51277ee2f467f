package clock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPause(t *testing.T) {
	closed := errors.New("closed")
	for _, test := range []struct {
		name    string
		d       time.Duration
		took    time.Duration
		wantErr error
	}{
		{"until its end", time.Second, time.Second, nil},
		{"until the context's", time.Hour, time.Minute, closed},
		{"not at all", 0, 0, nil},
		{"less than that", -time.Second, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				timer := After(time.Minute, func() { cancel(closed) })
				defer timer.Stop()
				started := time.Now()
				require.Equal(t, test.wantErr, Pause(ctx, test.d))
				require.Equal(t, test.took, time.Since(started))
			})
		})
	}
}

func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var called []time.Duration
		started := time.Now()
		note := func() { called = append(called, time.Since(started)) }
		After(time.Second, note)
		stopped := After(500*time.Millisecond, note)
		require.True(t, stopped.Stop())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, []time.Duration{time.Second}, called)
	})
}
