package clock

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

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
