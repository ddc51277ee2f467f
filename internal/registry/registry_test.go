package registry

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
)

// idleFor is how long an idle partition is kept that knows nothing of use.
const idleFor = 5 * time.Minute

// Requests that spell one origin in several ways have one partition, also after it was forgotten.
func TestFindOfOtherSpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		spelled := identity.Key{Scheme: "https", Host: "HOST1.example.com:443"}
		first := w.Find(spelled, nil)
		require.Same(t, first, w.find(1))
		require.Same(t, first, w.Find(spelled, nil))
		w.find(2)
		again := w.Find(spelled, nil)
		require.NotSame(t, first, again)
		require.Same(t, again, w.find(1))
		require.Equal(t, []string{host(1).Host, host(2).Host, host(1).Host}, w.made)
	})
}

// A partition is not forgotten right after a request that took longer than idleFor.
func TestLongPollsKeepTheirPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		first := w.find(1)
		for range 10 {
			v := w.enter(t, 1)
			time.Sleep(idleFor + time.Minute)
			v.Answered(t.Context(), 0, &nothing, gate.Response{})
			time.Sleep(90 * time.Second)
			require.Same(t, first, w.find(1))
		}
		time.Sleep(time.Hour)
		require.False(t, w.has(1), "it is idle")
	})
}

// Idle partitions are forgotten, but those in use are not. There is no timer without partitions.
func TestIdlePartitionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		for range 2 { // then the timer is set again
			idle := w.use(t, 0)
			inFlight := w.enter(t, 1)
			time.Sleep(idleFor + sweepEvery)
			synctest.Wait()
			require.Same(t, idle, w.gone[0].Partition)
			require.GreaterOrEqual(t, w.gone[0].Idle, idleFor)
			require.False(t, w.gone[0].Full)
			require.True(t, w.has(1))

			w.answer(inFlight)
			time.Sleep(2 * (idleFor + sweepEvery))
			synctest.Wait()
			require.Empty(t, w.All())
			require.False(t, w.hasTimer())
			w.gone = nil
		}
	})
}

// Beyond the bound the least recently used partition is forgotten.
func TestTheLeastRecentlyUsedGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		for _, i := range []int{0, 1, 2, 3, 1, 0, 0} {
			w.use(t, i)
			time.Sleep(time.Second)
		}
		for n, want := range []int{2, 3, 1, 0} {
			w.use(t, 100+n)
			require.Equal(t, host(want), w.gone[n].Partition.Key())
			require.True(t, w.gone[n].Full)
			require.Len(t, w.All(), 4)
		}
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
	require.True(t, w.hasTimer())
	collected := weak.Make(w.Registry)
	w = nil
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, collected.Value())
}

// An idle partition is found even behind more needed ones than one request looks at.
func TestManyInUse(t *testing.T) {
	const inUse = 3 * mostLooked
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(inUse + 1)
		for i := range inUse {
			w.enter(t, i)
		}
		w.use(t, inUse)
		for range inUse / mostLooked {
			w.use(t, 1000)
			require.False(t, w.has(1000))
		}
		w.use(t, 1000)
		require.True(t, w.has(1000))
		require.False(t, w.has(inUse))
		require.Len(t, w.All(), inUse+1)
	})
}
