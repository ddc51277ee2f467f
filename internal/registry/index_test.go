package registry

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/schedule"
)

// An index finds the same partitions as a map, after puts and removals in any order.
func TestIndexIsAMap(t *testing.T) {
	w := newWorld(1)
	var x index
	var known [200]*schedule.Partition
	chance := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		i := chance.IntN(len(known))
		if known[i] == nil {
			known[i] = schedule.New(w.settings, nil, *host(i))
			x.put(known[i])
		} else {
			x.remove(host(i))
			known[i] = nil
		}
		if i = chance.IntN(len(known)); known[i] == nil {
			require.Nil(t, x.find(host(i)))
		} else {
			require.Same(t, known[i], x.find(host(i)))
		}
	}
	n := 0
	for i, p := range known {
		require.Same(t, p, x.find(host(i)))
		if p != nil {
			n++
			require.Contains(t, x.all(), p)
		}
	}
	require.Len(t, x.all(), n)
	require.LessOrEqual(t, 2*n, len(*x.slots.Load()), "at most half of the slots are taken")
	x.clear()
	require.Nil(t, x.find(host(1)))
	require.Empty(t, x.all())
}

// find takes no lock. While other partitions come and go it may miss a partition, but never returns a wrong one.
func TestIndexIsReadWithoutALock(t *testing.T) {
	w := newWorld(1)
	var x index
	stays := schedule.New(w.settings, nil, *host(0))
	x.put(stays)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 20_000 {
				if p := x.find(host(i % 100)); p != nil && (p == stays) != (i%100 == 0) {
					t.Errorf("another partition than that of %s", host(i%100).Host)
				}
			}
		})
	}
	for i := range 5000 {
		x.put(schedule.New(w.settings, nil, *host(1 + i%99)))
		if i >= 50 {
			x.remove(host(1 + (i-50)%99))
		}
	}
	readers.Wait()
	require.Same(t, stays, x.find(host(0)))
}
