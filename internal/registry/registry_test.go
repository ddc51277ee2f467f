package registry

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

func TestFindMakesEachPartitionOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		first := w.find(1)
		require.Same(t, first, w.find(1))
		second := w.find(2)
		require.NotSame(t, first, second)
		require.Same(t, first, w.find(1))
		require.Equal(t, []string{host(1).Host, host(2).Host}, w.made)
		require.Len(t, w.All(), 2)
	})
}

// Requests that spell one origin in several ways have one partition, also after it was forgotten.
func TestFindOfOtherSpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		spelled := func() *identity.Key { return &identity.Key{Scheme: "https", Host: "HOST1.example.com:443"} }
		first := w.Find(spelled(), nil)
		require.Same(t, first, w.find(1))
		require.Same(t, first, w.Find(spelled(), nil))
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.True(t, first.IsForgotten())
		again := w.Find(spelled(), nil)
		require.NotSame(t, first, again)
		require.Same(t, again, w.find(1))
		require.Equal(t, []string{host(1).Host, host(1).Host}, w.made)
	})
}

func TestFindOfAForgottenPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		first := w.use(t, 1)
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.True(t, first.IsForgotten())
		second := w.find(1)
		require.NotSame(t, first, second)
		require.False(t, second.IsForgotten())
	})
}

// A partition is not forgotten right after a request that took longer than idleFor.
func TestLongPollsKeepTheirPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		first := w.find(1)
		for range 10 {
			v := w.enterIn(t, w.find(1))
			time.Sleep(idleFor + time.Minute)
			v.Answered(t.Context(), 0, &pacer.Answer{RetryAfter: pacer.Unknown}, schedule.Response{})
			time.Sleep(90 * time.Second)
			require.Same(t, first, w.find(1))
		}
		time.Sleep(time.Hour)
		require.False(t, w.has(1), "it is idle")
	})
}

// Concurrent calls of Find with the same key return the same partition.
func TestFindConcurrently(t *testing.T) {
	w := newWorld(100)
	for i := range 100 {
		var all sync.WaitGroup
		var found [4]any
		for n := range found {
			all.Go(func() { found[n] = w.find(i) })
		}
		all.Wait()
		for _, p := range found {
			require.Same(t, found[0], p)
		}
	}
	require.Len(t, w.made, 100)
}

// The timer must not keep a Transport's Registry alive.
func TestForgottenRegistryIsCollected(t *testing.T) {
	w := newWorld(10)
	w.use(t, 1)
	require.True(t, w.isArmed)
	collected := weak.Make(w.Registry)
	w = nil
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, collected.Value())
}

func TestIdlePartitionsAreForgottenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		w.use(t, 0)
		v := w.enter(t, 1)
		w.answer(v, pacer.Answer{Refused: true, RetryAfter: time.Hour})
		inFlight := w.enter(t, 2)

		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.False(t, w.has(0))
		require.Equal(t, []Eviction{{Partition: w.gone()[0].Partition, Now: w.gone()[0].Now, Used: w.gone()[0].Used}}, w.gone())
		require.GreaterOrEqual(t, w.gone()[0].Now.Sub(w.gone()[0].Used), idleFor)
		require.True(t, w.has(1), "a hold is worth remembering")
		require.True(t, w.has(2))

		time.Sleep(2 * time.Hour)
		require.False(t, w.has(1))
		require.True(t, w.has(2), "for as long as it takes")

		w.answer(inFlight, pacer.Answer{RetryAfter: pacer.Unknown})
		time.Sleep(2 * (idleFor + sweepEvery))
		require.Empty(t, w.All())
		require.False(t, w.isArmed, "no timer without partitions")

		w.use(t, 0)
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Empty(t, w.All(), "the timer is set again")
	})
}

func TestManyIdlePartitionsAreForgottenInOneSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(MaxPartitions)
		for i := range 5 * sweepBatch {
			w.use(t, i)
		}
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Zero(t, w.index.n)
		require.Empty(t, w.idle)
		require.Len(t, w.gone(), 5*sweepBatch)
	})
}
