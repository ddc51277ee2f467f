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
	"github.com/headway-go/headway/pacer"
)

// idleFor is how long an idle partition is kept that knows nothing of use.
const idleFor = 5 * time.Minute

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
			v := w.enterIn(t, w.find(1))
			time.Sleep(idleFor + time.Minute)
			v.Answered(t.Context(), 0, &pacer.Answer{RetryAfter: pacer.Unknown}, gate.Response{})
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
	require.True(t, w.hasTimer())
	collected := weak.Make(w.Registry)
	w = nil
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, collected.Value())
}

func TestIdlePartitionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(10)
		idle := w.use(t, 0)
		w.hold(t, 1, time.Hour)
		inFlight := w.enter(t, 2)

		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Len(t, w.gone(), 1)
		require.Same(t, idle, w.gone()[0].Partition)
		require.GreaterOrEqual(t, w.gone()[0].Idle, idleFor)
		require.False(t, w.gone()[0].Full)
		require.True(t, w.has(1), "a hold is worth remembering")
		require.True(t, w.has(2))
		require.NotSame(t, idle, w.use(t, 0))

		time.Sleep(2 * time.Hour)
		require.False(t, w.has(1))
		require.True(t, w.has(2), "for as long as it takes")

		w.answer(inFlight, pacer.Answer{RetryAfter: pacer.Unknown})
		time.Sleep(2 * (idleFor + sweepEvery))
		require.Empty(t, w.All())
		require.False(t, w.hasTimer(), "no timer without partitions")

		w.use(t, 0)
		time.Sleep(idleFor + sweepEvery)
		synctest.Wait()
		require.Empty(t, w.All(), "the timer is set again")
	})
}

// Beyond the bound the least recently used partition is forgotten.
func TestTheLeastRecentlyUsedGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		for _, i := range []int{0, 1, 2, 3, 1, 0} {
			w.use(t, i)
			time.Sleep(time.Second)
		}
		for n, want := range []int{2, 3, 1, 0} {
			w.use(t, 100+n)
			require.False(t, w.has(want))
			require.Len(t, w.gone(), n+1)
			require.Equal(t, host(want), w.gone()[n].Partition.Key())
			require.True(t, w.gone()[n].Full)
			require.Len(t, w.All(), 4)
		}
	})
}

// A partition that is used all the time is never the least recently used one.
func TestTheMostUsedStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(3)
		for i := range 100 {
			w.find(0)
			w.find(0)
			w.find(1 + i)
			require.True(t, w.has(0))
		}
	})
}

// Partitions that are in use or held are never forgotten for others.
func TestWhatIsNeededStays(t *testing.T) {
	for _, test := range []struct {
		name string
		need func(t *testing.T, w *world) (free func()) // has the partition of host 0 needed
	}{
		{"request in flight", func(t *testing.T, w *world) func() {
			t.Helper()
			return w.enter(t, 0).Leave
		}},
		{"hold", func(t *testing.T, w *world) func() {
			t.Helper()
			w.hold(t, 0, time.Minute)
			return func() { time.Sleep(2 * time.Minute) }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(2)
				free := test.need(t, w)
				for i := range 5 {
					w.use(t, 1+i)
					require.True(t, w.has(0))
					require.True(t, w.has(1+i))
				}
				free()
				w.use(t, 10)
				w.use(t, 11)
				require.False(t, w.has(0))
			})
		})
	}
}

// If all partitions are needed, a request to a new host gets a partition of its own, which is not kept.
func TestNoRoomAtAll(t *testing.T) {
	const most = 8
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(most)
		var inFlight []*gate.Visit
		for i := range most {
			inFlight = append(inFlight, w.enter(t, i))
		}
		for range 3 {
			require.True(t, w.isHeld(w.hold(t, 100, time.Hour)), "its own request waits for the end")
			require.False(t, w.isHeld(w.find(100)))
			first := w.find(101)
			require.NotSame(t, first, w.find(101))
		}
		require.Len(t, w.All(), most)
		require.Len(t, w.made, most, "nobody is told of what is not kept")
		require.Empty(t, w.gone())

		inFlight[3].Leave()
		w.use(t, 100)
		require.True(t, w.has(100))
		require.False(t, w.has(3))
	})
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

// A request whose partition is forgotten right after Find finds the next one.
func TestForgottenBetweenFindAndEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		found := w.use(t, 0)
		w.use(t, 1)
		_, err := found.Enter(t.Context(), &gate.Visit{MaxWait: -1, Called: w.clock.Now()})
		require.ErrorIs(t, err, gate.ErrForgotten)
		w.use(t, 0)
	})
}
