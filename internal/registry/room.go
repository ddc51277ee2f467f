package registry

import (
	"container/heap"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

const (
	// mostLooked is how many of the partitions that seem longest idle are compared. More would find one that is needed
	// less, and hold the lock for longer.
	mostLooked = 64
	// fullFor is how long no room is searched for after no partition could be forgotten.
	fullFor = time.Second
)

// A table holds the partitions by key and by their last use. It has no lock.
type table struct {
	byKey     index
	byUse     useHeap       // the same partitions, longest idle first
	fullUntil pacer.Instant // no room is searched for before
}

func (t *table) put(p *schedule.Partition, now pacer.Instant) {
	p.Count()
	t.byKey.put(p)
	heap.Push(&t.byUse, use{p, now, false})
}

// A candidate is a partition that may be forgotten.
type candidate struct {
	use
	need schedule.Need
}

// makeRoom forgets the longest idle partition without a hold. If all have holds, it forgets the longest idle one. It
// reports false if all candidates are in use. The wanted partition counts as in use.
func (t *table) makeRoom(now pacer.Instant, wanted *schedule.Partition) (e Eviction, isGone bool) {
	candidates := t.longestIdle(now, wanted)
	best := -1
	for i, c := range candidates {
		if c.need < schedule.InUse && (best < 0 || c.goesBefore(candidates[best])) {
			best = i
		}
	}
	if best >= 0 {
		e, isGone = t.forget(now, candidates[best].use, schedule.Held)
		e.Full = true
	}
	for i, c := range candidates {
		if i != best || !isGone {
			heap.Push(&t.byUse, c.use)
		}
	}
	return e, isGone
}

// goesBefore reports whether c is forgotten rather than other.
func (c candidate) goesBefore(other candidate) bool {
	if isHeld := c.need == schedule.Held; isHeld != (other.need == schedule.Held) {
		return !isHeld
	}
	return c.last < other.last
}

// longestIdle removes the partitions from the heap that seem longest idle. It stops early at one that is surely idle
// longest.
func (t *table) longestIdle(now pacer.Instant, wanted *schedule.Partition) (candidates []candidate) {
	for len(candidates) < mostLooked && len(t.byUse) > 0 {
		u := heap.Pop(&t.byUse).(use)
		used, need := u.partition.Needed(now)
		if u.partition == wanted {
			need = schedule.InUse
		}
		isSure := used <= u.last && need < schedule.Held && len(candidates) == 0
		if need == schedule.InUse {
			used = now
		}
		candidates = append(candidates, candidate{use{u.partition, max(used, u.last), need == schedule.InUse}, need})
		if isSure {
			break
		}
	}
	return candidates
}

// forget removes a partition from the table, unless its need is above most or it was used since it was looked at. The
// partition is no longer in the heap.
func (t *table) forget(now pacer.Instant, u use, most schedule.Need) (e Eviction, isGone bool) {
	used, isGone := u.partition.Retire(now, u.last, most)
	if isGone {
		t.byKey.remove(u.partition.Key())
	}
	return Eviction{Partition: u.partition, Now: now, Used: used}, isGone
}

// shrink forgets partitions, except the wanted one, until all together keep at most most bytes.
func (t *table) shrink(now pacer.Instant, wanted *schedule.Partition, memory *atomic.Int64, most int64) (gone []Eviction) {
	if now < t.fullUntil {
		return nil
	}
	for memory.Load() > most {
		e, isGone := t.makeRoom(now, wanted)
		if !isGone {
			t.fullUntil = now.Add(fullFor)
			break
		}
		gone = append(gone, e)
	}
	return gone
}

// A use notes when a partition was used, as of the last look at it. It may have been used again since.
type use struct {
	partition *schedule.Partition
	last      pacer.Instant
	wasInUse  bool // a request was in it at that look
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
