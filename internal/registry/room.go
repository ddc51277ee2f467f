package registry

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// mostLooked is how many of the partitions that seem longest idle are compared. More would find one that is needed less,
// and hold the lock for longer.
const mostLooked = 64

// A use notes when a partition was used and how much it was needed, as of the last look at it. It may have been used again
// since.
type use struct {
	partition *schedule.Partition
	last      pacer.Instant
	need      schedule.Need
}

// compare is negative if u is forgotten rather than other: without a hold before with one, in use last, then longest idle
// first.
func (u use) compare(other use) int {
	return cmp.Or(cmp.Compare(max(u.need, schedule.Known), max(other.need, schedule.Known)), cmp.Compare(u.last, other.last))
}

// makeRoom forgets the longest idle partition without a hold. If all have holds, it forgets the longest idle one. It
// reports false if all that it looks at are in use.
func (r *Registry) makeRoom(now pacer.Instant) (e Eviction, isGone bool) {
	looked := r.longestIdle(now)
	slices.SortStableFunc(looked, use.compare)
	if len(looked) > 0 && looked[0].need < schedule.InUse {
		if e, isGone = r.forget(now, looked[0], schedule.Held); isGone {
			e.Full = true
			looked = looked[1:]
		}
	}
	for _, u := range looked {
		heap.Push(&r.idle, u)
	}
	return e, isGone
}

// longestIdle removes the partitions from the heap that seem longest idle. It stops early at one that is surely idle
// longest.
func (r *Registry) longestIdle(now pacer.Instant) (looked []use) {
	for len(looked) < mostLooked && len(r.idle) > 0 {
		u := heap.Pop(&r.idle).(use)
		used, need := u.partition.Needed(now)
		isSure := used <= u.last && need < schedule.Held && len(looked) == 0
		if need == schedule.InUse {
			used = now
		}
		looked = append(looked, use{u.partition, max(used, u.last), need})
		if isSure {
			break
		}
	}
	return looked
}

// forget removes a partition, unless its need is above most or it was used since it was looked at. The partition is no
// longer in the heap.
func (r *Registry) forget(now pacer.Instant, u use, most schedule.Need) (e Eviction, isGone bool) {
	used, isGone := u.partition.Retire(now, u.last, most)
	if isGone {
		r.index.remove(u.partition.Key())
	}
	return Eviction{Partition: u.partition, Now: now, Used: used}, isGone
}

// A useHeap has the partition with the oldest known use at the front. Uses are noted only when a partition gets to the
// front, so a request need not update the heap.
type useHeap []use

func (h useHeap) Len() int           { return len(h) }
func (h useHeap) Less(i, j int) bool { return h[i].last < h[j].last }
func (h useHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *useHeap) Push(x any)        { *h = append(*h, x.(use)) }

func (h *useHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = use{}
	*h = (*h)[:last]
	return x
}
