package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

func TestTheLongestIdleGoes(t *testing.T) {
	for _, test := range []struct {
		name  string
		uses  []int
		order []int // in which they go
	}{
		{"in the order of their making", []int{0, 1, 2, 3}, []int{0, 1, 2, 3}},
		{"some used again", []int{0, 1, 2, 3, 1, 0}, []int{2, 3, 1, 0}},
		{"all used again", []int{0, 1, 2, 3, 3, 2, 1, 0}, []int{3, 2, 1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(4)
				for _, i := range test.uses {
					w.use(t, i)
					time.Sleep(time.Second)
				}
				for _, want := range test.order {
					leaving := w.find(want)
					w.use(t, 100+want)
					require.True(t, leaving.IsForgotten())
					require.False(t, w.has(want))
					require.True(t, w.gone()[len(w.gone())-1].Full)
					require.Same(t, leaving, w.gone()[len(w.gone())-1].Partition)
					require.Equal(t, 4, w.index.n)
					require.Len(t, w.idle, 4)
					time.Sleep(time.Second)
				}
			})
		})
	}
}

// Partitions in use stay. Partitions with a hold stay while there are others to forget.
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
				w.use(t, 0)
				time.Sleep(2 * time.Second) // until a second request may go
				free := test.need(t, w)
				time.Sleep(time.Second)
				for i := 1; i < 5; i++ {
					w.use(t, i)
					time.Sleep(time.Second)
					require.True(t, w.has(0))
					require.True(t, w.has(i))
				}
				free()
				w.use(t, 4)
				w.use(t, 5)
				require.False(t, w.has(0))
			})
		})
	}
}

// A registry full of month-long holds still has room for a new host. The longest idle partition is forgotten.
func TestHoldsReachNobodyElse(t *testing.T) {
	const most = 8
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(most)
		for i := range most {
			require.True(t, w.isHeld(w.hold(t, i, 32*24*time.Hour)))
			time.Sleep(time.Second)
		}
		for i := range most {
			p := w.use(t, 100+i)
			require.False(t, w.isHeld(p))
			require.True(t, w.has(100+i))
			w.hold(t, 100+i, 32*24*time.Hour)
			require.False(t, w.has(i), "the longest idle one went")
			require.Equal(t, most, w.index.n)
			require.True(t, w.has((i+1)%most+100*((i+1)/most)), "and no other")
			time.Sleep(time.Second)
		}
	})
}

// If all partitions are in use, a request to a new host gets a partition of its own, which is not kept.
func TestNoRoomAtAll(t *testing.T) {
	const most = 8
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(most)
		var inFlight []*schedule.Visit
		for i := range most {
			inFlight = append(inFlight, w.enter(t, i))
		}
		for range 3 {
			p := w.hold(t, 100, time.Hour)
			require.True(t, w.isHeld(p), "its own request waits for the end")
			require.False(t, w.isHeld(w.find(100)))
			require.False(t, w.isHeld(w.find(101)))
			one := w.find(101)
			require.NotSame(t, one, w.find(101))
		}
		require.Len(t, w.All(), most)
		require.Len(t, w.made, most, "nobody is told of what is not kept")
		require.Empty(t, w.gone())

		inFlight[3].Leave()
		time.Sleep(time.Second)
		w.use(t, 100)
		require.True(t, w.has(100))
		require.False(t, w.has(3))
	})
}

// Idle partitions are found even behind more partitions in use than one search looks at.
func TestManyInUse(t *testing.T) {
	const inUse = 3 * mostLooked
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(inUse + 1)
		for i := range inUse {
			w.enter(t, i)
		}
		time.Sleep(time.Second)
		w.use(t, inUse)
		time.Sleep(time.Second)
		for range inUse / mostLooked {
			w.use(t, 1000)
			require.False(t, w.has(1000))
			require.True(t, w.has(inUse))
			time.Sleep(time.Second)
		}
		w.use(t, 1000)
		require.True(t, w.has(1000))
		require.False(t, w.has(inUse))
		require.Equal(t, inUse+1, w.index.n)
		require.Len(t, w.idle, inUse+1)
	})
}

// A request whose partition is forgotten right after Find finds the next one.
func TestForgottenBetweenFindAndEnter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		found := w.use(t, 0)
		time.Sleep(time.Second)
		w.use(t, 1)
		_, err := found.Enter(t.Context(), &schedule.Visit{MaxWait: -1, Called: w.clock.Now()})
		require.ErrorIs(t, err, schedule.ErrForgotten)
		w.use(t, 0)
	})
}

// A search that finds no room takes no longer with more partitions, except for the depth of the heap.
func BenchmarkMakeRoom(b *testing.B) {
	for _, bench := range []struct {
		name string
		fill func(b *testing.B, w *world, i int)
	}{
		{"all=held", func(b *testing.B, w *world, i int) { b.Helper(); w.hold(b, i, 32*24*time.Hour) }},
		{"all=in use", func(b *testing.B, w *world, i int) { b.Helper(); w.enter(b, i) }},
		{"all=idle", func(b *testing.B, w *world, i int) { b.Helper(); w.use(b, i) }},
		{"all=used again", func(b *testing.B, w *world, i int) {
			b.Helper()
			w.use(b, i)
			w.answer(w.enter(b, i), pacer.Answer{RetryAfter: pacer.Unknown})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			w := newWorld(MaxPartitions)
			for i := range MaxPartitions {
				bench.fill(b, w, i)
			}
			b.ReportAllocs()
			for b.Loop() {
				now := w.clock.Now()
				if e, isGone := w.makeRoom(now); isGone { // so that the next search finds as many
					w.put(e.Partition, now)
				}
			}
		})
	}
}
